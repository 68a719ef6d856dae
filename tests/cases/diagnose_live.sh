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
[ ! -s /proc/self/schedstat ] || want_json "[(f['culprits'][0]['pid'], f['evidence'][0]['value'] > 0.1) for f in J['findings']
    if f['rule'] == 'process-waits-for-cpu'][:1] == [($!, True)]" out
has page.html 'id="findings">{"kvis"'
# a shell is not charged with what the commands move that it has waited for
if [ "$(stat -f -c %T .)" != tmpfs ]; then # which has no disk
    sh -c 'while :; do dd if=/dev/zero of=big bs=1M count=16 oflag=direct 2>/dev/null; done' 9>&- & shell=$!
    run diagnose -d 2 --json
    kill $shell
    wait $shell 2>/dev/null
    want_json "all(p['pid'] != $shell or p['busy_written_bytes_per_second'] < 1e5 for p in J['busiest'])" out
    want_json "not any(c.get('pid') == $shell for f in J['findings'] if f['resource'] == 'disk' for c in f['culprits'])" out
fi
# only root sees the I/O of other users' processes: for nobody, the values are absent, not 0
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
