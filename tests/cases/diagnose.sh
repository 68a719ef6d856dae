#!/bin/sh
# kvis diagnose: each rule on a machine made of files that crosses its threshold, and on one that
# does not; who, files, hostile names; a process that waits; the command's exit status; what is wrong.
# tier: quick asan
# timeout: 120
# needs: python3
# covers: S1 S7
. "$TESTS/lib/lib.sh"
"$TESTS/../gen/rules.sh" check 2>err || fail "gen/rules.tbl"
python3 "$TESTS/lib/diagnose.py" "$KVIS" "$TESTS/.." >out 2>err || fail "diagnose.py"
cat out >&9
# three that want one CPU, of which each waits for most of the time
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
for k in 1 2 3; do
    taskset -c "$cpu" sh -c 'while :; do :; done' 9>&- & hogs="${hogs:-} $!"
done
run diagnose -d 1 -p $! --json --report=page.html
kill $hogs
status 0
[ ! -s /proc/self/schedstat ] || python3 - out $! <<'END' || fail "a process that waits for a CPU"
import json, sys
found = [f for f in json.load(open(sys.argv[1]))["findings"] if f["rule"] == "process-waits-for-cpu"]
sys.exit(not (found and found[0]["culprits"][0]["pid"] == int(sys.argv[2]) and found[0]["evidence"][0]["value"] > 0.1))
END
has page.html 'id="findings">{"kvis"'
# the command
run diagnose -v -o text -- sh -c 'exit 3'; status 3; has text '^kvis diagnose: '; has text '^Not seen:'
run diagnose -o text --json=json -- /nosuch; status 127
run diagnose -o text --json=json -- sh -c 'kill -TERM $$'; [ $st = 143 ] || fail "killed: $st"
run diagnose -d 0.1 -o text --json=json -- sh -c 'sleep 0.5; exit 4'; status 4
for bad in "-d 0" "-d x" "-d" "-p 0" "-p" "--report=/nosuch/x" "--nosuch" "-i 1" "-p 1 true"; do
    run diagnose $bad
    [ "$st" = 2 ] || [ "$st" = 125 ] || fail "$bad: exit $st"
    has err '^kvis: '; [ ! -s out ] || fail "$bad: something on stdout"
done
run diagnose -p 999999999 -d 0.1; status 125; has err 'no process 999999999'
