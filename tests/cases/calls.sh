#!/bin/sh
# gen/out/syscalls.h is what gen/tables.sh makes from gen/tables/syscalls.tbl and commands.tbl, and tables.sh refuses a table
# with a mistake. A descriptor of memfd_secret(2) that exec closes is closed at the exec.
# tier: quick
# timeout: 120
# needs: python3
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/tables.sh"
copy_generator tables
is_committed syscalls.h
finds_mistakes syscalls syscalls.h <<'LIST'
s/^@kind stat .*/@kind stat  out  struct:statt  144/~structs.tbl has no .statt
s/^@kind stat .*/@kind stat  out  array:stat  144/~no array of .stat
s/^@kind stat .*/@kind stat  later  struct:stat  144/~in, out, late or both
s/^@kind stat .*/@kind stat  out  struct:stat/~expected: @kind NAME WHEN HOW MEMORY
s/^@kind stat .*/@kind statx  out  struct:stat  144/~kind statx occurs twice
s/^@kind stat .*/@kind stat  out  struct:stat  some/~.some.: -, stop, BYTES
s/^@kind stat .*/@kind stat  out  struct:stat  144,long/~.long.: short, early, model or max=N
s/^@stop exec .*/@stop exec/~expected: @stop NAME WHY
/^execve /s/stops=exec/stops=execs/~no @stop .execs
/^mmap /s/file=fd/file=fds/~no argument .fds
/^memfd_secret/s/-> .*/-> fdd/~no result .fdd
/^memfd_secret/s/-> .*/->/~-> and no result
/^memfd_secret/s/O_CLOEXEC/FD_CLOEXEC/~family .memfdsecret. has no .FD_CLOEXEC
/^memfd_secret/s/cloexec=flags/cloexec=flag/~no argument .flag
/^memfd_secret/s/cloexec=/closes=/~label=, cloexec= or if=
/^memfd_secret/s/flags:f:memfdsecret/flags:f:nothing/~no family .nothing
LIST
finds_mistakes commands syscalls.h <<'LIST'
s/^\( *F_GETLK \)/\1int/~more arguments than
s/^ *F_SETLK .*/    F_GETLK  flock/~F_GETLK occurs twice
s/^\( *F_SETLK  *\)flock/\1floc/~unknown kind .floc
s/^ *F_SETLK /    F_SETLOCK /~family .fcntl. has no .F_SETLOCK
s/^call fcntl fcntl64/call fcntl fcntl128/~no call .fcntl128
s/^call fcntl fcntl64 by op/call fcntl fcntl64 by command/~no argument .command
s/^call ioctl by op family=ioctl/call ioctl by op/~no family for .TCGETS
s/^call bpf /call prctl /~prctl has commands already
s/&0x7f/\&some/~is not a mask
s/struct:linger/struct:lingers/~struct:NAME, e:FAMILY
s/^sockopt SOL_UDP .*/sockopt SOL_UDPP soudp/~family .sol. has no .SOL_UDPP
LIST
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
