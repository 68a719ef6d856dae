#!/bin/sh
# The totals of kvis monitor COMMAND, for a command and its children, agree with getrusage(2) in the command.
# stdout and the exit status are those of the command, and elapsed_seconds ends with it.
# tier: quick asan
# timeout: 60
# needs: python3 strace
. "$TESTS/lib/lib.sh"
cat >prog.py <<'END'
import json, mmap, os, resource, time
def work(pages, sleeps):
    m = mmap.mmap(-1, pages * 4096)
    for i in range(pages):
        m[i * 4096] = 1
    for i in range(sleeps):
        time.sleep(0.0002)
child = os.fork()
work(10000, 200)
if not child:
    os._exit(0)
os.waitpid(child, 0)
both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps({"faults": sum(r.ru_minflt + r.ru_majflt for r in both),
                  "switches": sum(r.ru_nvcsw + r.ru_nivcsw for r in both), "cpu": sum(r.ru_utime + r.ru_stime for r in both)}),
      flush=True)
os._exit(3)
END
gives 3 monitor --json=json -o text -i 0.1 -- python3 prog.py
[ ! -s err ] || fail "a message"
python3 - out json text <<'END' || fail "the totals"
import json, re, sys
did = json.load(open(sys.argv[1]))
E = [json.loads(line) for line in open(sys.argv[2])]
got = E[-2]
text = {name: v for v, name in re.findall(r"^ *([0-9.]+)  (\w+)", open(sys.argv[3]).read(), re.M)}
print(did, got)
assert [e["type"] for e in E] == ["header"] + ["sample"] * (len(E) - 3) + ["totals", "summary"] and len(E) > 3
assert 20000 <= did["faults"] and abs(got["page_faults"] - did["faults"]) < 300
assert 400 <= got["context_switches"] and abs(got["context_switches"] - did["switches"]) < 100
assert abs(got["task_clock_seconds"] - did["cpu"]) <= 0.3 * did["cpu"] + 0.05
assert abs(got["user_seconds"] + got["system_seconds"] - did["cpu"]) <= 0.1 * did["cpu"] + 0.05
assert all(int(text[name]) == got[name] for name in ("page_faults", "context_switches", "migrations"))
# without a PMU: no number, but the reason
if not any("cycles" in e["pid"].get(str(got["pid"]), {}) for e in E[1:-2]):
    assert "cycles" not in got and re.search(r"n/a  (hardware counters|cycles): .*", open(sys.argv[3]).read())
END
# without -o, the totals are on stderr, and stdout is the command's; they are printed even if the command outlives -n
run monitor -i 0.01 -n 1 -- sh -c 'echo hello; sleep 0.2; exit 4'
status 4; eq "stdout" hello "$(cat out)"; has err '^kvis monitor: sh$'; has err ' task_clock_seconds$'
# elapsed_seconds ends with the command: it excludes the last sample, delayed by a second here
strace -qq -o /dev/null -P /proc/loadavg -e inject=?open,openat:delay_enter=1000000 "$KVIS" monitor -c load -- true 2>err
awk '$2 == "elapsed_seconds" { n = $1 < 1 } END { exit !n }' err || { cat err; fail "the last sample counts"; }
run monitor -- sh -c 'kill -TERM $$'; [ $st = 143 ] || fail "killed: $st"
run monitor -- /nosuch; status 127; hasnt err task_clock
run monitor --json -- true; status 2; has err 'stdout would also contain the output'
