#!/bin/sh
# kvis open and strace agree on the same processes in the same run: calls, names, flags, results and paths.
# tier: quick full
# timeout: 300
# needs: root strace python3 gcc prog:opens prog:loop
# covers: E12 P32
. "$TESTS/lib/open.sh"

both() { # both NAME CMD...: kvis follows strace and its tree; strace's own opens are not compared
    name=$1; shift
    mkdir "$name"; cd "$name" || exit 1
    say "$name: $*"
    watch --ring=8192 -- sh -c 'strace -f -xx -y -s 9999 -o log -e trace='$OPENS' -- "$@" & wait $!' sh "$@"
    python3 - log json >json.tree <<'P' || fail "$name: cannot pick strace's tracees"
import json, sys
pids = {int(l.split()[0]) for l in open(sys.argv[1], encoding="latin-1")}
for line in open(sys.argv[2]):
    e = json.loads(line)
    if e["type"] != "open" or e["tid"] in pids:
        sys.stdout.write(line)
P
    mv json.tree json
    opens strace log
    say "$name: $(tail -n 1 differ)"
    cd ..
}

both sh sh -c 'i=0; while [ $i -lt 50 ]; do echo $i >f$i; cat f$i /nothere; i=$((i + 1)); done; ls -R . | sort | wc -l'
printf '#include <stdio.h>\n#include <pthread.h>\nint main(void) { return puts("hello") < 0; }\n' >h.c
both gcc gcc -O2 -o h ../h.c
for scene in calls names untouched procs; do both "s.$scene" "$BIN/opens" $scene; done
[ ! -x "$BIN/open32" ] || both i386 "$BIN/open32"

# Many opens: nothing is missing, or what is missing is counted and told.
many=$(some 20000 100000 20000)
n=$((many + 1)) # and /dev/zero
# The first ring holds all of them, even if kvis does not run meanwhile. In the third round kvis is stopped, and the
# ring overflows.
all=$(some 8192 65536 8192)
for ring in $all 64 stop; do
    if [ $ring = stop ]; then
        watch --ring=64 -- sh -c 'kill -STOP $PPID; "$1" '$many'; kill -CONT $PPID' sh "$BIN/loop"
    else
        watch --ring=$ring -- "$BIN/loop" $many
    fi
    status 0
    grep -v '"/etc/ld.so.cache"\|libc.so\|"call":"execve"\|"comm":"sh"' json >own; mv own json
    opens counted $n
    say "ring $ring: $(cat differ)"
    lost=$(js "S['lost']")
    [ "$ring" != "$all" ] || eq "lost with a ring that holds them all" 0 "$lost"
    [ $ring != stop ] || [ "$lost" -gt $((many / 10 * 9)) ] || fail "stopped, and only $lost lost"
    [ "$lost" = 0 ] || has err "^kvis: [0-9]* opens lost"
    told=$(sed -n 's/^kvis: \([0-9]*\) opens lost.*/\1/p' err | awk '{ n += $1 } END { print n + 0 }')
    eq "told of" "$lost" "$told"
    eq "the events say so" "$lost" "$(js "sum(e['count'] for e in by('lost')) + 0")"
    eq "rows" "$(js "S['events']")" "$(grep -c '^[0-9]' rows)"
done
