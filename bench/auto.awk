# auto.awk - the lines of auto_bench as a table: time of each method in milliseconds, its error in tolerances, and the time of
# auto over that of the best of the others whose error is at most 30.
{
    for (i = 1; i <= NF; i++) { split($i, part, "="); v[part[1]] = part[2] }
    key = v["model"] " " v["size"] " " v["rtol"]
    if (key != last) { printf "%s%-22s %6s", (NR > 1 ? "\n" : ""), v["model"], v["rtol"]; best = 0; last = key }
    good = v["status"] == 0 && v["error"] <= 30 * v["rtol"]
    name = v["method"] == "auto" ? "auto: " v["used"] : v["method"]
    if (v["status"] == 0) printf "  %s %.4g (%.2g)", name, v["ms"], v["error"] / v["rtol"]
    else printf "  %s fails", v["method"]
    if (v["method"] != "auto" && good && (!best || v["ms"] < best)) best = v["ms"]
    if (v["method"] == "auto" && v["status"] == 0 && best) printf "  x %.2f", v["ms"] / best
}
END { print "" }
