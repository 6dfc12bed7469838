/* shallow_water.c - waves from a heap of water on a periodic square: m x m points of [-3, 3]^2, components 3i, 3i+1, 3i+2 of
 * point i are h, hu, hv. H. Zhang and A. Sandu, FATODE (SIAM J. Sci. Comput. 36, 2014), section 5, with m = 40. p = g, the
 * gravity. Third-order upwind differences:
 *
 *     U' = -(sum over k of e_k P_k D_k U in x) - (the same in y)
 *
 * with e_k and P_k the eigenvalues and spectral projectors of the flux' Jacobian at the point, and D_k the difference D+ where
 * e_k >= 0, D- where e_k < 0. In direction x let u, v be the velocities along and across, c = sqrt(g h) and d = D_k U, in the
 * order h, hu, hv:
 *
 *     shear     e = u       adds sigma u (0, 0, 1),    sigma = d_hv - v d_h
 *     gravity   e = u -+ c  adds phi (1, e, v),        phi = e a,   a = (d_h -+ beta)/2,   beta = (d_hu - u d_h)/c
 *
 * and in y the same with u and v, hu and hv exchanged. All products are those of this little function of (h, hu, hv, g) and d,
 * which is linear in d; the branch is that of the sign of e at the point, so that derivatives jump where an e_k changes sign. */
#include "lanes.h"
#include "problems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { H, ALONG, ACROSS };          /* of a point, as seen from a direction */
enum { SHEAR, MINUS, PLUS, WAVES };
enum { STENCIL = 5, BLOCKS = 9, ENTRIES = 65 };

static const double weight[2][STENCIL] = {{1, -6, 3, 2, 0}, {0, -2, -3, 6, -1}}; /* D+ and D- times 6 dx, at the points -2 .. 2 */
static const int partner[WAVES] = {ACROSS, ALONG, ALONG}; /* what a wave takes the difference of, beside h */

typedef struct water {
    problem q; /* first, for problem_free */
    int m;
    double p[1], *y0;
    int *colptr, *rowind;
    int *place; /* of the ENTRIES entries in every point's rows, in the order of entry_of */
} water;

/* ---- a point, in one direction ----------------------------------------------------------------------------------------- */

typedef struct side {
    int point[STENCIL], component[3]; /* where to find H, ALONG, ACROSS of the stencil's points */
    double h, u, v, c, g, sigma;
    double weight[WAVES][STENCIL], D[WAVES][2]; /* a wave's difference, of H and of its partner */
    double e[WAVES], a[WAVES], beta[WAVES], phi[WAVES];
} side;

static double sign(int wave)
{
    return wave == PLUS ? 1 : -1;
}

static void look(const water *q, const double *y, const double *p, int i, int j, int axis, side *s)
{
    int m = q->m;
    for (int k = 0; k < STENCIL; k++) s->point[k] = axis ? (j + k - 2 + m) % m * m + i : j * m + (i + k - 2 + m) % m;
    s->component[H] = 0, s->component[ALONG] = axis ? 2 : 1, s->component[ACROSS] = axis ? 1 : 2;
    const double *here = y + 3 * (j * m + i);
    s->h = here[0], s->g = p[0], s->c = sqrt(s->g * s->h);
    s->u = here[s->component[ALONG]] / s->h, s->v = here[s->component[ACROSS]] / s->h;
    for (int wave = 0; wave < WAVES; wave++) {
        s->e[wave] = wave == SHEAR ? s->u : s->u + sign(wave) * s->c;
        s->D[wave][0] = s->D[wave][1] = 0;
        for (int k = 0; k < STENCIL; k++) {
            const double *there = y + 3 * s->point[k];
            s->weight[wave][k] = weight[s->e[wave] < 0][k] * (m - 1) / 36; /* 6 dx = 36/(m-1) */
            s->D[wave][0] += s->weight[wave][k] * there[0];
            s->D[wave][1] += s->weight[wave][k] * there[s->component[partner[wave]]];
        }
        s->beta[wave] = (s->D[wave][1] - s->u * s->D[wave][0]) / s->c;
        s->a[wave] = (s->D[wave][0] + sign(wave) * s->beta[wave]) / 2;
        s->phi[wave] = s->e[wave] * s->a[wave];
    }
    s->sigma = s->D[SHEAR][1] - s->v * s->D[SHEAR][0];
}

static void flux(const side *s, double out[3])
{
    out[H] = out[ALONG] = 0;
    out[ACROSS] = s->u * s->sigma;
    for (int k = MINUS; k < WAVES; k++) out[H] += s->phi[k], out[ALONG] += s->phi[k] * s->e[k], out[ACROSS] += s->phi[k] * s->v;
}

/* ---- along a direction ------------------------------------------------------------------------------------------------- */

/* The derivatives of all that a flux is made of. */
typedef struct moving {
    four h, g, u, v, c, D[WAVES][2];
} moving;

/* From derivatives of h, hu, hv and g; D is set elsewhere. */
INLINE void move(const side *s, const four own[3], const four *g, moving *d)
{
    d->h = own[H], d->g = *g;
    d->u = (own[ALONG] - s->u * own[H]) / s->h, d->v = (own[ACROSS] - s->v * own[H]) / s->h;
    d->c = (*g * s->h + s->g * own[H]) / (2 * s->c);
}

typedef struct wave_dot {
    four e, beta, a, phi;
} wave_dot;

INLINE void wave_move(const side *s, int k, const moving *d, wave_dot *x)
{
    x->e = d->u + sign(k) * d->c;
    x->beta = (d->D[k][1] - d->u * s->D[k][0] - s->u * d->D[k][0] - s->beta[k] * d->c) / s->c;
    x->a = (d->D[k][0] + sign(k) * x->beta) / 2;
    x->phi = x->e * s->a[k] + s->e[k] * x->a;
}

INLINE void sigma_move(const side *s, const moving *d, four *sigma)
{
    *sigma = d->D[SHEAR][1] - d->v * s->D[SHEAR][0] - s->v * d->D[SHEAR][0];
}

INLINE void flux_dot(const side *s, const moving *d, four out[3])
{
    four sigma;
    sigma_move(s, d, &sigma);
    out[H] = out[ALONG] = (four){0};
    out[ACROSS] = d->u * s->sigma + s->u * sigma;
    for (int k = MINUS; k < WAVES; k++) {
        wave_dot x;
        wave_move(s, k, d, &x);
        out[H] += x.phi, out[ALONG] += x.phi * s->e[k] + s->phi[k] * x.e, out[ACROSS] += x.phi * s->v + s->phi[k] * d->v;
    }
}

INLINE void flux_dd(const side *s, const moving *d1, const moving *d2, four out[3])
{
    four sigma1, sigma2;
    sigma_move(s, d1, &sigma1);
    sigma_move(s, d2, &sigma2);
    four u = -(d1->u * d2->h + d2->u * d1->h) / s->h, v = -(d1->v * d2->h + d2->v * d1->h) / s->h;
    four c = ((d1->g * d2->h + d2->g * d1->h) / 2 - d1->c * d2->c) / s->c;
    four sigma = -v * s->D[SHEAR][0] - d1->v * d2->D[SHEAR][0] - d2->v * d1->D[SHEAR][0];
    out[H] = out[ALONG] = (four){0};
    out[ACROSS] = u * s->sigma + d1->u * sigma2 + d2->u * sigma1 + s->u * sigma;
    for (int k = MINUS; k < WAVES; k++) {
        wave_dot x1, x2;
        wave_move(s, k, d1, &x1);
        wave_move(s, k, d2, &x2);
        four e = u + sign(k) * c, b = -u * s->D[k][0] - d1->u * d2->D[k][0] - d2->u * d1->D[k][0];
        four beta = (b - x1.beta * d2->c - x2.beta * d1->c - s->beta[k] * c) / s->c;
        four phi = e * s->a[k] + x1.e * x2.a + x2.e * x1.a + s->e[k] * sign(k) * beta / 2;
        out[H] += phi;
        out[ALONG] += phi * s->e[k] + x1.phi * x2.e + x2.phi * x1.e + s->phi[k] * e;
        out[ACROSS] += phi * s->v + x1.phi * d2->v + x2.phi * d1->v + s->phi[k] * v;
    }
}

/* ---- transposed -------------------------------------------------------------------------------------------------------- */

/* What reaches the velocities, then h, hu, hv (own) and g, and the differences. */
typedef struct pulled {
    four u, v, c, own[3], g, D[WAVES][2];
} pulled;

INLINE void pull(const side *s, const four seed[3], pulled *b)
{
    four sigma = s->u * seed[ACROSS];
    b->u = s->sigma * seed[ACROSS], b->v = -s->D[SHEAR][0] * sigma, b->c = (four){0};
    b->D[SHEAR][0] = -s->v * sigma, b->D[SHEAR][1] = sigma;
    for (int k = MINUS; k < WAVES; k++) {
        four phi = seed[H] + s->e[k] * seed[ALONG] + s->v * seed[ACROSS], e = s->phi[k] * seed[ALONG] + s->a[k] * phi;
        four a = s->e[k] * phi, beta = sign(k) * a / 2 / s->c;
        b->u += e - s->D[k][0] * beta;
        b->v += s->phi[k] * seed[ACROSS];
        b->c += sign(k) * e - s->beta[k] * beta;
        b->D[k][0] = a / 2 - s->u * beta, b->D[k][1] = beta;
    }
    four c = b->c / (2 * s->c);
    b->own[ALONG] = b->u / s->h, b->own[ACROSS] = b->v / s->h;
    b->own[H] = s->g * c - s->u * b->own[ALONG] - s->v * b->own[ACROSS];
    b->g = s->h * c;
}

/* The derivative of pull, line by line, while the seed moves by seeddot. */
INLINE void pull_dot(const side *s, const moving *d, const four seed[3], const four seeddot[3], pulled *bd)
{
    pulled b;
    four moved;
    pull(s, seed, &b);
    sigma_move(s, d, &moved);
    four sigma = s->u * seed[ACROSS], sigmad = d->u * seed[ACROSS] + s->u * seeddot[ACROSS];
    bd->u = moved * seed[ACROSS] + s->sigma * seeddot[ACROSS];
    bd->v = -d->D[SHEAR][0] * sigma - s->D[SHEAR][0] * sigmad, bd->c = (four){0};
    bd->D[SHEAR][0] = -d->v * sigma - s->v * sigmad, bd->D[SHEAR][1] = sigmad;
    for (int k = MINUS; k < WAVES; k++) {
        wave_dot x;
        wave_move(s, k, d, &x);
        four phi = seed[H] + s->e[k] * seed[ALONG] + s->v * seed[ACROSS], beta = b.D[k][1];
        four phid = seeddot[H] + x.e * seed[ALONG] + s->e[k] * seeddot[ALONG] + d->v * seed[ACROSS] + s->v * seeddot[ACROSS];
        four ed = x.phi * seed[ALONG] + s->phi[k] * seeddot[ALONG] + x.a * phi + s->a[k] * phid, ad = x.e * phi + s->e[k] * phid;
        four betad = (sign(k) * ad / 2 - beta * d->c) / s->c;
        bd->u += ed - d->D[k][0] * beta - s->D[k][0] * betad;
        bd->v += x.phi * seed[ACROSS] + s->phi[k] * seeddot[ACROSS];
        bd->c += sign(k) * ed - x.beta * beta - s->beta[k] * betad;
        bd->D[k][0] = ad / 2 - d->u * beta - s->u * betad, bd->D[k][1] = betad;
    }
    four c = b.c / (2 * s->c), cd = (bd->c / 2 - c * d->c) / s->c;
    bd->own[ALONG] = (bd->u - b.own[ALONG] * d->h) / s->h, bd->own[ACROSS] = (bd->v - b.own[ACROSS] * d->h) / s->h;
    bd->own[H] = d->g * c + s->g * cd - d->u * b.own[ALONG] - s->u * bd->own[ALONG] - d->v * b.own[ACROSS]
                 - s->v * bd->own[ACROSS];
    bd->g = d->h * c + s->h * cd;
}

/* ---- blocks: groups of at most four lanes from lane l of w on ---------------------------------------------------------- */

INLINE int index_of(const side *s, int k, int r, int w) /* of component r of the stencil's k-th point */
{
    return (3 * s->point[k] + s->component[r]) * w;
}

INLINE void load(const side *s, const double *ydot, const double *pdot, int w, int l, moving *d)
{
    four x[STENCIL][3], g;
    int lanes = w - l;
    get(pdot ? pdot + l : NULL, lanes, &g);
    for (int k = 0; k < STENCIL; k++)
        for (int r = 0; r < 3; r++) get(ydot ? ydot + index_of(s, k, r, w) + l : NULL, lanes, &x[k][r]);
    move(s, x[2], &g, d);
    for (int wave = 0; wave < WAVES; wave++) {
        d->D[wave][0] = d->D[wave][1] = (four){0};
        for (int k = 0; k < STENCIL; k++) {
            d->D[wave][0] += s->weight[wave][k] * x[k][H];
            d->D[wave][1] += s->weight[wave][k] * x[k][partner[wave]];
        }
    }
}

INLINE void load_seed(const side *s, const double *u, int w, int l, four seed[3])
{
    for (int r = 0; r < 3; r++) {
        get(u ? u + index_of(s, 2, r, w) + l : NULL, w - l, &seed[r]);
        seed[r] = -seed[r];
    }
}

INLINE void take(const side *s, const four out[3], int w, int l, double *f)
{
    for (int r = 0; r < 3; r++) {
        four x = -out[r];
        put(&x, w - l, f + index_of(s, 2, r, w) + l);
    }
}

INLINE void store(const side *s, const pulled *b, int w, int l, double *yb, double *pb)
{
    if (pb) put(&b->g, w - l, pb + l);
    for (int k = 0; yb && k < STENCIL; k++) {
        four x[3] = {{0}};
        for (int r = 0; r < 3 && k == 2; r++) x[r] = b->own[r];
        for (int wave = 0; wave < WAVES; wave++) {
            x[H] += s->weight[wave][k] * b->D[wave][0];
            x[partner[wave]] += s->weight[wave][k] * b->D[wave][1];
        }
        for (int r = 0; r < 3; r++) put(&x[r], w - l, yb + index_of(s, k, r, w) + l);
    }
}

/* The side number k of all 2 m^2 of them */
static void look_at(const water *q, const double *y, const double *p, int k, side *s)
{
    look(q, y, p, k / 2 % q->m, k / 2 / q->m, k % 2, s);
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const water *q = data;
    memset(f, 0, sizeof(double) * (size_t)q->q.prob.n);
    for (int k = 0; k < 2 * q->m * q->m; k++) {
        side s;
        double out[3];
        look_at(q, y, p, k, &s);
        if (!(s.h > 0)) return 1;
        flux(&s, out);
        for (int r = 0; r < 3; r++) f[3 * s.point[2] + s.component[r]] -= out[r];
    }
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    const water *q = data;
    memset(fdot, 0, sizeof(double) * (size_t)(q->q.prob.n * w));
    for (int k = 0; k < 2 * q->m * q->m; k++) {
        side s;
        look_at(q, y, p, k, &s);
        for (int l = 0; l < w; l += 4) {
            moving d;
            four out[3];
            load(&s, ydot, pdot, w, l, &d);
            flux_dot(&s, &d, out);
            take(&s, out, w, l, fdot);
        }
    }
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    const water *q = data;
    memset(fdd, 0, sizeof(double) * (size_t)(q->q.prob.n * w));
    for (int k = 0; k < 2 * q->m * q->m; k++) {
        side s;
        look_at(q, y, p, k, &s);
        for (int l = 0; l < w; l += 4) {
            moving d1, d2;
            four out[3];
            load(&s, ydot1, pdot1, w, l, &d1);
            load(&s, ydot2, pdot2, w, l, &d2);
            flux_dd(&s, &d1, &d2, out);
            take(&s, out, w, l, fdd);
        }
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    const water *q = data;
    for (int k = 0; k < 2 * q->m * q->m; k++) {
        side s;
        look_at(q, y, p, k, &s);
        for (int l = 0; l < w; l += 4) {
            pulled b;
            four seed[3];
            load_seed(&s, u, w, l, seed);
            pull(&s, seed, &b);
            store(&s, &b, w, l, yb, pb);
        }
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    const water *q = data;
    for (int k = 0; k < 2 * q->m * q->m; k++) {
        side s;
        look_at(q, y, p, k, &s);
        for (int l = 0; l < w; l += 4) {
            moving d;
            pulled bd;
            four seed[3], seeddot[3];
            load(&s, ydot, pdot, w, l, &d);
            load_seed(&s, u, w, l, seed);
            load_seed(&s, udot, w, l, seeddot);
            pull_dot(&s, &d, seed, seeddot, &bd);
            store(&s, &bd, w, l, ybdot, pbdot);
        }
    }
    return vjp(t, y, p, w, u, yb, pb, data);
}

/* ---- Jacobian ---------------------------------------------------------------------------------------------------------- */

/* Row r of a point takes component c of block b: of the point itself (4), or of a neighbour in x (0 .. 3) or y (5 .. 8), where
 * a wave takes h, the momentum along, and, for the shear alone, the momentum across. */
static int entry_of(int r, int b, int c)
{
    int across = b < 4 ? 2 : 1;
    return b == 4 || c != across || r == across;
}

/* The neighbour that block b stands for */
static int neighbour(int m, int i, int j, int b)
{
    static const int offset[BLOCKS] = {-2, -1, 1, 2, 0, -2, -1, 1, 2};
    int x = b < 4 ? (i + offset[b] + m) % m : i, y = b > 4 ? (j + offset[b] + m) % m : j;
    return y * m + x;
}

/* The 3 x 3 blocks of a point, one side's part added: from the flux' derivatives in h, hu, hv (columns 0 to 2) and in each
 * wave's differences, a lane each */
static void add_blocks(const side *s, int axis, double block[BLOCKS][3][3])
{
    enum { COLUMNS = 3 + 2 * WAVES };
    for (int first = 0; first < COLUMNS; first += 4) {
        moving d = {0};
        four out[3], own[3] = {{0}}, g = {0};
        int lanes = COLUMNS - first < 4 ? COLUMNS - first : 4;
        for (int l = 0; l < lanes; l++) {
            int k = first + l - 3;
            if (k < 0) own[first + l][l] = 1;
            else d.D[k / 2][k % 2][l] = 1;
        }
        move(s, own, &g, &d);
        flux_dot(s, &d, out);
        for (int l = 0; l < lanes; l++) {
            int column = first + l, wave = (column - 3) / 2, r = column < 3 ? column : (column - 3) % 2 ? partner[wave] : H;
            for (int k = 0; k < STENCIL; k++) {
                double factor = column < 3 ? k == 2 : s->weight[wave][k];
                double(*to)[3] = block[k == 2 ? 4 : 5 * axis + k - (k > 2)];
                for (int row = 0; row < 3; row++) to[s->component[row]][s->component[r]] -= factor * out[row][l];
            }
        }
    }
}

static int jac(double t, const double *y, const double *p, double *values, void *data)
{
    const water *q = data;
    const int *place = q->place;
    for (int k = 0; k < q->m * q->m; k++) {
        double block[BLOCKS][3][3] = {{{0}}};
        for (int axis = 0; axis < 2; axis++) {
            side s;
            look_at(q, y, p, 2 * k + axis, &s);
            add_blocks(&s, axis, block);
        }
        for (int r = 0; r < 3; r++)
            for (int b = 0; b < BLOCKS; b++)
                for (int c = 0; c < 3; c++)
                    if (entry_of(r, b, c)) values[*place++] = block[b][r][c];
    }
    return 0;
}

/* Rows are visited in rising order, so that the rows of every column come out sorted. */
static void lay_out(water *q)
{
    int m = q->m, n = 3 * m * m, *next = q->colptr, *place = q->place;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m * m; i++)
            for (int r = 0; r < 3; r++)
                for (int b = 0; b < BLOCKS; b++)
                    for (int c = 0; c < 3; c++) {
                        int column = 3 * neighbour(m, i % m, i / m, b) + c;
                        if (!entry_of(r, b, c)) continue;
                        if (pass) q->rowind[*place++ = next[column]++] = 3 * i + r;
                        else next[column + 1]++;
                    }
        for (int k = n; pass && k > 0; k--) next[k] = next[k - 1]; /* each moved on to the start of the one after it */
        for (int k = 0; !pass && k < n; k++) next[k + 1] += next[k];
        if (pass) next[0] = 0;
    }
}

problem *shallow_water(int m)
{
    static const int at[] = {0, 1, 2, 1200, 1201, 1202, 2460, 2461, 2462, 3600, 4797, 4799};
    static const double known[] = {
        1.0000000515447545e+02, 1.9999476924975625e+00, 1.9999476924975625e+00, 1.0000229057248029e+02, 1.9714397611280543e+00,
        1.9708895495803807e+00, 1.2219158043030498e+02, 4.7871553428082848e+01, 4.7871553428082521e+01, 1.0000149094601403e+02,
        1.0000000516132459e+02, 2.0000527318291690e+00};
    static const sensitivity dy[] = {
        {0, 0, 7.307633045347e-07}, {1, 0, -9.593154548930e-06}, {2, 0, -9.593154548930e-06},
        {1200, 0, 2.368946152881e-04}, {1201, 0, -4.126537063627e-03}, {1202, 0, -4.764251560403e-03},
        {2460, 0, -6.518104895756e-01}, {2461, 0, 3.382291096071e+00}, {2462, 0, 3.382291096071e+00},
        {3600, 0, 1.581284734670e-04}, {4797, 0, 7.318235946754e-07}, {4799, 0, 9.668921085351e-06}};
    static const char *const params[] = {"g"};
    size_t cells = (size_t)m * (size_t)m, n = 3 * cells, nnz = ENTRIES * cells;
    water *q = m < STENCIL ? NULL : calloc(1, sizeof *q + n * sizeof(double) + (n + 1 + 2 * nnz) * sizeof(int));
    if (!q) return NULL;
    q->m = m, q->p[0] = 9.80616;
    q->y0 = (double *)(q + 1);
    q->colptr = (int *)(q->y0 + n);
    q->rowind = q->colptr + n + 1;
    q->place = q->rowind + nnz;
    lay_out(q);
    for (int i = 0; i < m * m; i++) {
        double x = -3 + 6.0 * (i % m) / (m - 1), y = -3 + 6.0 * (i / m) / (m - 1);
        q->y0[3 * i] = 100 + 30 * exp(-x * x - y * y);
        q->y0[3 * i + 1] = q->y0[3 * i + 2] = 2;
    }
    q->q = (problem){.name = "shallow_water",
                     .prob = {.n = (int)n, .np = 1, .data = q, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2,
                              .vjp_dot = vjp_dot, .jac = jac, .autonomous = 1, .param_names = params,
                              .pattern = {.format = COSTATE_CSC, .colptr = q->colptr, .rowind = q->rowind}},
                     .y0 = q->y0, .p = q->p, .t1 = 5 * SHALLOW_WATER_UNIT};
    if (m != 40) return &q->q;
    q->q.samples = 12, q->q.sampled = at, q->q.sample = known;
    q->q.sensitivities = 12, q->q.dstate = dy;
    q->q.source =
        "explicit Runge-Kutta of order 8, relative tolerance 1e-13, steps of at most 4e-6; Rodas, steps of at most 5e-5, "
        "agrees to 2e-12 in the state and to 1e-10 of the largest derivative";
    q->q.rtol_ref = 1e-10;
    return &q->q;
}
