/* massaction_compile.c - from a table of equations to the arrays that massaction.c works on.
 *
 *     side = term { ("+" | "-") term } | nothing,   term = [ number ] species,   equation = side "=" side */
#include "massaction.h"

#include <stdlib.h>
#include <string.h>

typedef struct parsed {
    int order;
    short in[MA_REACTANTS];
    double net[MA_SPECIES]; /* products minus reactants */
    int length;             /* how many of them are not zero */
} parsed;

static int species_index(int n, const char *const *species, const char *name, size_t length)
{
    for (int i = 0; i < n; i++)
        if (strlen(species[i]) == length && !memcmp(species[i], name, length)) return i;
    return -1;
}

static int add_reactant(parsed *x, int species, double count)
{
    int whole = (int)count;
    if (whole < 1 || whole != count || x->order + whole > MA_REACTANTS) return -1;
    for (int i = 0; i < whole; i++) x->in[x->order++] = (short)species;
    return 0;
}

static int parse(const char *at, int n, const char *const *species, parsed *x)
{
    int right = 0;
    double sign = 1, count = 1;
    *x = (parsed){0};
    while (*(at += strspn(at, " "))) {
        size_t length = strcspn(at, " ");
        char *end;
        double number = strtod(at, &end);
        if (length == 1 && strchr("+-=", *at)) {
            if (*at == '=' && right++) return -1;
            sign = *at == '-' ? -1 : 1;
        } else if (end == at + length) count = number;
        else {
            int i = species_index(n, species, at, length);
            if (i < 0 || (!right && (sign < 0 || add_reactant(x, i, count)))) return -1;
            x->net[i] += right ? sign * count : -count;
            count = 1;
        }
        at += length;
    }
    for (int i = 0; i < n; i++) x->length += x->net[i] != 0;
    return right ? 0 : -1;
}

/* The reactions by order, then by length; equals stay as they are. */
static void sort(int reactions, const parsed *x, short *order)
{
    for (int r = 0; r < reactions; r++) {
        int at = r, key = x[r].order * MA_SPECIES + x[r].length;
        for (; at > 0 && x[order[at - 1]].order * MA_SPECIES + x[order[at - 1]].length > key; at--) order[at] = order[at - 1];
        order[at] = (short)r;
    }
}

/* S by rows or its transpose from the reactions as they come in `order`; -1: too many terms. */
static int gather(stoichiometry *s, int transposed, int n, int reactions, const parsed *x, const short *order)
{
    int terms = 0, columns = transposed ? n : reactions;
    s->rows = transposed ? reactions : n;
    for (int i = 0; i < s->rows; i++) {
        s->start[i] = (short)terms;
        for (int j = 0; j < columns; j++) {
            double value = transposed ? x[order[i]].net[j] : x[order[j]].net[i];
            if (value == 0) continue;
            if (terms == MA_TERMS) return -1;
            s->index[terms] = (short)j;
            s->value[terms++] = value;
        }
    }
    s->start[s->rows] = (short)terms;
    return 0;
}

/* The Jacobian's pattern, and in it the place of d(S_ir rho_r)/dy_a for every reaction r, reactant a and term i, in this order
 * of loops. */
static void lay_out(massaction *m)
{
    int where[MA_SPECIES][MA_SPECIES] = {0}, nnz = 0, k = 0;
    const stoichiometry *s = &m->by_reaction;
    for (int pass = 0; pass < 2; pass++) {
        for (int order = 1; order <= MA_REACTANTS; order++)
            for (int r = m->first[order]; r < m->first[order + 1]; r++)
                for (int q = 0; q < order; q++)
                    for (int e = s->start[r]; e < s->start[r + 1]; e++) {
                        int *here = &where[m->in[r][q]][s->index[e]];
                        if (pass) m->place[k++] = (short)*here;
                        else *here = 1;
                    }
        if (pass) break;
        for (int j = 0; j < m->n; j++) {
            m->colptr[j] = nnz;
            for (int i = 0; i < m->n; i++) {
                if (!where[j][i]) continue;
                where[j][i] = m->format == COSTATE_DENSE ? i + m->n * j : nnz;
                m->rowind[nnz++] = i;
            }
        }
        m->colptr[m->n] = nnz;
    }
}

int massaction_compile(massaction *m, costate_format format, int n, const char *const *species, int np, int reactions,
                       const reaction *table, time_factor *phi)
{
    parsed x[MA_REACTIONS];
    short order[MA_REACTIONS];
    if (n > MA_SPECIES || reactions > MA_REACTIONS) return -1;
    *m = (massaction){.n = n, .np = np, .reactions = reactions, .phi = phi, .format = format};
    for (int r = 0; r < reactions; r++)
        if (table[r].rate >= np || (table[r].timed && !phi) || parse(table[r].equation, n, species, &x[r])) return -1;
    sort(reactions, x, order);
    for (int r = 0; r < reactions; r++) {
        const reaction *from = &table[order[r]];
        m->factor[r] = from->factor;
        m->rate[r] = (short)from->rate;
        m->timed[r] = (short)from->timed;
        memcpy(m->in[r], x[order[r]].in, sizeof m->in[r]);
        for (int later = x[order[r]].order + 1; later < MA_REACTANTS + 2; later++) m->first[later] = (short)(r + 1);
    }
    if (gather(&m->by_species, 0, n, reactions, x, order) || gather(&m->by_reaction, 1, n, reactions, x, order)) return -1;
    lay_out(m);
    return 0;
}
