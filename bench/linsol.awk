# linsol.awk - result lines of linsol_bench in; a table of the patterns, with a column for each solver, and goals out: `auto`
# beside the best of the others that were tried with that pattern and method.

{
    for (i = 1; i <= NF; i++) { at = index($i, "="); v[substr($i, 1, at - 1)] = substr($i, at + 1) } # size=M=30
    size = v["size"]
    at = v["model"] (size == "-" ? "" : " " size) SUBSEP v["method"] SUBSEP v["rtol"]
    if (!(at in n)) order[++rows] = at
    n[at] = v["n"]
    if (!(v["linsol"] in column)) { column[v["linsol"]] = ++columns; name[columns] = v["linsol"] }
    if (v["linsol"] == "auto") used[at] = v["used"]
    if (v["status"] != 0) next
    keep(forward, at SUBSEP v["linsol"], v["forward_ms"] + 0)
    keep(gradient, at SUBSEP v["linsol"], v["gradient_ms"] + 0)
}

function keep(least, at, ms)
{
    if (!(at in least) || ms < least[at]) least[at] = ms
}

function table(title, ms,    r, c, k, x, best)
{
    printf "\n%-28s %6s %-8s %-6s %-8s", title, "n", "method", "rtol", "auto is"
    for (c = 1; c <= columns; c++) printf " %9s", name[c]
    printf " %9s\n", "auto/best"
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        printf "%-28s %6d %-8s %-6s %-8s", k[1], n[order[r]], k[2], k[3], used[order[r]]
        best = 0
        for (c = 1; c <= columns; c++) {
            x = order[r] SUBSEP name[c]
            printf " %9s", x in ms ? sprintf("%.1f", ms[x]) : "-"
            if (x in ms && name[c] != "auto" && (!best || ms[x] < best)) best = ms[x]
        }
        printf " %9.2f\n", ms[order[r] SUBSEP "auto"] / best
    }
}

function best_of(at, ms, without,    c, x, best)
{
    for (c = 1; c <= columns; c++) {
        x = at SUBSEP name[c]
        if (!(x in ms) || name[c] == "auto" || name[c] == without) continue
        if (!best || ms[x] < best) best = ms[x]
    }
    return best
}

END {
    table("forward run, ms", forward)
    table("with gradient, ms", gradient)
    print ""
    for (r = 1; r <= rows; r++) {
        at = order[r]
        split(at, k, SUBSEP)
        ratio = gradient[at SUBSEP "auto"] / best_of(at, gradient, "gmres")
        all = gradient[at SUBSEP "auto"] / best_of(at, gradient, "")
        printf "goal: %s, %s: auto (%s) within 1.2 times the best: %.2f of the best with a matrix, %.2f of all: %s\n", k[1], \
            k[2], used[at], ratio, all, all <= 1.2 ? "met" : "MISSED"
    }
}
