# lines.awk - key=value lines of cost_bench, open_bench and the GLV programs in, a table with goals out. -v section=cost | memory
# | mechanism | threads | dsoa

function verdict(ok)
{
    return ok ? "met" : "MISSED"
}

function goal(what, measured, most)
{
    goals = goals sprintf("goal: %s: at most %g: %.2f: %s\n", what, most, measured, verdict(measured <= most))
}

{
    delete v
    for (i = 1; i <= NF; i++) { at = index($i, "="); v[substr($i, 1, at - 1)] = substr($i, at + 1) }
}

section == "cost" {
    if (!head++) printf "\n%-16s %-8s %-10s %7s %6s %6s %12s %12s %12s %9s %9s\n", "problem", "size", "method", "n", "np", \
        "steps", "forward, ms", \
        "gradient, ms", "hessian, ms", "/forward", "/gradient"
    gradient = v["gradient_ms"] / v["forward_ms"]; hessian = v["hessian_ms"] / v["gradient_ms"]
    printf "%-16s %-8s %-10s %7d %6d %6d %12.4f %12.4f %12.4f %9.2f %9.2f\n", v["problem"], v["size"], v["method"], v["n"], \
        v["np"], v["steps"], \
        v["forward_ms"], v["gradient_ms"], v["hessian_ms"], gradient, hessian
    what = v["problem"] " " v["method"]
    goal(what ", gradient over forward run", gradient, v["method"] ~ /^dopri/ ? 3 : 2.5)
    goal(what ", Hessian-vector product over gradient", hessian, 2.5)
}

# Two gradients, whose difference is a product, include two simulations, and a product one; where the gradient at the base
# point is there anyway, a difference costs one.
section == "dsoa" {
    if (!head++) printf "\n%-22s %-10s %-8s %-11s %6s %6s %6s %6s %9s %11s %9s %9s %9s %8s\n", "problem", "size", "method", \
        "adjoint by", "n", "np", "steps", "back", "off", "simulation", "/sim.", "/2 grad.", "/1 grad.", "two/one"
    product = v["product_ms"]
    printf "%-22s %-10s %-8s %-11s %6d %6d %6d %6d %9s %8.3f ms %9.2f %9.2f %9.2f %8.2f\n", v["problem"], v["size"], \
        v["method"], v["adjoint"], v["n"], v["np"], v["steps"], v["back"], v["off"], v["simulation_ms"], \
        product / v["simulation_ms"], \
        product / (2 * v["gradient_ms"]), product / v["gradient_ms"], v["two_ms"] / product
    what = v["problem"] " " v["size"] " " v["method"] " by " v["adjoint"]
    if (v["method"] !~ /^dopri/) {
        goal(what ", product over simulation", product / v["simulation_ms"], 2.5)
        goal(what ", product over two gradients", product / (2 * v["gradient_ms"]), 0.5)
        goal(what ", a second direction over the first", v["two_ms"] / product, 1.2)
    }
    if (v["size"] == "KNOTS=2000") goal(what ", product over simulation", product / v["simulation_ms"], 6)
}

section == "memory" && v["peer"] {
    if (!head++) printf "\nGLV, task b, MB\n%-10s %5s %10s %10s\n", "peer", "N", "peak", "result"
    printf "%-10s %5d %10.1f %10.1f\n", v["peer"], v["N"], v["peak_mb"], v["result_mb"]
}

# The run that keeps all stages says how much that is for a state and a step.
section == "memory" && v["problem"] {
    if (v["tier"] == "stages") each = v["trajectory_mb"] / (v["n"] * v["steps"])
    if (!other++) printf "\nOne gradient within memory=256M, MB; everything: what all stages of all steps would take\n%-16s " \
        "%9s %6s %-12s %11s %9s %11s %11s %11s\n", "problem", "n", "steps", "kept", \
        "recomputed", "s", "peak", "trajectory", "everything"
    printf "%-16s %9d %6d %-12s %11d %9.2f %11.1f %11.1f %11.1f\n", v["problem"], v["n"], v["steps"], v["tier"], \
        v["recomputed"], \
        v["gradient_ms"] / 1e3, v["peak_mb"], v["trajectory_mb"], each * v["n"] * v["steps"]
}

section == "mechanism" {
    if (!head++) printf "\n%-16s %9s %6s %6s %9s %10s %7s %8s %11s %10s %11s\n", "model", "n", "np", "order", "diff, s", \
        "compile, s", "cpu, s", \
        "clock, s", "memory, MB", "state, MB", "pattern, MB"
    printf "%-16s %9d %6d %6d %9.2f %10.2f %7.2f %8.2f %11.1f %10.1f %11.1f\n", v["model"], v["n"], v["np"], v["order"], \
        v["diff_s"], v["compile_s"], \
        v["cpu_s"], v["clock_s"], v["memory_mb"], v["state_mb"], v["pattern_mb"]
    if (v["np"] == 2000 && v["order"] == 1) goal("2,000 reactions differentiated and compiled, seconds", v["clock_s"], 20)
}

section == "threads" {
    at = v["case"] SUBSEP v["threads"]
    if (!(v["case"] in digest)) {
        digest[v["case"]] = v["digest"]
        same[v["case"]] = 1
        list[++cases] = v["case"]
        size[v["case"]] = v["size"]
    }
    if (digest[v["case"]] != v["digest"]) same[v["case"]] = 0
    if (!(at in ms) || v["ms"] + 0 < ms[at]) ms[at] = v["ms"] + 0
}

function threads(    c, name, gain)
{
    printf "\n%-12s %6s %12s %12s %6s %s\n", "case", "size", "1 thread, ms", "2, ms", "gain", "same bits with 1, 2, 3, 7"
    for (c = 1; c <= cases; c++) {
        name = list[c]; gain = ms[name, 1] / ms[name, 2]
        printf "%-12s %6d %12.3f %12.3f %6.2f %s\n", name, size[name], ms[name, 1], ms[name, 2], gain, same[name] ? "yes" : "NO"
        goals = goals sprintf("goal: %s: two threads at least 1.8 times as fast as one, same bits: %.2f: %s\n", name, gain, \
            verdict(gain >= 1.8 && same[name]))
    }
}

END { if (section == "threads") threads() }
END { if (goals) printf "\n%s", goals }
