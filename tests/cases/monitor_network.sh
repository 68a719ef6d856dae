#!/bin/sh
# Interfaces, TCP and limits in a network namespace agree with a program that counts what it sends and what overflows.
# kvis diagnose finds a link that is slower than both of its ends can be.
# tier: quick asan
# timeout: 60
# needs: root python3 promtool ip
. "$TESTS/lib/lib.sh"
[ "${MONITOR_NETWORK_INSIDE:-}" ] || MONITOR_NETWORK_INSIDE=1 exec unshare -nm --propagation private /bin/sh "$0"
mount -t sysfs none /sys || skip "no sysfs of this network namespace"
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add v0 type veth peer name v1 2>/dev/null || skip "this kernel has no veth"
ip link set lo up && ip link set v0 up && ip link set v1 up || fail "no interfaces"
cat >self.py <<'END'
import os, resource, socket, sys, threading, time
resource.setrlimit(resource.RLIMIT_NOFILE, (3000, 3000))
print("there", flush=True)
open("go").read()
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("v0", 0))
for _ in range(1000):
    raw.send(b"\xff" * 6 + b"\2" * 6 + b"\x88\xb5" + bytes(986))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
udp.bind(("127.0.0.1", 0))
for _ in range(300):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(bytes(1000), udp.getsockname())
udp.setblocking(False)
got = 0
try:
    while udp.recv(2000):
        got += 1
except BlockingIOError:
    pass
tcp = socket.socket()
tcp.bind(("127.0.0.1", 0))
tcp.listen(1)
many = [socket.socket() for _ in range(12)]
for s in many:
    s.setblocking(False)
    s.connect_ex(tcp.getsockname())
time.sleep(0.2)
refused = socket.socket()
try:
    refused.connect(("127.0.0.1", 1))
except ConnectionRefusedError:
    pass
files = [os.open("/dev/null", os.O_RDONLY) for _ in range(2000)]
for _ in range(300):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print("lost", 300 - got, flush=True)
open("go").read()
os._exit(0)
END
mkfifo go
python3 self.py >self 9>&- &
child=$!
until_true 20 grep -q there self || fail "no child"
launch p.prom monitor -i 0.2 -c net,limits --json=json --prometheus=p.prom -o text
trap 'kill -KILL $kvis $child 2>/dev/null' EXIT
look() { rm -f p.prom; until_true 10 test -s p.prom; } # waits for the next
look && cp p.prom before || fail "no exposition"
echo >go
until_true 20 grep -q lost self || fail "the child does not end"
ip link set v1 down && sleep 0.1 && ip link set v1 up
look && look && cp p.prom after || fail "no exposition after it"
promtool_takes after
echo >go
wait $child
finish INT; status 0
value() { sed -n "s/^kvis_$2 //p" $1; }
gain() { echo $(($(value after "$1") - $(value before "$1"))); }
eq "packets sent" 1000 "$(gain 'network_transmit_packets_total{device="v0"}')"
eq "bytes sent" 1000000 "$(gain 'network_transmit_bytes_total{device="v0"}')"
eq "packets received" 1000 "$(gain 'network_receive_packets_total{device="v1"}')"
eq "bytes received" 1000000 "$(gain 'network_receive_bytes_total{device="v1"}')"
eq "none the other way" 0 "$(gain 'network_receive_packets_total{device="v0"}')"
eq "a veth loses its carrier in normal use" "" "$(value after 'network_carrier_changes_total{device="v0"}')"
eq "datagrams lost" "$(sed -n 's/^lost //p' self)" "$(gain netstat_Udp_RcvbufErrors)"
[ "$(gain netstat_Udp_RcvbufErrors)" -gt 250 ] || fail "nothing was lost"
[ "$(gain netstat_TcpExt_ListenOverflows)" -ge 5 ] || fail "overflows: $(gain netstat_TcpExt_ListenOverflows)"
[ "$(gain netstat_Tcp_OutRsts)" -ge 1 ] || fail "no reset"
want "max(e['filefd_allocated'] for e in E) - min(e['filefd_allocated'] for e in E) >= 1500"
want "max(e['threads'] for e in E) - min(e['threads'] for e in E) >= 200"
want "all(e['filefd_maximum'] == $(cut -f 3 /proc/sys/fs/file-nr) for e in E) or $(cut -f 3 /proc/sys/fs/file-nr) > 2 ** 53"
lesser() { cat /proc/sys/kernel/pid_max /proc/sys/kernel/threads-max | sort -n | head -n 1; }
want "all(e['threads_maximum'] == $(lesser) for e in E)"
want "any(e['interface']['v0']['network_transmit_bytes_per_second'] > 0 for e in E)"
speed=$(cat /sys/class/net/v0/speed)
want "any(e['interface']['v0'].get('network_speed_bytes_per_second') == $speed * 125000 for e in E)"
want "all(abs(i['network_transmit_utilization_ratio'] - i['network_transmit_bytes_per_second'] / i['network_speed_bytes_per_second'])
    < 1e-8 for e in E for i in e['interface'].values() if 'network_speed_bytes_per_second' in i and 'driver' in i)"
want "not any('network_transmit_utilization_ratio' in e['interface']['v0'] for e in E)" # a veth's speed is made up
# a tun device has the link settings that a program gives it
cat >link.py <<'END'
import ctypes, fcntl, json, os, socket, struct, subprocess, sys
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", b"t0", 0x1001))  # TUNSETIFF
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, 0x8914, struct.pack("16sH22x", b"t0", 1))  # SIOCSIFFLAGS: up


def settings(cmd, speed, autoneg, words, masks):
    b = ctypes.create_string_buffer(struct.pack("IIBBBBBBBb32x", cmd, speed, 1, 0, 0, autoneg, 0, 0, 0, words) + masks, 2000)
    fcntl.ioctl(s, 0x8946, struct.pack("16sP16x", b"t0", ctypes.addressof(b)))  # SIOCETHTOOL
    return struct.unpack_from("b", b, 15)[0]


words = -settings(0x4C, 0, 0, 0, b"")


def found(speed, own, other, autoneg=1):
    mask = lambda bits: sum(1 << b for b in bits).to_bytes(4 * words, "little")
    settings(0x4D, speed, autoneg, words, mask(own) + mask(own) + mask(other))
    run = [os.environ["KVIS"], "diagnose", "-d", "0.1", "--json=-"]
    j = json.loads(subprocess.run(run, stdout=subprocess.PIPE, check=True).stdout)
    return [(f["evidence"][0]["value"], f["sentence"]) for f in j["findings"] if f["rule"] == "network-link-slow"]


for args, want in [((100, (3, 5), (3, 5)), 0.1), ((1000, (3, 5), (3, 5)), None), ((100, (3, 5), (3,)), None), ((100, (3, 5), ()), None),
                   ((100, (3, 5), (3, 5), 0), None), ((1000, (5, 47), (5, 47)), 0.4), ((5000, (5, 12, 48), (12, 48)), 0.5)]:
    got = found(*args)
    print(args, got)
    assert [v for v, _ in got] == ([] if want is None else [want]), (args, want, got)
    assert not got or "interface t0 " in got[0][1], got
END
if [ -c /dev/net/tun ]; then
    python3 link.py 9>&- || fail "the speed of a link"
fi
