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
    watch --ring=8192 -- sh -c 'strace -ff -xx -y -s 9999 -o log -e trace='$OPENS' -- "$@" & wait $!' sh "$@"
    opens strace log
    say "$name: $(tail -n 1 differ)"
    cd ..
}

both sh sh -c 'i=0; while [ $i -lt 50 ]; do echo $i >f$i; cat f$i /nothere; i=$((i + 1)); done; ls -R . | sort | wc -l'
printf '#include <stdio.h>\n#include <pthread.h>\nint main(void) { return puts("hello") < 0; }\n' >h.c
both gcc gcc -O2 -o h ../h.c
for scene in calls names untouched procs; do both "s.$scene" "$BIN/opens" $scene; done
[ ! -x "$BIN/open32" ] || both i386 "$BIN/open32"

# Many opens: nothing is missing, or what is missing is counted and told. The first ring holds all of them, even if kvis does not
# run meanwhile. In the third round kvis is stopped, and the ring overflows.
many=$(some 20000 100000 20000)
all=$(some 8192 65536 8192)
for ring in $all 64 stop; do
    case $ring in
    stop) watch --ring=64 -- sh -c 'kill -STOP $PPID; "$1" '$many'; kill -CONT $PPID' sh "$BIN/loop" ;;
    *) watch --ring=$ring -- "$BIN/loop" $many ;;
    esac
    status 0
    want "len(by('open', name='/etc/passwd')) + len(by('open', name='/dev/zero')) + S['lost'] == $((many + 1))"
    lost=$(js "S['lost']")
    case $ring in
    "$all") eq "lost with a ring that holds them all" 0 "$lost" ;;
    stop) [ "$lost" -gt $((many / 10 * 9)) ] || fail "stopped, and only $lost lost" ;;
    esac
    eq "told of" "$lost" "$(sed -n 's/^kvis: \([0-9]*\) opens lost.*/\1/p' err | awk '{ n += $1 } END { print n + 0 }')"
    want "sum(e['count'] for e in by('lost')) == S['lost'] and S['events'] == $(grep -c '^[0-9]' rows)"
done
