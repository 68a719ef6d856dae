#!/bin/sh
# Without BPF, kvis open follows a command with ptrace, even as an ordinary user: the same rows as with BPF and strace, the
# same filters, and the command's exit status. It refuses to watch the whole machine.
# tier: gate asan
# timeout: 120
# needs: root python3 strace setpriv unshare prog:opens prog:refuse
# covers: H13 E4 E12 P2 P34
. "$TESTS/lib/open.sh"
for_nobody
works_so() { # works_so REGEX: one line on stderr says that it is by ptrace, what that costs, and why
    eq "kvis's lines" 1 "$(grep -c '^kvis: ' err)"
    has err "^kvis: tracing the command with ptrace, which stops the command at .*: .*$1"
}

# The same program by BPF, by ptrace with the seccomp filter, and by a user; strace as the judge.
mkdir d
cat >job <<'END'
cd -P ./d # -P: chdir(2) by that name, because a user may not reach the absolute path
cat rel ./rel ../job nothere "$(printf 'odd\033\n')" >/dev/null
(cd /; cat etc/hostname; exec cat etc/passwd) >/dev/null
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
cat >same.py <<'END'
import json, sys
def rows(f):  # in each process's order, by the order in which processes were first seen
    by = {}
    for line in open(f):
        e = json.loads(line)
        if e["type"] == "open" and e["comm"] != "setpriv":
            for key in ("ts_ns", "duration_ns", "path_from", "uid"):
                e.pop(key, None)
            e["tid"] = e["tid"] == e.pop("pid")
            if not e["tid"]:
                e.pop("fd")  # threads run in any order
            by.setdefault(e["comm"], []).append(sorted(e.items()))
    return {c: sorted(map(str, v)) for c, v in by.items()}
a, b = rows(sys.argv[1]), rows(sys.argv[2])
for c in sorted(set(a) | set(b)):
    for x, y in zip(a.get(c, []) + [None], b.get(c, []) + [None]):
        if x != y:
            sys.exit(f"{c}:\n{sys.argv[1]}: {x}\n{sys.argv[2]}: {y}")
sys.exit(sum(map(len, a.values())) < 100)
END
again() { rm -rf d; mkdir -m 777 d; echo x >d/rel; chmod 666 d/rel; }
again; run open -o rows --json=bpf --backend=bpf -- sh job; status 7
want "H['backend'] == 'bpf'" bpf
again; run open -o rows.p --json=ptrace --backend=ptrace -- sh job; status 7
want "H['backend'] == 'ptrace' and S['lost'] == 0 and S['events'] == len(by('open'))" ptrace
hasnt err '^kvis: '
python3 same.py bpf ptrace >&9 || fail "not the same rows by ptrace"
text() { tail -n +2 "$1" | cut -c8- | sed '/ t[0-3]\.[0-9]*$/s/ [0-9][0-9]* /   /' | sort; } # threads: fds in any order
eq "rows of text" "$(text rows)" "$(text rows.p)"
again; as_user open -o rows.u --json=json -- sh job; status 7
works_so 'CAP_BPF and CAP_PERFMON'
want "H['backend'] == 'ptrace' and {e['uid'] for e in by('open')} == {65534}"
python3 same.py bpf json >&9 || fail "not the same rows as a user"
want "[e['path'] for e in by('open', name='x')] == ['$PWD/d/gone/x']"
sed 's/range(4)/range(1)/' job >single # no threads that race for descriptors
again; as_user open -o rows.u --json=json -- sh single; status 7
again; strace -u nobody -f -xx -y -s 9999 -o log -e trace=$OPENS sh single >/dev/null 2>&1 9>&-
opens strace log
say "strace: $(tail -n 1 differ)"

# Each filter leaves the same rows as the probe's.
sed '/python3/,$d' job >light
for filter in -x "-f O_RDONLY" "-f O_APPEND -f O_WRONLY" "-n ca" "-u 5" --no-exec "-P $PWD/d"; do
    for backend in bpf ptrace; do
        again; run open -o rows --json=$backend --backend=$backend $filter -- sh light; status 2
    done
    eq "$filter: events" "$(js "S['events']" bpf)" "$(js "S['events']" ptrace)"
    eq "$filter: rows" "$(js "sorted((e['comm'], e['call'], e['path'], e.get('error')) for e in by('open'))" bpf)" \
        "$(js "sorted((e['comm'], e['call'], e['path'], e.get('error')) for e in by('open'))" ptrace)"
done

# Directories below another root, and outside of it (root's doing).
run open -F -o rows --backend=ptrace -- python3 -c '
import os
top = os.open("/", os.O_RDONLY); os.chroot("."); os.chdir("d")
os.open("made", os.O_RDONLY); os.open("etc/hostname", os.O_RDONLY, dir_fd=top)'
status 0
has rows ' /d/made$'
has rows ' \(unreachable\)/etc/hostname$'

# How it ends: the command's status, its signal, and what cannot be run.
as_user open -o rows.u -- sh -c 'kill -TERM $$'; status 143
as_user open -o rows.u -- ./nothere; status 127
as_user open -o rows.u -- ./d; status 126
later='until [ -e over ]; do sleep 0.1; done; : >after' # kvis has ended by then
as_user open -o rows.u -d 1 -- sh -c "$later"; status 0
: >over
until_true 5 test -e after || fail "the command did not go on"
rm -f over after
run open --backend=ptrace -o rows -d 1 -- sh -c "$later"; status 0
: >over
until_true 5 test -e after || fail "the command did not go on without the filter"

# Where a filter or a user namespace takes BPF from root, too; and what is refused.
"$BIN/refuse" bpf "$KVIS" open -o rows -- true >out 2>err 9>&-; st=$?; status 0
works_so 'seccomp filter forbids bpf'
has rows ' /.*/true$'
unshare -r "$KVIS" open -o rows -- true >out 2>err 9>&-; st=$?; status 0
works_so 'user namespace'
"$BIN/refuse" bpf,ptrace "$KVIS" open -- touch ran >out 2>err 9>&-; st=$?; status 125
has err '^kvis: cannot trace the command'
[ ! -s out ] || fail "something on stdout"
as_user open --backend=bpf -- touch ran; status 125
has err '^kvis: cannot watch opens: .*CAP_BPF'
as_user open -d 1; status 125
has err '^kvis: cannot watch opens: .*CAP_BPF'
[ ! -e ran ] || fail "the command ran"
run open --backend=ptrace -d 1; status 2
has err '^kvis: --backend=ptrace needs a command'
