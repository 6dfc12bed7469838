# table.awk - result lines of the GLV programs in; the best of the rounds as CSV (-v csv=FILE) and, unless quiet, a table out.

# One peer's two columns
function cell(at, peer)
{
    if (!((at, peer) in ms)) return sprintf(" %10s %8s", "-", "-")
    return sprintf(" %10.4f %8.1e", ms[at, peer], err[at, peer])
}

function ratio(x, y)
{
    return (x && y) ? sprintf(" %8.2f", x / y) : sprintf(" %8s", "-")
}

{
    for (i = 1; i <= NF; i++) { split($i, field, "="); v[field[1]] = field[2] }
    at = v["N"] SUBSEP v["task"] SUBSEP v["tol"]
    who = quiet ? v["peer"] "-" v["method"] : v["peer"]
    if (!(at in seen)) { seen[at] = 1; order[++cases] = at }
    if (!((at, who) in ms)) people[at] = people[at] " " who
    if (!((at, who) in ms) || v["ms"] + 0 < ms[at, who]) ms[at, who] = v["ms"] + 0
    err[at, who] = v["err"]; err_y[at, who] = v["err_y"]; steps[at, who] = v["steps"]; method[at, who] = v["method"]
}

END {
    print "N,task,tol,peer,method,ms,err,err_y,steps" >csv
    for (c = 1; c <= cases; c++) {
        split(order[c], key, SUBSEP)
        count = split(people[order[c]], list, " ")
        for (i = 1; i <= count; i++) {
            who = list[i]
            printf "%s,%s,%s,%s,%s,%.5f,%s,%s,%s\n", key[1], key[2], key[3], who, method[order[c], who], ms[order[c], who], \
                err[order[c], who], err_y[order[c], who], steps[order[c], who] >csv
        }
    }
    if (quiet) exit
    printf "\n%-4s %-4s %-6s %19s %19s %19s %19s %8s %8s %8s %8s\n", "N", "task", "tol", "costate ms, err", "petsc ms, err", \
        "cvodes ms, err", "floor ms, err", "petsc/", "cvodes/", "/floor", "per step"
    for (c = 1; c <= cases; c++) {
        at = order[c]
        split(at, key, SUBSEP)
        ours = ms[at, "costate"]
        printf "%-4s %-4s %-6s", key[1], key[2], key[3]
        printf "%s%s%s%s", cell(at, "costate"), cell(at, "petsc"), cell(at, "cvodes"), cell(at, "floor")
        printf "%s%s%s", ratio(ms[at, "petsc"], ours), ratio(ms[at, "cvodes"], ours), ratio(ours, ms[at, "floor"])
        print steps[at, "floor"] ? ratio(ours / steps[at, "costate"], ms[at, "floor"] / steps[at, "floor"]) : ratio(0, 0)
    }
    print "\npetsc/, cvodes/: their time over Costate's. /floor: Costate's time over the floor's, for the run and per step."
    goals()
}

function verdict(ok)
{
    return ok ? "met" : "MISSED"
}

# What Costate holds itself to: its time over the floor's, and PETSc's over its own at no larger error
function goals(    c, at, key, most, least, r)
{
    for (c = 1; c <= cases; c++) {
        at = order[c]
        split(at, key, SUBSEP)
        most = key[2] == "a" ? (key[1] == 10 ? 2.5 : 2) : key[1] >= 55 ? 2 : 0
        if (most && ms[at, "floor"]) {
            r = ms[at, "costate"] / ms[at, "floor"]
            printf "goal: N = %-3s task %s tol %s: at most %.1f times the floor: %.2f: %s\n", key[1], key[2], key[3], most, r, \
                verdict(r <= most)
        }
        least = key[2] == "b" ? (key[1] >= 55 ? 4.5 : 0) : key[1] == 10 ? 8 : key[1] == 200 ? 2 : 0
        if (!least || !ms[at, "petsc"]) continue
        r = ms[at, "petsc"] / ms[at, "costate"]
        printf "goal: N = %-3s task %s tol %s: %.1f times as fast as PETSc, no larger error: %.1f times, %.2f of its error: " \
            "%s\n", \
            key[1], key[2], key[3], least, r, err[at, "costate"] / err[at, "petsc"], \
            verdict(r >= least && err[at, "costate"] + 0 <= err[at, "petsc"] + 0)
    }
}
