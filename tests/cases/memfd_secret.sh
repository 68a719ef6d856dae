#!/bin/sh
# An exec closes a close-on-exec descriptor of memfd_secret(2), and kvis reports it.
# tier: quick
# timeout: 30
# needs: python3
. "$TESTS/lib/lib.sh"
# mm/secretmem.c takes O_CLOEXEC, and no FD_CLOEXEC (1), which is EINVAL. memfd_secret is 447 in every ABI.
cat >secret.py <<'END'
import ctypes, os, sys
fd = ctypes.CDLL(None).syscall(447, os.O_CLOEXEC)
if fd >= 0 and os.get_inheritable(fd):
    sys.exit("it is not to be closed")
os.execv("/bin/sh", ["sh", "-c", "exit 5"] if fd >= 0 else ["sh", "-c", "exit 77"])
END
python=$(python3 -c 'import sys; print(sys.executable)')
for backend in ptrace hybrid; do
    kv trace --backend=$backend --json=json -o text -- "$python" secret.py >out 2>err
    st=$?
    [ $st != 77 ] || { say "this kernel has no memfd_secret"; exit 0; }
    status 5
    python3 - <<'END' >&9 || fail "$backend: the memory is not closed at the exec"
import json, sys
events = [e for e in map(json.loads, open("json")) if e["type"] in ("exec", "close")]
last = max(i for i, e in enumerate(events) if e["type"] == "exec")
sys.exit([i < last for i, e in enumerate(events) if e.get("kind") == "memfd"] != [True])
END
done
