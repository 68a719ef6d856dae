#!/bin/sh
# Text shows every event that changes something, and failures. Delayed lines are printed while the program waits,
# lines are in order of time, and datagrams to different addresses are on different lines.
# tier: gate asan
# timeout: 120
# needs: root python3
. "$TESTS/lib/lib.sh"
export LC_ALL=C.UTF-8 # lines contain arrows
cat >changes.py <<'P'
import ctypes, os
def tried(f, *args):
    try:
        f(*args)
    except OSError:
        pass
f = os.open("lib/libx.so", os.O_CREAT | os.O_WRONLY, 0o644)
os.utime(f)
os.close(f)
os.utime("lib/libx.so")
ctypes.CDLL(None).acct(b"lib/nothere/x.so")
tried(os.removexattr, "lib/libx.so", "user.none")
os.chmod("lib/libx.so", 0o4755)
os.rename("lib/libx.so", "lib/liby.so")
os.unlink("lib/liby.so")
f = os.open("/dev/shm/kvis_text", os.O_CREAT | os.O_RDWR, 0o600)
os.write(f, b"x")
ctypes.CDLL(None).syscall({"x86_64": 313, "aarch64": 273}[os.uname().machine], f, b"", 0) # finit_module
os.close(f)
os.unlink("/dev/shm/kvis_text")
os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"5")
f = os.open("/dev/full", os.O_WRONLY)
tried(os.write, f, b"x")
tried(os.sendfile, f, f, None, 1)
tried(os.read, os.open("lib", os.O_RDONLY), 1)
for name, how in ("app.sock", os.O_RDONLY), ("data.sorted", os.O_RDONLY), ("lib/no.so.1", os.O_RDONLY), ("/proc/self/mem_no", os.O_WRONLY):
    tried(os.open, name, how)
P
mkdir lib
for backend in $(backends); do
    gives 0 trace --backend=$backend -- python3 changes.py
    for line in 'open .*/lib/libx.so \(write\)' 'acct .*/lib/nothere/x.so failed: E[A-Z]+' 'finit_module /dev/shm/kvis_text \(""\) failed: E[A-Z]+' 'chmod .*/lib/libx.so 04755' 'rename .*/lib/libx.so → .*/lib/liby.so' \
        'unlink .*/lib/liby.so' 'removexattr .*/lib/libx.so \("user.none"\) failed: E(NODATA|OPNOTSUPP)' \
        'write /dev/full failed: ENOSPC' 'sendfile /dev/full → /dev/full failed: EBADF' \
        'read .*/lib failed: EISDIR' 'open /dev/shm/kvis_text \(read/write\)' 'write +1 B  /dev/shm/kvis_text' \
        'unlink /dev/shm/kvis_text' 'open /proc/self/oom_score_adj \(write\)' 'write +1 B  /proc/self/oom_score_adj' \
        'open .*/app.sock .*ENOENT' 'open .*/data.sorted .*ENOENT' 'open .*/lib/no.so.1 .*ENOENT' \
        'open /proc/self/mem_no .*ENOENT'; do
        has err "^\[[^ ]* $line\$"
    done
    eq "$backend: utimensat(2) by path and by descriptor" 2 "$(grep -c '^\[[^ ]* utimensat .*/lib/libx.so (NULL)$' err)"
    # One write each 50 ms until kvis has printed of them: it does not wait for the end.
    cat >slow.py <<'P'
import os, socket, sys, time
seen = lambda what: what in open("live").read()
f = os.open("many", os.O_CREAT | os.O_WRONLY)
while not seen("many (x"):
    for i in range(5): # a look into the file is a line, too
        os.write(f, b"x")
        time.sleep(0.05)
if not os.fork(): # a child that executes nothing
    while not seen("spawn process"):
        time.sleep(0.05)
    os._exit(0)
os.wait()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for port in 5001, 5002, 5003, 5001, 5001:
    s.sendto(b"0123456789", ("127.0.0.1", port))
P
    : >live
    gives 0 trace --backend=$backend -o live -- python3 slow.py
    eq "peers" "5001 (x3, 30 B total)|5002|5003|" "$(sed -n 's/.* send  *10 B → 127.0.0.1:\(.*\)/\1/p' live | tr '\n' '|')"
    sed -n 's/^\[+\([0-9.]*\)s\].*/\1/p' live >times
    sort -nc times 2>&9 || fail "times decrease"
    total=$(sed -n 's/.* write  *1 B .*many\( (x\([0-9]*\),.*\)*$/\2/p' live | awk '{ n += $1 ? $1 : 1 } END { print n }')
    eq "writes" "$(stat -c %s many)" "$total"
    rm many
    # A fork comes before the child's events, even if the first is a failed exec.
    cat >unfound.py <<'P'
import os, time
if not os.fork():
    try:
        os.execvp("nosuch", ["nosuch"])
    except OSError:
        while "ENOENT" not in open("live").read():
            time.sleep(0.05)
        os._exit(0)
os.wait()
P
    : >live
    gives 0 trace --backend=$backend -o live -- python3 unfound.py
    eq "birth" "spawn exec" "$(grep -o 'spawn process\|exec .*nosuch failed' live | sed 's/ .*//' | uniq | tr '\n' ' ' | sed 's/ $//')"
    # A search for a program is shown if it finds none.
    run trace --backend=$backend -- python3 -c 'import subprocess
subprocess.call(["true"])
try:
    subprocess.call(["no-such-program"])
except FileNotFoundError:
    pass'
    has err 'exec .*/no-such-program failed: ENOENT'; hasnt err 'exec .*/true failed'
    run trace --backend=$backend -e trace=openat --json=json -- sh -c 'sleep 0.01; :' # -e leaves out no wait for a CPU
    [ $backend = ptrace ] || want "S['sched_wait_max_ns'] >= S['sched_wait_p50_ns'] > 0"
done
