#!/bin/sh
# Without BPF, kvis open and kvis proc follow a command with ptrace, even as an ordinary user: the same rows as with BPF, the same
# filters, and the command's exit status. They refuse to watch the whole machine.
# tier: gate asan
# disk: it compares the bytes that commands read and write
# timeout: 150
# needs: root python3 setpriv unshare prog:cmd prog:refuse
. "$TESTS/lib/open.sh"
for_nobody
works_so() { # works_so REGEX: one line on stderr says that it is by ptrace, what that costs, and why
    eq "kvis's lines" 1 "$(grep -c '^kvis: [^0-9]' err)" # proc: and how many commands there were
    has err "^kvis: tracing the command with ptrace, which stops the command at .*: .*$1"
}
cat >same.py <<'END' # the rows without times, numbers, what was used, and whose numbers they are
import json, sys
VARY = """ts_ns pid ppid tid child_pid exit_pid start_ns fork_ns start_realtime_ns duration_ns lifetime_ns max_rss_bytes cpu_ns minor_faults
    major_faults voluntary_switches involuntary_switches read_bytes written_bytes bytes_read
    bytes_written path_from uid""".split()
def rows(f):
    for line in open(f):
        e = json.loads(line)
        if e["type"] not in ("header", "summary") and e.get("comm") != "setpriv":
            thread = e.get("tid", e["pid"]) != e["pid"] # threads run in any order, which decides on their descriptors
            yield str((thread, sorted((k, str(v)) for k, v in e.items() if k not in VARY and not (thread and k == "fd"))))
a, b = (sorted(rows(f)) for f in sys.argv[1:3])
for x in set(a) ^ set(b):
    print("only in", sys.argv[1 if x in a else 2], x)
sys.exit(a != b or len(a) < int(sys.argv[3]))
END

# kvis open
cat >job <<'END'
cd -P ./d # -P: chdir(2) by that name, because a user may not reach the absolute path
cat rel ./rel ../job nothere "$(printf 'odd\033\n')" >/dev/null
(cd /; cat etc/group; exec cat etc/passwd) >/dev/null
echo x >made; echo y >>made
cat </nosuch
PATH=/usr/bin:/bin python3 -ISB - <<'P'
import os, threading
def f(n):
    for k in range(20):
        os.close(os.open(f"t{n}.{k}", os.O_RDWR | os.O_CREAT, 0o640))
ts = [threading.Thread(target=f, args=[n]) for n in range(4)]
[t.start() for t in ts], [t.join() for t in ts]
if not os.fork():
    os.close(os.open("forked", os.O_WRONLY | os.O_CREAT, 0o600))
    os._exit(0)
os.wait()
d = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
os.chdir("/")
os.close(os.open("made", os.O_RDONLY, dir_fd=d))
os.mkdir("gone", dir_fd=d)
g = os.open("gone", os.O_RDONLY, dir_fd=d)
os.rmdir("gone", dir_fd=d)
try:
    os.open("x", os.O_RDONLY, dir_fd=g)
except OSError:
    pass
P
exit 7
END
again() { rm -rf d; mkdir -m 777 d; echo x >d/rel; chmod 666 d/rel; }
text() { tail -n +2 "$1" | cut -c8- | sed '/ t[0-3]\.[0-9]*$/s/ [0-9][0-9]* /   /' | sort; } # threads: fds in any order
for backend in bpf ptrace; do
    again; run open -o rows.$backend --json=$backend --backend=$backend -- sh job; status 7
    want "H['backend'] == '$backend' and S['lost'] == 0 and S['events'] == len(by('open'))" $backend
    hasnt err '^kvis: '
done
python3 same.py bpf ptrace 100 >&9 || fail "not the same rows by ptrace"
eq "rows of text" "$(text rows.bpf)" "$(text rows.ptrace)"
again; as_user open -o rows.u --json=json -- sh job; status 7
works_so 'CAP_BPF and CAP_PERFMON'
want "H['backend'] == 'ptrace' and {e['uid'] for e in by('open')} == {65534}"
python3 same.py bpf json 100 >&9 || fail "not the same rows as a user"
want "[e['path'] for e in by('open', name='x')] == ['$PWD/d/gone/x']"
# Each filter leaves the same rows as the probe's.
sed '/python3/,$d' job >light
for filter in -x "-f O_RDONLY" "-f O_APPEND -f O_WRONLY" "-n ca" "-u 5" --no-exec "-P $PWD/d"; do
    for backend in bpf ptrace; do
        again; run open -o rows --json=$backend --backend=$backend $filter -- sh light; status 2
        js "S['events'], sorted((e['comm'], e['call'], e['path'], e.get('error')) for e in by('open'))" $backend >rows.$backend
    done
    diff rows.bpf rows.ptrace >&9 || fail "$filter: other rows"
done
# Directories inside and outside of a new root directory (chroot needs root).
run open -F -o rows --backend=ptrace -- python3 -c '
import os
top = os.open("/", os.O_RDONLY); os.chroot("."); os.chdir("d")
os.open("made", os.O_RDONLY); os.open("etc/passwd", os.O_RDONLY, dir_fd=top)'
status 0
has rows ' /d/made$'
has rows ' \(unreachable\)/etc/passwd$'

# kvis proc as an ordinary user (who may be unable to reach the checkout): cmd.c prints what it knows about its children
scenes="ends args chain threads ways"
$user test -x "$BIN/cmd" || { scenes=; say "nobody cannot reach $BIN"; }
for scene in $scenes; do
    mkdir -m 777 "proc-$scene"; cd "proc-$scene" || exit 1
    $user ../kvis-copy proc -x --forks --json=json -o rows -- "$BIN/cmd" $scene >facts 2>err </dev/null 9>&-; st=$?
    status 0
    works_so 'CAP_BPF and CAP_PERFMON'
    want "H['backend'] == 'ptrace' and S['lost'] == 0 and S['ends_unseen'] == 0"
    py want json facts >&9 || fail "proc by a user: $scene"
    cd ..
done
# The same commands by both.
cat >commands <<'END'
PATH=/usr/bin:/bin X='a b'; export PATH X
true a 'b  c' ''; (exec /bin/true x); (cd /; exec env true y)
sh -c 'exit 3'; sh -c 'kill -KILL $$'; sh -c 'kill -TERM $$'; env nowhere
echo x | cat | tr x y; sh -c 'exec sh -c "exec true last"'
printf '#!/bin/sh -e\nexit 9\n' >script; chmod +x script; ./script q
cp /bin/true gone; (exec ./gone) & wait
exit 4
END
for backend in bpf ptrace; do
    run proc --backend=$backend --forks --live --env=X --json=$backend -o rows.$backend -w $backend.kvis -- sh commands; status 4
    want "H['backend'] == '$backend'" $backend
    run replay $backend.kvis --json=$backend.again
    { # the numbers of the summary, live and replayed; how many run at once is the scheduler's choice
        js "[S[key] for key in ('commands', 'forks', 'failed', 'running')]" $backend
        js "[S[key] for key in ('processes', 'commands', 'events', 'exit_code')]" $backend.again
    } >sums.$backend
done
python3 same.py bpf ptrace 20 >&9 || fail "not the same commands by ptrace"
python3 same.py bpf.again ptrace.again 20 >&9 || fail "not the same events in the recording"
diff sums.bpf sums.ptrace >&9 || fail "another summary"
want "all(e['cpu_ns'] > 0 and e['read_chars'] > 0 and 'voluntary_switches' not in e for e in by('command', end='exit'))" ptrace
want "all(e['max_rss_bytes'] > 0 for e in by('command', end='exit'))" ptrace

# How they end: the command's status, its signal, and what cannot be run.
later='until [ -e over ]; do sleep 0.1; done; : >after' # kvis has ended by then
for command in open proc; do
    as_user $command -o rows.u -- sh -c 'kill -TERM $$'; status 143
    as_user $command -o rows.u -- ./nothere; status 127
    as_user $command -o rows.u -- ./d; status 126
    for how in "as_user $command" "run $command --backend=ptrace"; do
        rm -f over after
        $how -o rows.u -d 1 -- sh -c "$later"; status 0
        : >over
        until_true 5 test -e after || fail "$how: the command did not go on"
    done
    # Root without BPF: a seccomp filter or a user namespace forbids it. (cases/alone.sh: ordinary users.)
    "$BIN/refuse" bpf "$KVIS" $command -o rows -- true >out 2>err 9>&-; st=$?; status 0
    works_so 'seccomp filter forbids bpf'
    has rows '/true$| true$'
    unshare -r "$KVIS" $command -o rows -- true >out 2>err 9>&-; st=$?; status 0
    works_so 'user namespace'
    "$BIN/refuse" bpf,ptrace "$KVIS" $command -- touch ran >out 2>err 9>&-; st=$?; status 125
    has err '^kvis: cannot trace the command'
    [ ! -s out ] && [ ! -e ran ] || fail "it did more than refuse"
    run $command --backend=ptrace -d 1; status 2
    has err '^kvis: --backend=ptrace works only for a command'
done
has rows.u ' running +- sh -c '
