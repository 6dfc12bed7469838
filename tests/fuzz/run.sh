#!/bin/sh
# run.sh FUZZER SECONDS FOLDER: seeds FOLDER/corpus with the texts of the tests and fuzzes for so long. What crashes is left in
# FOLDER.
set -eu
fuzzer=$1 seconds=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder/corpus"
awk -v folder="$folder/corpus" '
    /^== / { if (file) close(file); file = folder "/accepted" ++n; printf "" > file; next }
    file   { sub(/^RHS/, "static void rhs(double t, const double *y, const double *p, double *f)"); print > file }' \
    "$here/../ad_accepted.txt"
awk -v folder="$folder/corpus" '
    /^```c$/ { file = folder "/refused" ++n; printf "" > file; next }
    /^```/   { if (file) close(file); file = ""; next }
    file     { print > file }' "$here/../ad_refused.md"
cd "$folder"
exec "$fuzzer" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -max_len=4000 \
    -dict="$here/c.dict" -print_final_stats=1 corpus
