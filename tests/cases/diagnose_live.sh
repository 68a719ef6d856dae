#!/bin/sh
# kvis diagnose finds a process of this machine that waits for a CPU, and attributes I/O to the processes that read and write.
# tier: quick asan
# timeout: 60
# needs: python3
. "$TESTS/lib/lib.sh"
# three that want one CPU, of which each waits for most of the time
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
for k in 1 2 3; do
    taskset -c "$cpu" sh -c 'while :; do :; done' 9>&- & hogs="${hogs:-} $!"
done
run diagnose -d 1 -p $! --json --report=page.html
kill $hogs
status 0
[ ! -s /proc/self/schedstat ] || python3 - $hogs <<'END' || fail "processes that wait for a CPU"
import json, sys
hogs = list(map(int, sys.argv[1:]))
j = json.load(open("out"))
found = [f for f in j["findings"] if f["rule"] == "process-waits-for-cpu"]
assert found and found[0]["culprits"][0]["pid"] == hogs[-1] and found[0]["evidence"][0]["value"] > 0.1, found
# Each of them runs or waits, all the time.
busy = [(p["busy_cpu_seconds_per_second"], p["busy_waiting_seconds_per_second"]) for p in j["busiest"] if p["pid"] in hogs]
assert len(busy) == 3 and all(0.7 < ran + waited < 1.3 for ran, waited in busy) and sum(ran for ran, _ in busy) < 1.1, busy
END
has page.html 'id="findings">{"kvis"'
# a shell is not charged with what the commands move that it has waited for
if [ "$(stat -f -c %T .)" != tmpfs ]; then # which has no disk
    sh -c 'while :; do dd if=/dev/zero of=big bs=1M count=16 oflag=direct 2>/dev/null; done' 9>&- & shell=$!
    run diagnose -d 2 --json
    kill $shell
    wait $shell 2>/dev/null
    python3 - out $shell <<'END' || fail "the bytes of a shell"
import json, sys
j = json.load(open(sys.argv[1]))
for p in j["busiest"]:
    assert p["pid"] != int(sys.argv[2]) or p["busy_written_bytes_per_second"] < 1e5, p
assert not any(c.get("pid") == int(sys.argv[2]) for f in j["findings"] if f["resource"] == "disk" for c in f["culprits"])
END
fi
# what others read and write is root's to see: to nobody it is not 0, but not there
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    setpriv --reuid 65534 --clear-groups "$KVIS" diagnose -d 1 --json </dev/null 2>err >out
    python3 - out <<'END' || fail "as an ordinary user"
import json, os, sys
for p in json.load(open(sys.argv[1]))["busiest"]:
    try:
        own = os.stat(f"/proc/{p['pid']}").st_uid == 65534
    except OSError:
        continue
    assert own or "busy_read_bytes_per_second" not in p, p
    assert "busy_cpu_seconds_per_second" in p, p
END
fi
