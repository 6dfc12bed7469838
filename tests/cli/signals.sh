# Ctrl-C: the program ends by the signal and leaves nothing behind, whatever it was doing.
. "$SOURCE/tests/cli/lib.sh"
set -m # background jobs are groups of their own
# What was ignored when a shell began stays ignored in its jobs, and SIGINT is where the tests themselves run in the background.
heeding='env --default-signal=INT'
export COSTATE_CACHE=$root/cache
lv=$models/lotka_volterra.c

# A compiler that says when it is at work, and then takes its time over it.
cat >slow-cc <<END
#!/bin/bash
for word; do case \$word in -E|--version|-v|-dumpversion|-print*) exec ${CC:-cc} "\$@" ;; esac; done
echo \$\$ >>'$root/compiling'
exec sleep 60
END
chmod +x slow-cc

wait_for() # FILE
{
    for _ in $(seq 600); do [ -s "$1" ] && return; sleep 0.05; done
    fail "$1 does not appear"
}

ended_by() # SIGNAL-NUMBER JOB WHAT
{
    wait "$2"
    local code=$?
    [ "$code" -eq $((128 + $1)) ] || fail "$3: exit status $code"
    [ -z "$(ls -A tmp)" ] || fail "$3: left in TMPDIR: $(ls -A tmp)"
    [ ! -e result ] && [ "$(echo result*)" = 'result*' ] || fail "$3: left of the result: $(echo result*)"
    [ ! -d cache ] || [ -z "$(find cache -name 'new-*')" ] || fail "$3: left in the cache: $(find cache -name 'new-*')"
}

# interrupt SIGNAL:TO WHAT: a gradient as soon as its compiler runs
interrupt()
{
    rm -rf compiling cache
    CC=$root/slow-cc $heeding "$COSTATE" gradient "$lv" -o result >out 2>err </dev/null &
    local job=$!
    wait_for compiling
    kill "-${1%:*}" -- "${1#*:}$job"
    ended_by "${1%:*}" $job "$2"
}

# While compilers run: to the program alone, or, as a terminal does it, to all.
for way in 2: 2:- 15:; do
    interrupt "$way" 'compiling'
    [ -z "$(find cache -type f 2>/dev/null)" ] || fail 'something in the cache'
    for compiler in $(cat compiling); do
        for _ in $(seq 100); do kill -0 "$compiler" 2>/dev/null || continue 2; sleep 0.05; done
        fail 'a compiler goes on'
    done
done

# A compiler that is gone before the signal arrives here.
sed -i 's/^exec sleep 60$/kill -2 $$/' slow-cc
CC=$root/slow-cc $heeding "$COSTATE" gradient "$lv" -o result >out 2>err </dev/null &
ended_by 2 $! 'a compiler that was interrupted'
silent out err

# Code that is compiled in the course of a run: the second unit, and those after it, take long.
cat >slow-cc <<END
#!/bin/bash
for word; do case \$word in -E|--version|-v|-dumpversion|-print*) exec ${CC:-cc} "\$@" ;; esac; done
grep -qs vjp_y "\${TMPDIR}"/unit*.c || exec ${CC:-cc} "\$@"
echo \$\$ >>'$root/compiling'
exec sleep 60
END
for way in 2: 2:- 15:; do interrupt "$way" 'compiling in a run'; done

# During a long run.
"$COSTATE" run "$own/oscillator.c" >out 2>err || fail 'the model does not run'
for arguments in 'run -o result' 'gradient --memory 64K --disk 100M -o result' 'run --format json' \
    'check --memory 64K --disk 100M' 'tangent --plot result.png' 'hessian --full -o result' \
    'compare --memory 64K --disk 100M --plot result.svg'; do
    # shellcheck disable=SC2086
    $heeding "$COSTATE" $arguments "$own/oscillator.c" --t1 1e9 --max-steps 1000000000000 >out 2>err </dev/null &
    job=$!
    sleep 1
    kill -2 -- -$job
    ended_by 2 $job "$arguments"
    silent out err
done

# While a figure is converted.
mkdir bin
printf '#!/bin/sh\necho $$ >"%s/converting"\nexec sleep 60\n' "$root" >bin/rsvg-convert
chmod +x bin/rsvg-convert
PATH=$root/bin:$PATH $heeding "$COSTATE" run "$own/oscillator.c" --plot result.png >out 2>err </dev/null &
job=$!
wait_for converting
kill -2 -- -$job
ended_by 2 $job 'converting'
