#!/bin/sh
# kvis open shows every way to open a file: call, name, flags, mode, result and path. What is missing because it was too much is
# counted.
# tier: quick full asan
# timeout: 300
# needs: root python3 prog:opens prog:loop
. "$TESTS/lib/open.sh"
for watched in "" --backend=ptrace; do
    for scene in calls names untouched threads procs roots deep longnames; do facts $scene $watched; done
done
facts rewritten
facts waits
hasnt waits/rows "$(printf '\033')"
if [ -x "$BIN/i386" ]; then
    gives 32 open --json=json -o rows -- "$BIN/i386"
    want "[(e['call'], e.get('name'), e.get('fd', e.get('error'))) for e in by('open', abi='i386')] == [('open', 'open32', 3), \
        ('openat', 'openat32', 4), ('creat', 'creat32', 5), ('openat2', 'openat232', 'EINVAL'), ('open_by_handle_at', None, 'EFAULT'), \
        ('open', None, 'EFAULT'), ('open', 'nothere32', 'ENOENT'), ('open', 'made32', 6)]"
    want "[e.get('path') for e in by('open', abi='i386')][:3] == ['$PWD/open32', '$PWD/openat32', '$PWD/creat32']"
    want "[(e.get('flags'), e.get('mode')) for e in by('open', abi='i386')][:2] == [('O_RDWR|O_CREAT', 0o640), ('O_WRONLY|O_CREAT', 0o600)]"
fi

# More concurrent opens than the probe's map holds: counted and reported.
facts full --ring=8192
[ $st = 77 ] || has full/err '^kvis: [0-9]+ opens lost: too many in progress at once'

# Many opens: none is missing, or the missing ones are counted and reported. The first ring holds all of them, even if kvis does
# not run meanwhile. In the third round kvis is stopped, and the ring overflows.
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
