# stiff.awk - result lines of the programs for stiff problems in; the best of the rounds as CSV (-v csv=FILE) and a table with
# ratios and goals out. -v section=cbm4 | small | forward | shallow

{
    for (i = 1; i <= NF; i++) { split($i, field, "="); v[field[1]] = field[2] }
    group = v["problem"] SUBSEP v["rtol"]
    at = v["task"] SUBSEP group SUBSEP v["peer"] SUBSEP v["method"] SUBSEP v["linsol"]
    if (!(at in ms)) {
        order[++rows] = at
        ms[at] = v["ms"] + 0
    }
    if (v["ms"] + 0 < ms[at]) ms[at] = v["ms"] + 0
    err[at] = v["err"] + 0; err_y[at] = v["err_y"] + 0
    counts[at] = v["steps"] "," v["rejected"] "," v["rhs"] "," v["jac"] "," v["factor"] "," v["solve"]
}

END {
    print "task,problem,rtol,peer,method,linsol,ms,err,err_y,steps,rejected,rhs,jac,factor,solve" >csv
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        printf "%s,%s,%s,%s,%s,%s,%.4f,%.2e,%.2e,%s\n", k[1], k[2], k[3], k[4], k[5], k[6], ms[order[r]], err[order[r]], \
            err_y[order[r]], \
            counts[order[r]] >csv
    }
    if (section == "shallow") shallow()
    else {
        runs()
        if (section != "cbm4") same_error(section == "small" ? 10 : 1)
        if (section != "forward") same_tolerance()
    }
}

# Every run of a problem, with CVODES's time over Costate's at the same tolerance
function runs(    r, k, c, last, group)
{
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        group = k[2] SUBSEP k[3]
        if (k[2] != last)
            printf "\n%-14s %-6s %-8s %-10s %-8s %11s %9s %7s %7s %5s %7s %6s %7s %7s %8s\n", k[2], "rtol", "peer", "method", \
                "linsol", "ms", \
                "err", "steps", "us/step", "rej", "rhs", "jac", "factor", "solve", "cvodes/"
        last = k[2]
        split(counts[order[r]], c, ",")
        if (k[4] == "cvodes" && (!(group in peer_ms) || ms[order[r]] < peer_ms[group])) peer_ms[group] = ms[order[r]]
        printf "%-14s %-6s %-8s %-10s %-8s %11.4f %9.1e %7d %7.2f %5d %7d %6d %7d %7d %8s\n", "", k[3], k[4], k[5], k[6], \
            ms[order[r]], err[order[r]], \
            c[1], 1e3 * ms[order[r]] / c[1], c[2], c[3], c[4], c[5], c[6], \
                k[4] == "costate" && group in peer_ms ? sprintf("%.2f", peer_ms[group] / ms[order[r]]) : "-"
    }
    print "\ncvodes/: the time of CVODES's faster solver over this one's, at the same tolerance."
}

# Costate's fastest run that passes, as a row number: at the same tolerance, or (rtol "") at any; with no larger error than `most`
function fastest(problem, rtol, most,    r, k, best)
{
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        if (k[4] != "costate" || k[2] != problem || (rtol && k[3] != rtol) || err[order[r]] > most) continue
        if (!best || ms[order[r]] < ms[order[best]]) best = r
    }
    return best
}

function verdict(ok)
{
    return ok ? "met" : "MISSED"
}

function factors(linsol)
{
    return linsol == "-" ? "" : " with " linsol " factors"
}

# CVODES's runs, each against Costate's fastest with the same tolerance and no larger error: goals of cbm4, figures of small
function same_tolerance(    r, k, b, least, ratio, what)
{
    least["1e-03"] = 4; least["1e-06"] = 2
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        if (k[4] != "cvodes" || (section == "cbm4" && !(k[3] in least))) continue
        what = sprintf("%s: %s rtol %s: ", section == "cbm4" ? "goal" : "at the same rtol", k[2], k[3])
        b = fastest(k[2], k[3], err[order[r]])
        if (!b) { print what "no run has an error as small as that of CVODES" (section == "cbm4" ? ": MISSED" : ""); continue }
        ratio = ms[order[r]] / ms[order[b]]
        if (section == "cbm4")
            printf "%s%d times as fast as CVODES%s, no larger error: %.1f times, %.3f of its error: %s\n", what, least[k[3]], \
                factors(k[6]), ratio, err[order[b]] / err[order[r]], verdict(ratio >= least[k[3]])
        else {
            split(order[b], k, SUBSEP)
            printf "%s%s is %.1f times as fast as CVODES, with %.2g of its error\n", what, k[5], ratio, \
                err[order[b]] / err[order[r]]
        }
    }
}

# CVODES's runs, each against Costate's fastest with no larger error, whatever its method and tolerance: what a user compares
function same_error(least,    r, k, b, kb, ratio, what)
{
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        if (k[4] != "cvodes") continue
        b = fastest(k[2], "", err[order[r]])
        what = sprintf("goal: %s, error %.1e of CVODES at rtol %s%s: ", k[2], err[order[r]], k[3], factors(k[6]))
        if (!b) { print what "no run is as accurate: MISSED"; continue }
        ratio = ms[order[r]] / ms[order[b]]
        split(order[b], kb, SUBSEP)
        printf "%s%s at rtol %s with %.1e is %.1f times as fast, at least %d: %s\n", what, kb[5], kb[3], err[order[b]], ratio, \
            least, \
            verdict(ratio >= least)
    }
}

# CPU seconds of FATODE with UMFPACK, rtol = atol = 1e-6, measured on a machine of the kind this is developed on. FATODE is not
# run here.
function fatode_rows()
{
    fatode["rodas4", "forward"] = 12.6; fatode["rodas4", "tangent"] = 98.8; fatode["rodas4", "adjoint"] = 111
    fatode["lobatto3c", "forward"] = 6.1; fatode["lobatto3c", "tangent"] = 55.6; fatode["lobatto3c", "adjoint"] = 40.8
    fatode["sdirk4a", "forward"] = 5.0; fatode["sdirk4a", "tangent"] = 43.6; fatode["sdirk4a", "adjoint"] = 51.3
}

function shallow(    r, k, c, own, f)
{
    fatode_rows()
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        if (k[1] == "forward") own[k[5], k[6]] = ms[order[r]]
    }
    printf "\n%-10s %-8s %-8s %9s %9s %7s %7s %9s %9s\n", "method", "linsol", "task", "s", "err", "factor", "solve", \
        "/forward", "FATODE/"
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        split(counts[order[r]], c, ",")
        f = ms[order[r]] / own[k[5], k[6]]
        printf "%-10s %-8s %-8s %9.3f %9.1e %7d %7d %9.2f %9.1f\n", k[5], k[6], k[1], ms[order[r]] / 1e3, err[order[r]], c[5], \
            c[6], f, \
            1e3 * fatode[k[5], k[1]] / ms[order[r]]
    }
    print "\n/forward: over the own forward run's. FATODE/: FATODE's time, with UMFPACK and on another machine of this kind, " \
        "over this one's."
    for (r = 1; r <= rows; r++) {
        split(order[r], k, SUBSEP)
        if (k[1] == "forward" || k[6] == "gmres") continue
        f = ms[order[r]] / own[k[5], k[6]]
        printf "goal: %s %s with %s: at most 2.5 forward runs: %.2f, at least 5 times as fast as FATODE: %.1f: %s\n", k[5], \
            k[1], k[6], f, \
            1e3 * fatode[k[5], k[1]] / ms[order[r]], verdict(f <= 2.5 && 1e3 * fatode[k[5], k[1]] / ms[order[r]] >= 5)
    }
}
