#!/bin/sh
# The observe backend counts or shows the calls of all processes, of a cgroup or of -p exactly, and none of their threads stops or
# has a tracer. Lost records are counted, and reported at the place where they are missing.
# tier: quick asan
# timeout: 120
# needs: root python3 strace prog:hyb prog:shapes
# alone: it counts calls of all processes
. "$TESTS/lib/lib.sh"
needs_hybrid
gives 0 trace -c --all -d 1 -e trace=io_destroy
gives 125 trace -c --all --backend=ptrace -d 1 -e trace=io_destroy
has err 'need --backend=observe'
e="-e trace=io_destroy,sched_rr_get_interval"
# The last table. With --all, another process of the machine may make a call that kvis has no name for.
last() { awk -v own="${options##*--all*}" '/^% time/ { t = "" } /^ *[0-9]/ && $NF != "total" && (own || $NF != "unnamed") { t = t $NF " " $4 " " (NF == 9 ? $5 : 0) "\n" } END { printf "%s", t }' table | sort; }
# during FILE REGEX OPTION... -- CMD...: kvis trace with these options while CMD runs, which begins when REGEX is in FILE.
during() {
    file=$1 begun=$2 options=
    shift 2
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    rm -f table text json
    say "\$ kvis trace$options, and: $*"
    "$KVIS" trace $options 2>err 9>&- &
    kvis=$!
    until_true 20 grep -q "$begun" $file || fail "it does not begin: $options"
    "$@" >out 9>&- || fail "$*: exit status $?"
    kill -INT $kvis
    wait $kvis
    eq "exit status of kvis" 0 $?
    [ ! -s err ] || fail "$options: a message"
}

# observe OPTION... -- CMD...: CMD runs while kvis observes. The first table says that it does.
observe() { during table total -c -i 1 -o table "$@"; }

# All processes: the table has what they did.
observe --all $e -- "$BIN/hyb" rare 4 8 500 </dev/null
eq "all" "io_destroy 16000 16000
sched_rr_get_interval 16000 0" "$(last)"
observe --all -Z $e -- "$BIN/hyb" rare 1 2 300 </dev/null
eq "-Z" "io_destroy 600 600" "$(last)"
observe --all -z $e -- "$BIN/hyb" rare 1 2 300 </dev/null
eq "-z" "sched_rr_get_interval 600 0" "$(last)"

# lines OPTION... -- CMD...: each call is a line of text and one of JSON, while CMD runs.
lines() {
    during text '(observe)' -o text --json=json "$@"
    [ "${ring-}" ] || want 'S["lost"] == 0 and not by("lost")'
    want 'len(by("syscall")) == S["syscalls"] and all(e["comm"] == "hyb" for e in by("syscall"))'
    eq "as many lines of text as of JSON" "$(grep -c '"type":"syscall"' json)" "$(grep -Ec '^\[.* [0-9]+(/[0-9]+)? hyb +[a-z_]+\(.*\) += ' text)"
}
sleeps() { [ "$(state "$1")" = S ]; } # sleeps PID
# made NAME: the numbers of calls per thread, the number of threads, and that of processes.
made() { js "(lambda c: [sorted(set(c.values())), len(c), len({p for p, t in c})])(__import__('collections').Counter((e['pid'], e['tid']) for e in calls('$1')))"; }
lines --all $e -- "$BIN/hyb" rare 3 4 50 </dev/null
eq "lines of 3 processes of 4 threads" "[[50], 12, 3] [[50], 12, 3]" "$(made io_destroy) $(made sched_rr_get_interval)"
want 'all(e["error"] == "EINVAL" and e["args"] == ["0"] for e in calls("io_destroy"))'
want 'all(e["ret"] == 0 and "tv_nsec=" in e["args"][1] for e in calls("sched_rr_get_interval"))'
lines --all $e -- strace -f -o strace $e "$BIN/hyb" rare 2 2 20 </dev/null
eq "lines beside strace" "[[20], 4, 2]" "$(made io_destroy)"
lines --all -Z $e -- "$BIN/hyb" rare 1 2 30 </dev/null
want 'len(by("syscall")) == 60 == len(calls("io_destroy")) == S["records"]'
lines --all -z $e -- "$BIN/hyb" rare 1 2 30 </dev/null
want 'len(by("syscall")) == 60 == len(calls("sched_rr_get_interval")) == S["records"]'
ring=64K
for filter in "" --min-duration=1ns; do
    lines --all --ring=$ring $filter $e -- "$BIN/hyb" rare 1 4 10000 </dev/null
    # Programs of another kvis on the same tracepoint keep this kvis's from running: that is lost, too, whatever the call was.
    want 'S["lost"] > 0 and S["lost"] + len(by("syscall")) >= 80000 >= len(by("syscall"))'
    want 'sum(e["count"] for e in by("lost")) == S["lost"]'
    eq "what is lost is told in the text $filter" "$(grep -c '"type":"lost"' json)" "$(grep -c ' calls lost$' text)"
done
ring=

# -P: by the path. What a relative path starts from is not known: its last part decides.
mkdir dir-$$ other-$$
touch dir-$$/gone-$$ dir-$$/stays-$$ dir-$$/too-$$ other-$$/too-$$
during text '(observe)' --all -e unlink,unlinkat -P dir-$$/gone-$$ -P "$PWD/dir-$$/too-$$" -o text --json=json -- \
    sh -c 'rm "dir-$0/stays-$0" "$PWD/dir-$0/gone-$0" "other-$0/too-$0"; cd "dir-$0" && exec rm "too-$0"' $$
eq "-P" "$PWD/dir-$$/gone-$$ other-$$/too-$$ too-$$" "$(js '" ".join(e["args"][-2 if "at" in e["name"] else 0] for e in by("syscall"))')"
want 'all(e["comm"] == "rm" and e["ret"] == 0 for e in by("syscall")) and S["lost"] == 0'

# A process, its threads and children: kvis ends with the last of them. Nobody traces it.
mkfifo gate
# gated REGEX CMD... -- OPTION...: kvis observes CMD, which waits until `goes`; REGEX is in its output then.
gated() {
    regex=$1 command=; shift
    while [ "$1" != -- ]; do command="$command $1"; shift; done
    shift
    rm -f out.p
    $command <gate >facts 9>&- &
    pid=$!
    exec 8>gate
    until_true 10 sleeps $pid
    "$KVIS" trace -o out.p -p $pid --backend=observe "$@" 2>err 8>&- 9>&- &
    kvis=$!
    until_true 20 grep -Eq "$regex" out.p || fail "-p: no $regex"
    grep -q '^TracerPid:[[:space:]]0$' /proc/$pid/status || fail "it has a tracer"
    exec 8>&-
}
ends() { # both end by themselves
    wait $pid || fail "exit status of the program: $?"
    wait $kvis || fail "exit status of kvis: $?"
    cp out.p table
}
gated total "$BIN/hyb" rare 3 4 200 -- -c -i 1 $e,clock_nanosleep --min-duration=0
ends
eq "-p" "clock_nanosleep 3 0
io_destroy 2400 2400
sched_rr_get_interval 2400 0" "$(last)"

# 32-bit calls of a 64-bit program are counted.
echo 'read x; exec "$BIN/abi" i386' >calls32
if echo | sh calls32 >&9 2>&1; then
    gated '\(observe\)' sh calls32 -- -v
    ends
    has err '^kvis: 32-bit calls were not recorded; fix: --backend=ptrace$'
fi

# The same as lines: all of its calls, and those that lasted long.
for long in 0 20ms; do
    gated '\(observe\)' "$BIN/hyb" rare 3 4 20 -- -v --json=json --min-duration=$long $e,clock_nanosleep
    ends
    want 'len(by("syscall")) <= S["syscalls"] <= S["records"] and S["lost"] == 0'
    eq "its sleeps" 3 "$(js 'sum(e["duration_ns"] > 30e6 for e in calls("clock_nanosleep"))')"
    [ $long = 0 ] || { want 'all(e["duration_ns"] >= 20e6 for e in by("syscall"))'; continue; }
    eq "lines of -p" "[[20], 12, 3] [[20], 12, 3]" "$(made io_destroy) $(made sched_rr_get_interval)"
done

# A sleep that fails by a signal shows the remaining time. With -p, ioctl(2) commands that change a file are events, even without -v.
printf 'read go; exec "$@"\n' >begun
for scene in "shapes sleeps -- -v -e trace=/nanosleep" "chg others --"; do
    gated '\(observe\)' sh begun "$BIN/"$scene --json=json
    wait $pid || true
    wait $kvis || fail "exit status of kvis: $?"
    py want json facts >&9 || fail "$scene"
done

# Only what takes its time; and kvis, killed at any moment, leaves the program as it was.
only="--min-duration=20ms -e clock_nanosleep,io_destroy"
gated total "$BIN/hyb" rare 3 4 20000 -- -c -i 1 $only
ends
eq "--min-duration" "clock_nanosleep 3 0" "$(last | grep -v io_destroy)"
gated '\(observe\)' "$BIN/hyb" rare 3 4 20000 -- $only
kill -KILL $kvis
wait $pid || fail "exit status of the program: $?"
wait $kvis 2>/dev/null

# A cgroup, and those below it. Of its own calls kvis counts none.
cat >outputs.py <<'END'
# This process reads kvis's output from a FIFO, a socket and a terminal, and writes after each read: kvis shows none of these calls.
import os, pty, signal, socket, subprocess
pair = socket.socketpair()
os.mkfifo("fifo")
for reader, writer in (os.open("fifo", os.O_RDONLY | os.O_NONBLOCK), os.open("fifo", os.O_WRONLY)), pty.openpty(), \
        (pair[0].detach(), pair[1].detach()):
    os.set_blocking(reader, True)
    kvis = subprocess.Popen([os.environ["KVIS"], "trace", "--json=/dev/stdout" if os.isatty(writer) else "--json", "--cgroup=kvis-observe",
                             "-e", "trace=read,recvfrom,write"], stdout=writer, stderr=subprocess.DEVNULL)
    os.close(writer)
    text = b""
    while text.count(b"\n") < 2:  # the header, and a line about another process
        text += os.read(reader, 65536)
        subprocess.run(["sh", "-c", "echo from sh"], stdout=subprocess.DEVNULL)
        os.write(os.open("log", os.O_WRONLY | os.O_CREAT), text)
    kvis.send_signal(signal.SIGINT)
    head = text.splitlines()[0]
    assert b'"except_pids":[%d' % os.getpid() in head and text.count(b'"pid":%d,' % os.getpid()) == 0, text
    os.close(reader)
    kvis.wait()
END
cat >cg <<'END'
mount -t cgroup2 none /sys/fs/cgroup && mkdir -p /sys/fs/cgroup/kvis-observe/below || exit 77
to() { echo $$ >/sys/fs/cgroup/$1/cgroup.procs; }
to kvis-observe
"$KVIS" trace -c -i 1 -o table --cgroup=kvis-observe -e trace=io_destroy,sched_rr_get_interval,bpf,write 2>err &
kvis=$!
to .
"$KVIS" trace -o text --json=json --cgroup=kvis-observe -e trace=io_destroy,sched_rr_get_interval 2>err2 &
too=$!
until [ -s table ] && [ -s text ]; do sleep 0.1; done
sh -c 'echo $$ >/sys/fs/cgroup/kvis-observe/below/cgroup.procs; exec "$BIN/hyb" rare 2 2 100' </dev/null
"$BIN/hyb" rare 2 2 1000 </dev/null
kill -INT $kvis $too
wait $kvis
st=$?
wait $too || st=$?
# kvis does not show calls of the readers of its output: each line would cause another.
sh -c 'echo $$ >/sys/fs/cgroup/kvis-observe/cgroup.procs
"$KVIS" trace --cgroup=kvis-observe -e trace=read,write -d 1 2>&1 | cat | cat >lines
(sleep 1; exec "$KVIS" trace --cgroup=kvis-observe -e trace=read,write -d 1 2>&1) | sh -c "exec 3<&0
    for i in $(seq -s " " 30); do sleep 5 <&3 & done; cat; kill \$(jobs -p)" >many
python3 outputs.py 2>outputs.err'
[ $? = 0 ] || { cat outputs.err; exit 1; }
rmdir /sys/fs/cgroup/kvis-observe/below /sys/fs/cgroup/kvis-observe
exit $st
END
rm -f table text
unshare -m sh cg >out 2>err3 9>&-
st=$?
[ $st != 77 ] || { say "no cgroup2 here"; exit 0; }
status 0
eq "a cgroup (the program says that it is done)" "io_destroy 400 400
sched_rr_get_interval 400 0
write 1 0" "$(last)"
[ ! -s err2 ] || fail "$(cat err2)"
has lines '^kvis: tracing cgroup .*, except kvis and the readers of its output: pid [0-9]+, [0-9]+$'
hasnt lines ' cat +(read|write)|(read|write)\(.*pipe'
has many 'except kvis and the readers of its output: pid [0-9]+(, [0-9]+){31}$' # sh, 30 sleeps and cat
has text '^kvis: tracing cgroup /sys/fs/cgroup/kvis-observe \(observe\)$'
eq "lines of a cgroup" "[[100], 4, 2] [[100], 4, 2]" "$(made io_destroy) $(made sched_rr_get_interval)"
want 'S["lost"] == 0 and all(e["comm"] == "hyb" for e in by("syscall"))'

# Impossible combinations of options are errors.
for o in "--all --report=r" "--all -w r" "--all -c -v" "--all -c --json" "--all --perfetto=r" "-p $$ --backend=observe --faults" "-c --backend=observe true" "--all -c -p $$" "--all -c true" "-c --min-duration=1ms true"; do
    run trace $o
    [ $st -ge 2 ] || fail "$o: exit status $st"
    has err 'kvis: '
done
