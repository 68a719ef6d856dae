#!/bin/sh
# Failed execs do not increase the memory of kvis proc. The peak of a command is its own, not that of the program that its
# process ran before; a process whose main thread has exited has a name and memory.
# tier: gate full
# timeout: 120
# needs: root perl python3 strace
. "$TESTS/lib/lib.sh"
cat >execs.pl <<'END'
sub resident { # of kvis, whose child this is, in KB
    open my $f, "<", "/proc/" . getppid() . "/status" or die;
    my ($kb) = map { /^VmRSS:\s+(\d+)/ } <$f>;
    return $kb;
}
sub execs {
    no warnings;
    exec { "/nonexistent/program" } "program", $_ for 1 .. $_[0];
    select undef, undef, undef, 0.5; # kvis has read them
}
execs(5000);
my $before = resident();
execs($ARGV[0]);
print "grown ", resident() - $before, "\n";
END
run proc --failed --env=HOME --format=json -o json -- perl execs.pl $((n = $(some 40000 150000 40000)))
[ "$st" = 0 ] || fail "exit status $st"
grown=$(sed -n 's/^grown //p' out)
say "grown by $grown KB"
[ "$grown" -lt $((n / 100)) ] || fail "kvis has grown by $grown KB over $n failing execs"

cat >large.py <<'END' # runs small programs, and becomes one
import os, subprocess
b = b"x" * (64 << 20)
subprocess.run(["/bin/true", "spawned"])
if not os.fork():
    os.execv("/bin/true", ["true", "forked"])
os.wait()
os.execv("/bin/cat", ["cat", "/proc/self/status"])
END
for backend in bpf ptrace; do
    gives 0 proc --backend=$backend --json=json -o rows -- /usr/bin/python3 large.py
    peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' out)
    want "[e['max_rss_bytes'] > 64 << 20 for e in by('command') if e['comm'] == 'python3'] == [True]"
    want "all(e.get('max_rss_bytes', 0) < 16 << 20 for e in by('command') if e['comm'] != 'python3')"
    want "all(abs(e.get('max_rss_bytes', $peak << 10) - ($peak << 10)) < 1 << 20 for e in by('command') if e['comm'] == 'cat')"
done
for backend in auto ptrace; do
    run trace -q --backend=$backend --json=json -- /usr/bin/python3 large.py
    want "S['peak_rss_bytes'] > 64 << 20"
done

cat >first.py <<'END' # its first thread ends, others live until they are killed
import ctypes, platform, threading, time
def rest():
    while "Z" not in open("/proc/self/stat").read().rsplit(")", 1)[1]:
        time.sleep(0.01)
    b = b"x" * (32 << 20)
    open("ended", "w").close()
    time.sleep(300)
for what in [rest] + [lambda: time.sleep(300)] * 30:
    threading.Thread(target=what).start()
ctypes.CDLL(None).syscall({"x86_64": 60}.get(platform.machine(), 93), 0)
END
/usr/bin/python3 first.py 9>&- &
p=$!
until_true 10 test -e ended || fail "first.py does not start"
strace -f -o files -e trace=open,openat "$KVIS" monitor -c proc -p $p -n 1 -i 1 --json=json -o rows || fail "monitor"
has json '"process_resident_bytes":[0-9]{8}'
[ "$(grep -c statm files)" -lt 30 ] || fail "kvis reads the memory of each thread"
run trace --backend=ptrace -d 1 -p $p
has err "^kvis: pid $p, 32 threads: /usr/bin/python3 first\.py\$"
kill -KILL $p
python3 - <<'END' >out || fail "monitor of a zombie"
import os, subprocess, sys
p = os.fork() or os._exit(0)
os.waitid(os.P_PID, p, os.WEXITED | os.WNOWAIT)
sys.exit(subprocess.call([os.environ["KVIS"], "monitor", "-c", "proc", "-p", str(p), "-n", "1", "-i", "0.1"]))
END
has out 'n/a process_resident: the process has exited'
