/* family.c - the families of the library. */
#include "method/method.h"

const family *cst__family(costate_family id)
{
    static const family *const all[] = {&cst__erk, &cst__sdirk, &cst__firk, &cst__ros, &cst__bdf};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->id == id) return all[i];
    return NULL;
}
