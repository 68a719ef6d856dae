#!/bin/sh
# TCP and UDP (IPv4 and IPv6) and unix peers are named, even those that refuse or are not connected yet.
# tier: gate asan
# timeout: 60
# needs: python3
. "$TESTS/lib/truth.sh"
export LC_ALL=C.UTF-8 # lines contain arrows
each truth net tcp4 fastopen outcome udp unix pair resolve peek
has unix/err 'accept unix .*/sock ← socket:\[[0-9]+\]$'
has unix/err 'send     60 B → socket:\[[0-9]+\] on .*/sock$'
has outcome/err 'connect tcp4 → 127.0.0.1:[0-9]+ \(in progress\)$'
has outcome/err 'connect tcp4 → 127.0.0.1:[0-9]+ failed: ECONNREFUSED \(after [0-9.]+ ms\)$'
[ ! -e /proc/net/if_inet6 ] || each truth net tcp6

# A DNS query is one line; its messages are hidden, but other data sent to port 53 is not.
for scene in resolve ptrace/resolve; do
    grep -q '^done' $scene/facts 2>/dev/null || continue # not root, or not run twice
    for line in 'two.example A → 127.0.0.1: 10.1.2.3, 10.1.2.4 \(after [0-9.]+ ms\)$' 'a\\x1b\[2J.example A' \
        'absent.example A → 127.0.0.1 failed: NXDOMAIN \(after [0-9.]+ ms\)$' 'far.example A → 192.0.2.1 failed: ENETUNREACH' \
        'refused.example A → 127.0.0.2 failed: ECONNREFUSED \(after [0-9.]+ ms\)$' 'silent.example A → 127.0.0.1 failed: no answer'; do
        has $scene/err "resolve $line"
    done
    eq "$scene: lines of the bytes" 1 "$(grep -cE '(connect|send|recv|read|write) .*:53$' $scene/err)"
    has $scene/err 'send     20 B → 127.0.0.1:53$'
    # Without the calls that receive, kvis does not know that there is no answer. -Z shows refused answers.
    case $scene in ptrace*) backend=ptrace ;; *) backend=auto ;; esac
    run trace --backend=$backend -e trace=sendmmsg,sendto -- "$BIN/net" resolve
    has err 'resolve far.example A → 192.0.2.1 failed: ENETUNREACH'
    hasnt err 'no answer'
    run trace --backend=$backend -Z -- "$BIN/net" resolve
    has err 'resolve absent.example A → 127.0.0.1 failed: NXDOMAIN'
    hasnt err 'resolve two.example'
done

# Descriptors are shown with addresses even if -e selects none of the calls that set these.
cat >own.py <<'END'
import os, socket
def told(s, kind, where):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    print("setsockopt(%d<%s>" % (s.fileno(), kind + (" " + where if where else "")))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
told(u, "udp4", "")
u.bind(("127.0.0.1", 0))
told(u, "udp4", "127.0.0.1:%d" % u.getsockname()[1])
l = socket.socket()
l.listen(1)
told(l, "tcp4", "0.0.0.0:%d" % l.getsockname()[1])
n = socket.socket(socket.AF_UNIX)
n.bind("own.sock")
told(n, "unix", "own.sock")
a, b = socket.socketpair()
inode = ["socket:[%d]" % os.fstat(s.fileno()).st_ino for s in (a, b)]
told(a, "unix", inode[0] + "->" + inode[1])
told(b, "unix", inode[1] + "->" + inode[0])
n.listen(1)
c = socket.socket(socket.AF_UNIX)
c.connect("own.sock")
s, _ = n.accept()
told(c, "unix", "socket:[%d]->own.sock" % os.fstat(c.fileno()).st_ino)
told(s, "unix", "own.sock->socket:[%d]" % os.fstat(c.fileno()).st_ino)
END
for backend in hybrid ptrace; do
    rm -f own.sock
    run trace -v --backend=$backend -e trace=setsockopt -- python3 own.py
    [ $backend:$st != hybrid:125 ] || { say "$(head -n 1 err)"; continue; }
    status 0
    eq "$backend: addresses of sockets" "$(cat out)" "$(grep -o 'setsockopt([^,]*' err)"
done

# Names that differ only in bytes that are not UTF-8 stay different. Failures after connect(2) has returned are in the list, and the text
# explains the difference from the table.
cat >two.py <<'END'
import os, select, socket
for name in b"a\xff", b"a\xfe":
    s = socket.socket(socket.AF_UNIX)
    s.bind(name)
    s.listen()
    socket.socket(socket.AF_UNIX).connect(name)
for blocks in True, False, False:
    s = socket.socket()
    s.setblocking(blocks)
    s.connect_ex(("127.0.0.1", 9))
    select.select([], [s], [], 1)
    s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
END
run trace -C --json=json -o text -- python3 -S two.py
want 'sorted(c.split()[-1].split("/")[-1] for c in S["connections"]) == ["a\\xfe", "a\\xff"]'
has text '^   ECONNREFUSED +3  connect$'; has text '^ connect: 2 calls failed after returning EINPROGRESS'
