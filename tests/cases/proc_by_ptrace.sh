#!/bin/sh
# Without BPF, kvis proc follows a command with ptrace, even as an ordinary user: its rows agree with those from BPF and with
# the program's own data, and it has the command's exit status. It refuses to watch the whole machine.
# tier: gate asan
# disk: it compares the bytes that commands read and write
# timeout: 120
# needs: root python3 setpriv prog:cmd prog:refuse
# covers: H13 E4 E13 P2 P33 P34
. "$TESTS/lib/proc.sh"
for_nobody
later='until [ -e over ]; do sleep 0.1; done; : >after' # kvis has ended by then

# kvis proc: what a program that runs others knows of them, as an ordinary user (who cannot reach a checkout of root's).
scenes="ends args chain threads ways"
$user test -x "$BIN/cmd" || { scenes=; say "nobody cannot reach $BIN"; }
for scene in $scenes; do
    mkdir -m 777 "proc-$scene"; cd "proc-$scene" || exit 1
    $user ../kvis-copy proc -x --forks --json=json -o rows -- "$BIN/cmd" $scene >facts 2>err </dev/null 9>&-; st=$?
    status 0
    has err '^kvis: tracing the command with ptrace, which stops the command at forks, .*CAP_BPF and CAP_PERFMON$'
    want "H['backend'] == 'ptrace' and S['lost'] == 0 and S['ends_unseen'] == 0"
    py want json facts >&9 || fail "proc by a user: $scene"
    cd ..
done
# The same commands by both: all that JSON has but times, what was used, and whose numbers they are.
cat >commands <<'END'
PATH=/usr/bin:/bin X='a b'; export PATH X
true a 'b  c' ''; (exec /bin/true x); (cd /; exec env true y)
sh -c 'exit 3'; sh -c 'kill -KILL $$'; sh -c 'kill -TERM $$'; env nowhere
echo x | cat | tr x y; sh -c 'exec sh -c "exec true last"'
printf '#!/bin/sh -e\nexit 9\n' >script; chmod +x script; ./script q
cp /bin/true gone; (exec ./gone) & wait
exit 4
END
cat >commands.py <<'END'
import json, sys
VARY = {"ts_ns", "pid", "ppid", "start_ns", "fork_ns", "start_realtime_ns", "duration_ns", "lifetime_ns", "max_rss_bytes",
        "cpu_ns", "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches",
        "read_bytes", "written_bytes"}
def rows(f):
    for line in open(f):
        e = json.loads(line)
        if e["type"] not in ("header", "summary"):
            yield str(sorted((k, str(v)) for k, v in e.items() if k not in VARY))
a, b = sorted(rows(sys.argv[1])), sorted(rows(sys.argv[2]))
for x in set(a) ^ set(b):
    print("only by", "BPF:" if x in a else "ptrace:", x)
sys.exit(a != b or len(a) < 20)
END
for backend in bpf ptrace; do
    run proc --backend=$backend --forks --live --env=X --json=$backend -o rows.$backend -w $backend.kvis -- sh commands; status 4
    want "H['backend'] == '$backend'" $backend
    run replay $backend.kvis --json=$backend.again
done
python3 commands.py bpf ptrace >&9 || fail "not the same commands by ptrace"
run diff --json=compared bpf.kvis ptrace.kvis
python3 - compared <<'END' >&9 || fail "diff counts otherwise"
import json, sys
d = json.load(open(sys.argv[1]))
# how many run at once is the scheduler's choice
keys = ("syscalls", "processes", "threads", "commands", "ended", "exited_nonzero", "killed")
a, b = ([d[run][k] for k in keys] for run in "ab")
print(a, b)
sys.exit(a != b or not d["a"]["commands"])
END
for key in commands forks failed running; do eq "$key" "$(js "S['$key']" bpf)" "$(js "S['$key']" ptrace)"; done
for key in processes commands events exit_code; do eq "replay: $key" "$(js "S['$key']" bpf.again)" "$(js "S['$key']" ptrace.again)"; done
want "all(e['cpu_ns'] > 0 and e['read_chars'] > 0 and 'voluntary_switches' not in e for e in by('command', end='exit'))" ptrace
want "all(e['max_rss_bytes'] > 0 for e in by('command', end='exit'))" ptrace
as_user proc -o rows.u -- sh -c 'kill -TERM $$'; status 143
as_user proc -o rows.u -- ./nothere; status 127
rm -f over after
as_user proc -o rows.u -d 1 -- sh -c "$later"; status 0
has rows.u ' running +- sh -c '
: >over
until_true 5 test -e after || fail "the command did not go on"
"$BIN/refuse" bpf,ptrace "$KVIS" proc -- touch ran >out 2>err 9>&-; st=$?; status 125
has err '^kvis: cannot trace the command'
[ ! -s out ] && [ ! -e ran ] || fail "it did more than refuse"
as_user proc -d 1; status 125
has err '^kvis: cannot watch processes: .*CAP_BPF'
run proc --backend=ptrace -p $$; status 2
has err '^kvis: --backend=ptrace needs a command'
