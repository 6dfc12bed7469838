# dae.awk - result lines of the programs for differential-algebraic problems in; the best of the rounds as CSV (-v csv=FILE) and a
# table with ratios and goals out.

{
    for (i = 1; i <= NF; i++) { split($i, field, "="); v[field[1]] = field[2] }
    at = v["problem"] SUBSEP v["rtol"] SUBSEP v["peer"] SUBSEP v["method"] SUBSEP v["linsol"]
    if (!(at in gradient)) {
        order[++rows] = at
        gradient[at] = v["gradient_ms"] + 0
        forward[at] = v["forward_ms"] + 0
    }
    if (v["gradient_ms"] + 0 < gradient[at]) gradient[at] = v["gradient_ms"] + 0
    if (v["forward_ms"] + 0 < forward[at]) forward[at] = v["forward_ms"] + 0
    err[at] = v["err"] + 0; steps[at] = v["steps"] + 0; backward[at] = v["backward"] + 0
}

# Costate's fastest run with no larger error than `most`, as a row number
function fastest(problem, most,    r, k, best)
{
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        if (k[3] != "costate" || k[1] != problem || err[order[r]] > most) continue
        if (!best || gradient[order[r]] < gradient[order[best]]) best = r
    }
    return best
}

function verdict(ok)
{
    return ok ? "met" : "MISSED"
}

# Adjoint over forward run in DASPKADJOINT's paper (its tables 1 and 3, Pentium III), two objectives
function paper(problem)
{
    return problem == "heat_dae" ? "4.5" : problem == "food_web" ? "3.6 to 4.9" : ""
}

END {
    print "problem,rtol,peer,method,linsol,forward_ms,gradient_ms,err,steps,backward" >csv
    for (r = 1; r <= rows; r++) {
        a = order[r]
        split(a, k, SUBSEP)
        printf "%s,%s,%s,%s,%s,%.4f,%.4f,%.2e,%d,%d\n", k[1], k[2], k[3], k[4], k[5], forward[a], gradient[a], err[a], steps[a], \
            backward[a] >csv
        if (k[1] != last)
            printf "\n%-13s %-6s %-8s %-8s %-10s %11s %11s %9s %9s %6s %9s\n", k[1], "rtol", "peer", "method", "", "forward ms", \
                "gradient ms", "/forward", "err", "steps", "backward"
        last = k[1]
        printf "%-13s %-6s %-8s %-8s %-10s %11.4f %11.4f %9.2f %9.1e %6d %9s\n", "", k[2], k[3], k[4], k[5], forward[a], \
            gradient[a], gradient[a] / forward[a], err[a], steps[a], backward[a] ? backward[a] : "-"
    }
    print "\n/forward: gradient over forward run."
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        if (k[3] != "idas") continue
        least = k[1] ~ /^robertson/ ? 5 : 3
        what = sprintf("goal: %s, error %.1e of IDAS at rtol %s, %s: ", k[1], err[order[r]], k[2], k[5])
        b = fastest(k[1], err[order[r]])
        if (!b) { print what "no run is as accurate: MISSED"; continue }
        ratio = gradient[order[r]] / gradient[order[b]]
        split(order[b], kb, SUBSEP)
        printf "%s%s at rtol %s with %.1e is %.1f times as fast, at least %d: %s\n", what, kb[4], kb[2], err[order[b]], ratio, \
            least, \
            verdict(ratio >= least)
    }
    for (r = 1; r <= rows; r++) {
        a = order[r]
        split(a, k, SUBSEP)
        if (k[3] != "costate") continue
        cost = gradient[a] / forward[a]
        if (cost > worst[k[1], k[4]]) worst[k[1], k[4]] = cost
        if (!((k[1] SUBSEP k[4]) in seen)) names[++count] = k[1] SUBSEP k[4]
        seen[k[1] SUBSEP k[4]] = 1
    }
    for (i = 1; i <= count; i++) {
        split(names[i], k, SUBSEP)
        printf "goal: %s, %s: a gradient takes at most 3 forward runs: %.2f%s: %s\n", k[1], k[2], worst[names[i]], \
            paper(k[1]) ? " (DASPKADJOINT: " paper(k[1]) ")" : "", verdict(worst[names[i]] <= 3)
    }
}
