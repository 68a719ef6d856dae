#!/bin/sh
# kvis monitor -p agrees with what a process itself gets from getrusage(2), and ends with the process.
# tier: quick asan
# timeout: 60
# needs: python3
. "$TESTS/lib/lib.sh"
mkfifo go
cat >self.py <<'END'
import mmap, os, resource, sys, threading, time
libc_name = b"odd) (\n"
try: # with them /proc/PID/status is longer than 8 KB, as on hosts with a directory of users
    os.setgroups(range(100000, 101500))
except PermissionError:
    pass
open("/proc/self/comm", "wb").write(libc_name)
def usage():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return [r.ru_utime + r.ru_stime, r.ru_nvcsw, r.ru_nivcsw, r.ru_minflt]
first = usage()
print(os.getpid(), flush=True)
go = open("go")
go.readline()
before = usage()
def work():
    for _ in range(300):
        time.sleep(0.001)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        pass
    m = mmap.mmap(-1, 3000 * 4096)
    for page in range(3000):
        m[page * 4096] = 1
    done.set()
    go.readline()
done = threading.Event()
t = threading.Thread(target=work)
t.start()
done.wait()
print(*(b - a for a, b in zip(before, usage())), flush=True)
t.join()
for _ in range(2):
    print(*(b - a for a, b in zip(first, usage())), flush=True)
    go.readline()
END
python3 self.py >self 9>&- &
child=$!
exec 8>go
until_true 10 grep -q . self || fail "no child"
launch p.prom monitor -i 0.5 -c proc -p $child,$child --json=json --prometheus=p.prom -o text
trap 'kill -KILL $kvis $child 2>/dev/null' EXIT
look() { rm -f p.prom; until_true 10 test -s p.prom; } # waits for the next
look && cp p.prom before || fail "no exposition"
for k in 2 3; do # its thread has worked, and has ended
    echo go >&8
    until_true 20 eval '[ $(wc -l <self) = $k ]' || fail "the child does not go on"
    look && look && cp p.prom after.$k || fail "no exposition after it"
done
eq "named twice, it is one" 1 "$(grep -c '^kvis_process_threads' p.prom)"
echo end >&8
exec 8>&-
finish; status 0 # when the process has ended
wait $child
say "its own between two looks, and around them: cpu, voluntary, involuntary, minor: $(sed 1d self)"
total() { # total NAME...: what was counted in between
    for m; do sed -n "s/^kvis_process_${m}_total{.*} /-/p" before; sed -n "s/^kvis_process_${m}_total{.*} //p" after.$k; done |
        awk '{ n += $1 } END { print n + 0 }'
}
for k in 2 3; do
    cpu=$(total user_seconds system_seconds) vol=$(total voluntary_switches)
    invol=$(total involuntary_switches) minor=$(total minor_faults)
    ran=$(total running_seconds)
    say "monitor:  $cpu $vol $invol $minor, on a CPU $ran"
    python3 -c "
lines = [list(map(float, line.split())) for line in open('self').read().splitlines()[1:]]
least, most = lines[0], lines[$k - 1]
assert least[1] > 290 and least[3] > 2900, 'it has not worked'
for got, at in ($cpu, 0), ($vol, 1), ($invol, 2), ($minor, 3), ($ran or least[0], 0):
    slack = 0.02 if at == 0 else 0  # two readings in ticks
    assert least[at] - slack <= got <= most[at] + slack, (at, got)" || fail "not what the process says"
done
want "any(e['pid']['$child']['comm'] == 'odd) (\n' and e['pid']['$child']['process_threads'] == 2
    for e in E if '$child' in e.get('pid', {}))"
has text '^process +pid=[0-9]+ comm="odd\) \(\\n" '

cg=t/sys/fs/cgroup/a/b
mkdir -p $cg t/proc
echo 1 >$cg/cgroup.procs
printf 'usage_usec 100\nuser_usec 60\nsystem_usec 40\nnr_throttled 2\nthrottled_usec 9\n' >$cg/cpu.stat
printf 'anon 4096\nfile 8192\nfile_mapped 1\npgfault 5\n' >$cg/memory.stat
echo 12345 >$cg/memory.current
mkdir -p u/proc u/sys/fs/cgroup # next to v1
cp -r t/sys/fs/cgroup u/sys/fs/cgroup/unified
mkdir t/sys/fs/cgroup/unified # a cgroup
for root in t/sys/fs/cgroup t/sys/fs/cgroup/unified u/sys/fs/cgroup/unified; do
    : >$root/cgroup.controllers
done
for path in t:a/b t:/a/b t:/sys/fs/cgroup/a/b u:a/b u:/a/b u:/sys/fs/cgroup/unified/a/b; do
    gives 0 monitor -n 1 -i 0.1 --json=json --path.rootfs=${path%%:*} --cgroup=${path#*:} --prometheus=p.prom
    want '[E[0][k] for k in ("cgroup_memory_anon_bytes", "cgroup_memory_file_bytes", "cgroup_memory_bytes")] == [4096, 8192, 12345]'
    has p.prom '^kvis_cgroup_cpu_seconds_total 0.0001$'
done
