#!/usr/bin/env python3
"""Continuous extensions of cashkarp (order 5) and verner65 (order 6), as they stand in src/tableau/erk_tables.c.

The cubic Hermite polynomial of a step is extended by rows d_m (costate.h: costate_table). Row m has to meet, for every rooted
tree tau up to the order,  sum_i d_mi Phi_i(tau) = r_m(tau),  where  sum_m P_m(theta) r_m(tau)  is what the Hermite polynomial
lacks of theta^|tau| / gamma(tau): linear equations, solved here in fractions. Stages are added until they have a solution:
a stage at node c takes the extension of the order already reached, and so raises the order that is possible by one. Where the
row of a stage is not determined, it is the one with the least terms of the next order, rounded to simple fractions.

    tools/extension.py          prints the tables
"""
from collections import Counter
from fractions import Fraction as F
from math import factorial

SIMPLE = 5  # largest denominator of a free parameter


# ---- rooted trees: a tree is the tuple of its subtrees ---------------------------------------------------------------------

def forest(highest):
    trees = {1: [()]}
    for order in range(2, highest + 1):
        known = [(t, k) for k in range(1, order) for t in trees[k]]
        trees[order] = []

        def grow(left, last, tree):
            if left == 0:
                trees[order].append(tuple(tree))
            for j in range(last, -1, -1):
                if left and known[j][1] <= left:
                    grow(left - known[j][1], j, tree + [known[j][0]])
        grow(order - 1, len(known) - 1, [])
    return trees


TREES = forest(7)


def size(t):
    return 1 + sum(map(size, t))


def density(t):
    g = size(t)
    for u in t:
        g *= density(u)
    return g


def symmetry(t):
    s = 1
    for u, k in Counter(t).items():
        s *= factorial(k) * symmetry(u) ** k
    return s


def phis(a, highest):
    """Phi_i(tau) of all stages."""
    phi, branch = {}, {}
    for order in range(1, highest + 1):
        for t in TREES[order]:
            v = [F(1)] * len(a)
            for u in t:
                v = [x * y for x, y in zip(v, branch[u])]
            phi[t] = v
            branch[t] = [dot(row, v) for row in a]
    return phi


# ---- linear algebra in fractions -------------------------------------------------------------------------------------------

def dot(u, v):
    return sum((x * y for x, y in zip(u, v) if x and y), F(0))


def solve(rows, right):
    """Solutions for all right-hand sides (those that are free are 0) and the null space; None: there is none."""
    n, m, pivots = len(rows[0]), [list(r) + list(b) for r, b in zip(rows, right)], []
    for column in range(n):
        r = len(pivots)
        p = next((i for i in range(r, len(m)) if m[i][column]), None)
        if p is None:
            continue
        m[r], m[p] = m[p], m[r]
        m[r] = [x / m[r][column] for x in m[r]]
        for i in range(len(m)):
            if i != r and m[i][column]:
                m[i] = [x - m[i][column] * y for x, y in zip(m[i], m[r])]
        pivots.append(column)
    if any(x for row in m[len(pivots):] for x in row[n:]):
        return None
    solutions = [[F(0)] * n for _ in right[0]]
    for row, column in zip(m, pivots):
        for k, x in enumerate(solutions):
            x[column] = row[n + k]
    null = []
    for free in (c for c in range(n) if c not in pivots):
        v = [F(int(c == free)) for c in range(n)]
        for row, column in zip(m, pivots):
            v[column] = -row[free]
        null.append(v)
    return solutions, null


# ---- extensions ------------------------------------------------------------------------------------------------------------

def shape(m):
    """P_m / P_0 by powers of theta."""
    p = [F(1)]
    for k in range(m):
        up = [F(0)] + p
        p = up if k % 2 == 0 else [x - y for x, y in zip(p + [F(0)], up)]
    return p


def lacking(t, phi, b, rows):
    """r_0, r_1, ... of a tree."""
    end, first, last = dot(b, phi), phi[0], phi[len(b)]
    rest = [F(0), -first, -3 * end + 2 * first + last, 2 * end - first - last] + [F(0)] * 4
    rest[size(t)] += F(1, density(t))
    quotient = [F(0)] * 6  # by theta^2 (1 - theta)^2
    for k in range(7, 3, -1):
        quotient[k - 4] = x = rest[k]
        rest[k - 2] -= x
        rest[k - 1] += 2 * x
        rest[k] = F(0)
    assert not any(rest), "the end of the step is not of this order"
    r = [F(0)] * 6
    for m in range(5, -1, -1):
        p = shape(m)
        r[m] = quotient[m] / p[m]
        for k, x in enumerate(p):
            quotient[k] -= r[m] * x
    assert not any(r[rows:])
    return r[:rows]


def extension(a, b, order):
    phi = phis(a, order)
    trees = [t for o in range(1, order + 1) for t in TREES[o]]
    return solve([phi[t] for t in trees], [lacking(t, phi[t], b, order - 3) for t in trees])


def weights(a, b, d, theta):
    rest, w = 1 - theta, [F(0)] * len(a)
    for i, x in enumerate(b):
        w[i] = x * theta ** 2 * (3 - 2 * theta)
    w[0] += theta * rest ** 2
    w[len(b)] -= theta ** 2 * rest
    p = theta ** 2 * rest ** 2
    for m, row in enumerate(d):
        w = [x + p * y for x, y in zip(w, row)]
        p *= rest if m % 2 else theta
    return w


def stage(a, b, order, node):
    d, null = extension(a, b, order)
    w, phi, trees = weights(a, b, d, node), phis(a, order + 1), TREES[order + 1]
    error = [(dot(w, phi[t]) - node ** (order + 1) / density(t)) / symmetry(t) for t in trees]
    change = [[dot(v, phi[t]) / symmetry(t) for t in trees] for v in null]
    normal = [[dot(u, v) * (1 + F(int(u is v), 10 ** 9)) for v in change] for u in change]
    if null:
        for v, x in zip(null, solve(normal, [[-dot(u, error)] for u in change])[0][0]):
            w = [y + x.limit_denominator(SIMPLE) * z for y, z in zip(w, v)]
    return w


def extend(name, a, b, order, plan):
    s = len(b)
    a = [list(map(F, row)) + [F(0)] * (s + 1 - len(row)) for row in a] + [list(map(F, b)) + [F(0)]]
    b = list(map(F, b))
    for reached, nodes in plan:
        new = [stage(a, b, reached, F(c)) for c in nodes]
        a = [row + [F(0)] * len(new) for row in a + new]
    d, null = extension(a, b, order)
    assert not null
    show(f"{name}_dense_a", a[s + 1:], len(a))
    show(f"{name}_d", d, len(a))


def show(name, rows, columns):
    print(f"static const double {name}[{len(rows)}][{columns}] = {{")
    for row in rows:
        last = max(i for i, x in enumerate(row) if x)
        print("    {" + ", ".join(str(x) if x.denominator == 1 else f"{x.numerator}.0 / {x.denominator}"
                                  for x in row[:last + 1]) + "},")
    print("};")


extend("cashkarp",
       [[0], ["1/5"], ["3/40", "9/40"], ["3/10", "-9/10", "6/5"], ["-11/54", "5/2", "-70/27", "35/27"],
        ["1631/55296", "175/512", "575/13824", "44275/110592", "253/4096"]],
       ["37/378", 0, "250/621", "125/594", 0, "512/1771"], 5, [(4, ["1/5", "1/2"])])
extend("verner65",
       [[0], ["1/6"], ["4/75", "16/75"], ["5/6", "-8/3", "5/2"], ["-165/64", "55/6", "-425/64", "85/96"],
        ["12/5", "-8", "4015/612", "-11/36", "88/255"], ["-8263/15000", "124/75", "-643/680", "-81/250", "2484/10625", 0],
        ["3501/1720", "-300/43", "297275/52632", "-319/2322", "24068/84065", 0, "3850/26703"]],
       ["3/40", 0, "875/2244", "23/72", "264/1955", 0, "125/11592", "43/616"], 6, [(4, ["4/5"]), (5, ["1/5", "2/5", "3/5"])])
