# events.awk - result lines of events_bench in; a table and goals out.

{
    for (i = 1; i <= NF; i++) { split($i, field, "="); v[field[1]] = field[2] }
    if (!heading++) {
        print "microseconds of a forward run for each event; steps, evaluations of f for each; derivatives over forward runs"
        printf "%-12s %-9s %7s %9s %7s %7s %9s %8s\n", "", "", "events", "forward", "steps", "f", "gradient", "Hessian"
    }
    printf "%-12s %-9s %7d %9.2f %7.1f %7.1f %9.2f %8.2f\n", v["problem"], v["method"], v["events"], v["forward"], v["steps"],
        v["rhs"], v["gradient"], v["hessian"]
    goal[++rows] = sprintf("goal: %s, %s, %d events: gradient at most 3.5 forward runs: %.2f: %s", v["problem"], v["method"],
        v["events"], v["gradient"], v["gradient"] <= 3.5 ? "met" : "MISSED")
}

END {
    print ""
    for (r = 1; r <= rows; r++) print goal[r]
}
