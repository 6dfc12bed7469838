# precision.gp - error against time from precision.csv; called by bench/run with data, out and n set.
set terminal svg size 900,600 font "sans,13" background "white"
set output out
set datafile separator ","
set logscale xy
set format y "10^{%L}"
set format x "%g"
set grid
set key outside right
set xlabel "time, ms"
set ylabel "largest error of the gradient"
set title sprintf("GLV(%d), gradient of one objective, rtol = atol = 1e-4 .. 1e-12", n)
rows = "< awk -F, -v who='%s' '$4 == who' '".data."'" # one curve: the lines of one program and method
who = system("tail -n +2 '".data."' | cut -d, -f4 | awk '!seen[$0]++'")
plot for [w in who] sprintf(rows, w) using 6:7 with linespoints linewidth 1.5 title w
