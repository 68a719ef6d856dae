#!/bin/sh
# 1000 threads at once, 5000 short threads and 5000 children are all seen, and memory stays bounded.
# tier: quick asan
# timeout: 180
# alone: it times attaching
# covers: P28
. "$TESTS/lib/truth.sh"
KVOPT=-q
truth proc children 5000
truth proc shorts 5000
truth proc threads 1000
case $KVIS in *asan*) exit 0 ;; esac
cat >rss.py <<'P'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
sys.exit(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 40000) # KB; python's own 14 MB count
P
python3 rss.py "$KVIS" trace -q --json=json -- "$BIN/proc" children 5000 9>&- || fail "memory grows with processes that are gone"
python3 rss.py "$KVIS" trace -q --json=json -- "$BIN/proc" shorts 5000 9>&- || fail "memory grows with threads that are gone"
