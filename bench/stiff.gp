# stiff.gp - error against time for one problem, from a CSV of stiff.awk; called by bench/run with data, out, problem and what
# set.
set terminal svg size 900,600 font "sans,13" background "white"
set output out
set datafile separator ","
set logscale xy
set format y "10^{%L}"
set format x "%g"
set grid
set key outside right
set xlabel "time, ms"
set ylabel what
set title problem noenhanced
rows = "< awk -F, -v who='%s' -v problem='".problem."' '$2 == problem && $4 \"-\" $5 \"-\" $6 == who' '".data."'" # one curve
who = system("awk -F, -v problem='".problem."' '$2 == problem { print $4 \"-\" $5 \"-\" $6 }' '".data."' | awk '!seen[$0]++'")
plot for [w in who] sprintf(rows, w) using 7:8 with linespoints linewidth 1.5 title w
