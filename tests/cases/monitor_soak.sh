#!/bin/sh
# Memory, descriptors and BPF maps stay flat over thousands of intervals with everything on.
# SOAK=SECONDS makes it longer (make soak: 20 minutes).
# tier: full
# timeout: 120
# needs: root python3
. "$TESTS/lib/lib.sh"
secs=${SOAK:-12} every=0.01
[ -z "${SOAK-}" ] || every=0.1
for t in a b; do python3 "$TESTS/lib/mon_tree.py" $t $t || fail "no tree"; done
python3 "$TESTS/lib/mon_tree.py" c hostile:27 || fail "no tree"
mkdir d
ln -s a now
start() { # start NAME ARG...: its process in $pid
    name=$1; shift
    mkfifo json.$name
    tail -n 1 <json.$name >last.$name &
    "$KVIS" monitor -i $every --per-cpu --histogram --json=json.$name --csv=/dev/null \
        --prometheus=$name.prom --listen=0 -o /dev/null "$@" 2>err.$name 9>&- &
    pid=$!
}
start live; live=$pid
start tree --path.rootfs="$PWD/now"; tree=$pid
trap 'kill -KILL $live $tree 2>/dev/null' EXIT
for name in live tree; do until_true 20 grep -q port err.$name || fail "$name: $(cat err.$name)"; done
cat >watch.py <<'END'
import glob, os, re, socket, sys, time
secs, procs = float(sys.argv[1]), {}
for name, pid in zip(sys.argv[2::2], sys.argv[3::2]):
    procs[name] = (pid, int(re.search(r"port (\d+)", open(f"err.{name}").read())[1]))

def ask(port, n):
    """One that asks, one that goes before it has the answer, one that says nothing, one with half a line."""
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(10)
    if n % 4 != 2:
        s.sendall(b"GET /metr" if n % 4 == 3 else b"GET /metrics HTTP/1.1\r\n\r\n")
    got = b""
    while n % 4 == 0 and (part := s.recv(65536)):
        got += part
    assert n % 4 or b"\nkvis_load1 " in got or b"\nkvis_" in got, got[:200]
    s.close()

def sample(pid):
    kb = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[1])
    maps, memory = [], 0
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            text = open(path).read()
        except OSError:
            continue
        if "map_id" in text and "map_type" in text:
            maps += re.findall(r"^map_id:.*", text, re.M)
            memory += sum(int(m) for m in re.findall(r"^memlock:\s+(\d+)", text, re.M))
    return kb, len(os.listdir(f"/proc/{pid}/fd")), sorted(maps), memory

seen = {name: [] for name in procs}
end, n = time.monotonic() + secs, 0
while time.monotonic() < end:
    n += 1
    os.symlink("abcd"[n % 4], "new")
    os.replace("new", "now")
    for name, (pid, port) in procs.items():
        ask(port, n)
        if n % 5 == 0:
            seen[name].append(sample(pid))
    time.sleep(0.03)
bad = 0
for name, got in seen.items():
    third = len(got) // 3
    middle, last = got[third:2 * third], got[-third:]
    rss = [max(s[0] for s in part) for part in (got[:third], middle, last)]
    fds = [min(s[1] for s in part) for part in (middle, last)]
    maps = got[-1][2]
    memory = [max(s[3] for s in part) for part in (middle, last)] # some: the kernel counts the entries of hash maps
    print(f"{name}: {len(got)} samples, {n} clients, RSS {rss} kB, {fds} descriptors, {len(maps)} BPF maps")
    bad |= rss[2] > rss[1] + 128 or fds[0] != fds[1] or any(s[2] != maps for s in middle + last) or memory[1] > memory[0] + 4096
sys.exit(bad)
END
python3 watch.py $secs live $live tree $tree >watched 2>&1 || fail "not flat: $(cat watched)"
say "$(cat watched)"
# The BPF map of requests contains only requests in flight.
for id in $(sed -n 's/^map_id:[^0-9]*//p' /proc/$live/fdinfo/* 2>/dev/null); do
    command -v bpftool >/dev/null || break
    kept=$(bpftool map show id $id 2>/dev/null | grep -q ' hash .*name flying' &&
        bpftool -j map dump id $id | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')
    [ -z "$kept" ] || { say "requests on their way: $kept"; [ "$kept" -lt 100 ] || fail "$kept requests are kept"; }
done
for name in live tree; do
    eval "kill -INT \$$name; wait \$$name" || fail "$name: exit $?"
done
wait
for name in live tree; do
    n=$(python3 -c 'import json; print(json.load(open("last.'$name'"))["intervals"])') || fail "$name: no summary"
    say "$name: $n intervals"
    [ "$n" -ge $((${SOAK:-30} * 3)) ] || fail "$name: $n intervals"
done
