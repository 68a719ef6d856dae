#!/bin/sh
# TCP and UDP (IPv4 and IPv6), unix and netlink peers are named, even those that refuse or are not connected yet.
# tier: gate asan
# timeout: 60
# needs: python3
. "$TESTS/lib/truth.sh"
each truth net tcp4 refused inprogress outcome udp unix pair netlink peek
has unix/err 'accept unix .*/sock ← socket:\[[0-9]+\]$'
has unix/err 'send     60 B → socket:\[[0-9]+\] on .*/sock$'
has outcome/err 'connect tcp4 → 127.0.0.1:[0-9]+ \(in progress\)$'
has outcome/err 'connect tcp4 → 127.0.0.1:[0-9]+ failed: ECONNREFUSED \(after [0-9.]+ ms\)$'
[ ! -e /proc/net/if_inet6 ] || each truth net tcp6

# Descriptors have their addresses also where -e asks for none of the calls that gave them one.
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
