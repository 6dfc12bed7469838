# bdf.awk - result lines of the programs for stiff problems in, CVODES and Costate with bdf; a table and goals out. The error of a
# gradient is the larger one of its two parts, by parameters and by initial values, each relative to its largest entry.

{
    for (i = 1; i <= NF; i++) { split($i, field, "="); v[field[1]] = field[2] }
    at = v["problem"] SUBSEP v["task"] SUBSEP v["peer"] SUBSEP v["rtol"]
    if (!(at in ms)) { order[++rows] = at; ms[at] = v["ms"] + 0 }
    if (v["ms"] + 0 < ms[at]) ms[at] = v["ms"] + 0
    err[at] = v["err"] + 0
    if (v["task"] == "gradient" && v["err_dy"] + 0 > err[at]) err[at] = v["err_dy"] + 0
    steps[at] = v["steps"]; factor[at] = v["factor"]; solve[at] = v["solve"]
}

END {
    printf "\n%-12s %-9s %-8s %-6s %9s %9s %7s %7s %7s\n", "problem", "task", "peer", "rtol", "ms", "err", "steps", \
        "factor", "solve"
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        printf "%-12s %-9s %-8s %-6s %9.1f %9.1e %7d %7d %7d\n", k[1], k[2], k[3], k[4], ms[order[r]], err[order[r]], \
            steps[order[r]], factor[order[r]], solve[order[r]]
    }
    print ""
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        if (k[3] != "cvodes") continue
        best = ""
        for (o = 1; o <= rows; o++) {
            split(order[o], own, SUBSEP)
            if (own[3] == "cvodes" || own[1] != k[1] || own[2] != k[2] || err[order[o]] > err[order[r]]) continue
            if (best == "" || ms[order[o]] < ms[best]) { best = order[o]; tol = own[4] }
        }
        least = k[2] == "gradient" ? 3 : 1
        if (best == "") {
            printf "goal: %s, %s of CVODES at rtol %s: no run is as accurate: MISSED\n", k[1], k[2], k[4]
            continue
        }
        ratio = ms[order[r]] / ms[best]
        printf "goal: %s, %s, error %.1e of CVODES at rtol %s: bdf at rtol %s with %.1e is %.1f times as fast, " \
            "at least %d: %s\n", k[1], k[2], err[order[r]], k[4], tol, err[best], \
            ratio, least, (ratio >= least) ? "met" : "MISSED"
    }
}
