#!/bin/sh
# The output of kvis proc has the formats that workflow-telemetry-action and users of execsnoop and exitsnoop expect.
# tier: gate asan
# timeout: 60
# needs: root python3
. "$TESTS/lib/lib.sh"
uid=$((20000 + $$ % 40000)) # nobody else's
work='sleep 0.05; (exit 3); /bin/true "$1" "" x; sh -c "exit 7"; sh -c "kill -TERM \$\$"; exec /bin/echo end'
evil=$(printf 'title: \033[2J\n%%%%<b>;"#&\t\377click')

# Each line is one CompletedCommand: src/procTraceParser.ts of borissmidt's fork of workflow-telemetry-action loses the whole report at
# a line without a string `name` or an array `args`, or with an invalid number.
cat >completed.py <<'END'
import json, sys, time
KINDS = {int: "uid pid ppid startTimeNs durationNs exitCode".split(), str: ["name", "fileName"], list: ["args"]}
*lines, rest = open(sys.argv[1], encoding="utf-8").read().split("\n")
assert not rest, "the last line has no end"
for e in map(json.loads, lines):
    assert all(type(e.get(k)) is kind for kind, keys in KINDS.items() for k in keys), e
    assert min(e[k] for k in KINDS[int]) >= 0 and e["name"] and e["args"] and all(type(a) is str for a in e["args"]), e
    assert abs(e["startTimeNs"] / 1e9 - time.time()) < 3600 and ("signal" not in e or e["exitCode"] > 128), e
print(len(lines))
END
gives 0 proc --format json --output done.json -- sh -c "$work" sh "$evil"
eq "lines of the completed commands" 6 "$(python3 completed.py done.json)"
has done.json '"exitCode":143,"signal":"SIGTERM"'
has done.json '"name":"sh".*"args":\["sh","-c","exit 7"\],"durationNs":[0-9]+,"exitCode":7'
hasnt done.json '"type"'
# Each line is there when the process has ended, and SIGINT ends the file with a whole line.
"$KVIS" proc -f json -o live.json -u $uid >out 2>err 9>&- &
kvis=$!
setpriv --reuid $uid /bin/true || skip "no setpriv"
one() { setpriv --reuid $uid /bin/true one; grep -q '"one"' live.json; } # till kvis has begun
until_true 5 one || fail "not written while kvis runs"
setpriv --reuid $uid /bin/true two
until_true 5 grep -q '"two"' live.json || fail "the last one is not written"
finish INT; status 0
python3 completed.py live.json >&9 || fail "live.json"
has live.json "\"uid\":$uid.*\"two\""

# The chart, as https://mermaid.js.org/syntax/gantt.html has it: what would end a name is written as #CODE;.
gives 0 proc --gantt=chart.mmd --json=json -o text -- sh -c "$work" title "$evil"
python3 - >&9 2>&1 <<'END' || fail "the chart"
import json, re
chart, shown = open("chart.mmd").read(), open("text", encoding="utf-8").read()
assert chart.startswith("gantt\n\ttitle Commands\n\tdateFormat x\n\taxisFormat %M:%S.%L\n"), chart
names = re.findall(r"^\S+ (\d+) +\d+ +\d+ +\S+ +\S+ +(?:\S+ [KMG]B|-) (.*)$", shown, re.M)
rows = [e for e in map(json.loads, open("json")) if e["type"] == "command"]
bars = [(e["pid"], e["end"] == "signal" or bool(e["exit_code"]), e["start_realtime_ns"] // 10**6,
         (e["start_realtime_ns"] + e["duration_ns"]) // 10**6) for e in rows]
got = []
for pid, name, crit, begin, end in re.findall(r"^\t\[(\d+)\] ([ -~]*) : (crit, )?(\d{13}), (\d{13})$", chart, re.M):
    assert not re.search('[:;%<>"#&]', re.sub(r"#\d+;", "", name)), name
    plain = re.sub(r"#(\d+);", lambda m: chr(int(m[1])), name)
    want = [command if len(command) < 80 else command[:76] + "..." for p, command in names if p == pid]
    assert plain in want, (plain, want)
    got.append((int(pid), bool(crit), int(begin), int(end)))
assert sorted(got) == sorted(bars) and len(got) == chart.count("\n") - 4 == 6 and sum(g[1] for g in got) == 2, (got, bars)
END

# Time zero is the command's exec, not kvis's start: it is not before the start of the command's process, which is known in ticks of 10 ms.
for how in trace "proc -o rows" "open -o rows"; do
    run $how --json=json -- sh -c 'cat /proc/$$/stat'
    want "H['start_realtime_ns'] - (__import__('time').time_ns() - __import__('time').clock_gettime_ns(7)) >= $(sed 's/.*) //' out | cut -d ' ' -f 20) * 10**7"
done

# Quoting: what text shows, a shell reads back.
run proc -o text -- /bin/echo 'a b' "it's" '' '$x' plain-1.0 "$(printf 'n\nl')"
has text " /bin/echo 'a b' \\$'it\\\\'s' '' '\\\$x' plain-1.0 \\$'n\\\\nl'\$"
line=$(sed -n 's,^.* /bin/echo,/bin/echo,p' text)
eq "read back" "$(printf "a b it's  \$x plain-1.0 n\nl")" "$(bash -c "$line")"

# bcc's columns.
ln -s "$KVIS" execsnoop
ln -s "$KVIS" exitsnoop
./execsnoop -T -t -U -x -u $uid >exec.out 2>err 9>&- &
a=$!
./exitsnoop -t -u $uid >exit.out 2>err 9>&- &
b=$!
until_true 5 test -s exec.out && until_true 5 test -s exit.out || fail "no header"
begun() { setpriv --reuid $uid /bin/true; has_lines exec.out ' true ' 1 && has_lines exit.out ' *true ' 1; } # both have begun
until_true 5 begun || fail "nothing is shown"
setpriv --reuid $uid sh -c 'sleep 0.3; sh -c "exit 4"; env nowhere; kill -SEGV $$' 2>/dev/null
until_true 5 has_lines exit.out ' signal 11 ' 1 && until_true 5 has_lines exec.out ' nowhere$' 1 || fail "the last one is not shown"
kill -INT $a $b
wait $a || fail "execsnoop: $?"
wait $b || fail "exitsnoop: $?"
eq "header" "TIME      TIME(s)  UID    PCOMM            PID    PPID   RET ARGS" "$(head -n 1 exec.out)"
has exec.out '^[0-9:]{8}  [0-9]+\.[0-9]{3} +'"$uid"'  sh +[0-9]+ +[0-9]+ +  0 sh -c exit 4$'
has exec.out ' env +[0-9]+ +[0-9]+ + -2 nowhere$'
eq "header" "TIME(s)  PCOMM            PID     PPID    TID     AGE(s)  EXIT_CODE" "$(head -n 1 exit.out)"
has exit.out '^[0-9:]{8} sh +([0-9]+) +[0-9]+ +\1 +[0-9]+\.[0-9]{2} +code 4$'
has exit.out ' env .* code 12[67]$'
has exit.out ' sleep +[0-9]+ +[0-9]+ +[0-9]+ +(0\.[3-9]|[1-9][0-9]*\.)[0-9]+ +0$' # the age
has exit.out ' signal 11 \(SEGV\)(, core dumped)?$'
# -x: processes that failed, and nothing about execs
gives 3 exitsnoop -x -- sh -c 'env nowhere; /bin/true; exit 3'
eq "exitsnoop -x" "code 127 code 3" "$(sed -n 's/.* \(code [0-9]*\)$/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
has err ' of CPU; 2 failed$'
