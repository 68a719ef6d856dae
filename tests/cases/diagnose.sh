#!/bin/sh
# Each rule of kvis diagnose finds its fault in a machine made of files, ranks it first, names the process that causes it, and
# finds nothing below its threshold. The case also tests a command's exit status, and mistakes on the command line.
# tier: gate asan
# timeout: 300
# needs: python3 strace
. "$TESTS/lib/lib.sh"
"$TESTS/../gen/rules.sh" check 2>err || fail "gen/tables/rules.tbl"
LC_ALL=C.UTF-8 python3 "$TESTS/lib/diagnose.py" "$KVIS" "$TESTS/.." >out 2>err || fail "diagnose.py"
cat out >&9
# clock rates are read once, because that can take 10 ms for each CPU
strace -f -e trace=open,openat -o calls "$KVIS" diagnose -d 0.5 --path.rootfs="$PWD/now" -o text 2>err || fail "strace"
eq "clock rates of two CPUs" 2 "$(grep -c scaling_cur_freq calls)"
# what needs the busiest processes turns them on
run monitor -c locks --path.rootfs="$PWD/now" -n 2 -i 0.1 --json=json -o text; status 0; has json '"threads_locked":0'
# what statfs(2) says: a full file system, and one without inodes
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    mkdir full none over
    unshare -m sh -c 'mount -t tmpfs -o size=64k x full && mount -t tmpfs -o nr_inodes=2 x none || exit 77
        mount -t tmpfs -o size=1m x over && mkdir over/below && mount -t tmpfs -o size=2m x over/below
        mount -t tmpfs -o size=64k x over && mkdir over/below && cat /dev/zero >over/f 2>/dev/null
        cat /dev/zero >full/f 2>/dev/null; : >none/a; exec "$0" diagnose -d 0.1 --json' "$KVIS" >json 2>err
    st=$?
    # (another file system covers over/below)
    [ $st = 77 ] || want_json "sorted((f['rule'], c['mountpoint'].removeprefix('$PWD/')) for f in J['findings'] for c in f['culprits']
        if c.get('mountpoint', '').startswith('$PWD/')) == [('filesystem-full', 'full'), ('filesystem-full', 'over'), ('filesystem-inodes', 'none')]" json
fi
# the command
run diagnose -v -o text -- sh -c 'exit 3'; status 3; has text '^kvis diagnose: '; has text '^Not available:'
run diagnose -o text --json=json -- /nosuch; status 127
run diagnose -o text --json=json -- sh -c 'kill -TERM $$'; [ $st = 143 ] || fail "killed: $st"
run diagnose -d 0.1 -o text --json=json -- sh -c 'sleep 0.5; exit 4'; status 4
# thresholds: one that every machine crosses, one that none does, and mistakes
rule=limit-threads
run diagnose -d 0.1 --json=json -v -o text --threshold $rule=0%; status 0; has json '"rule":"limit-threads".*"threshold":0,'; has text 'threshold from: --threshold'
run diagnose -d 0.1 -v -o text --threshold=$rule=100%; hasnt text "rule: $rule"
for bad in "limit-thread=1%~did you mean limit-threads" "nosuch=1~kvis help findings" "limit-threads=3~such as 90 %" "memory-oom-kill=1~no threshold"; do
    run diagnose --threshold "${bad%~*}"; status 2; has err "${bad#*~}"
done
for bad in "-d 0" "-d x" "-d" "-p 0" "-p" "--report=/nosuch/x" "--nosuch" "-i 1" "-p 1 true"; do
    run diagnose $bad
    [ "$st" = 2 ] || [ "$st" = 125 ] || fail "$bad: exit $st"
    has err '^kvis: '; [ ! -s out ] || fail "$bad: something on stdout"
done
run diagnose -p 999999999 -d 0.1; status 125; has err 'no process 999999999'
