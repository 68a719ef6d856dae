#!/bin/sh
# 1000 threads at once, 5000 short threads and 5000 children are all seen, and memory stays bounded. Hundreds of threads that
# only make calls, hundreds of processes, and storms of vfork and exec are recorded completely. With ptrace, every thread gets
# its turn although its siblings stop as fast as kvis can handle them. If a small ring overflows, kvis counts the lost calls.
# tier: quick full asan
# timeout: 180
# needs: prog:hyb
. "$TESTS/lib/truth.sh"
cat >rss.py <<'P'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdout=open("facts", "w"), stderr=subprocess.DEVNULL, check=True)
sys.exit(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > int(sys.argv[1])) # KB; python's own 14 MB count
P
case $KVIS in *asan*) most=4000000 ;; *) most=40000 ;; esac
for scene in children shorts; do
    python3 rss.py $most "$KVIS" trace -q --json=json -- "$BIN/proc" $scene 5000 9>&- </dev/null ||
        fail "memory grows with $scene that are gone"
    py want json facts >&9 || fail "$scene"
done
KVOPT=-q
truth proc threads 1000
# wait4(-1) reports the newest tracee first, so the oldest, which ends this program after 100 rounds, could wait forever.
# (With BPF: hybrid_lossless.)
KVOPT="-q -v --no-ebpf --backend=ptrace"
truth hyb last 3 12
for KVOPT in "-q -v" "-q -v --ring=64K"; do
    truth hyb calls $(some 30 500 200) 20
    case $KVOPT in *64K) n=300 ;; *) n=2000 ;; esac
    truth hyb bomb $(some 50 $n 300)
    truth hyb execs 40
done
truth hyb relay 12

# The reserve of a ring of 64 KB has space for about 110 calls. If more threads end a call before kvis gets a CPU, their calls
# are lost, but no process is, and the summary and the events say how many calls are missing.
n=$(some 50 2000 300)
kv trace -q -v --ring=64K --json=json -- "$BIN/hyb" bomb $n >facts 2>err </dev/null || fail "too small a ring: exit $?"
want "len(by('exit_process')) == S['processes'] == $n + 1 and len(by('spawn_process')) == $n"
want "sum(e['count'] for e in by('lost')) == S['lost'] >= 4 * $n + 1 - sum(c['name'] in ('getppid', 'clone', 'wait4') and \
    c.get('ret') is not None for c in by('syscall'))"
