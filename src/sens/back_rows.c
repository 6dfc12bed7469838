/* back_rows.c - lambda(t) itself, at times that were asked for. */
#include "sens/back.h"

int cst__back_rows(backward *b, double from, double to)
{
    (void)b, (void)from, (void)to;
    return 0;
}

int cst__back_rows_end(backward *b, double from, double to)
{
    (void)b, (void)from, (void)to;
    return 0;
}
