#!/bin/sh
# A replayed recording gives the output of the live run byte for byte: JSON, text and tables.
# tier: gate asan
# timeout: 120
# needs: git gcc python3 prog:counts prog:diff_threads prog:proc
. "$TESTS/lib/lib.sh"
same() { # same NAME REPLAY-OPTIONS OPTION... -- COMMAND
    name=$1 again=$2; shift 2
    kv trace -w "$name.kvis" --json=live "$@" </dev/null >/dev/null 2>live.txt
    kv replay $again --json=again "$name.kvis" >out 2>again.txt || fail "$name: replay: $?"
    cmp live again >&9 || fail "$name: other JSON"
    cmp live.txt again.txt >&9 || { diff live.txt again.txt | head -5 >&9; fail "$name: other text"; }
}
echo 'int main(void) { return 0; }' >a.c
ln -s a.c link
backends=$(backends)
for b in $backends; do
    same git "" --backend=$b -- git -C "$TESTS/.." log --oneline -3
    same git_v -v --backend=$b -v -- git -C "$TESTS/.." log --oneline -3
    same gcc_v -v --backend=$b -v -- gcc -c -o /dev/null a.c
    same gcc_e "-e trace=file" --backend=$b -e trace=file -- gcc -c -o /dev/null a.c
    same python "" --backend=$b -- python3 -c 'print(1)'
    same threads -v --backend=$b -v -- "$BIN/diff_threads"
    same table "-c" --backend=$b -c -- gcc -c -o /dev/null a.c
    # gcc searches PATH for as: the failed execs before the successful one are hidden
    same tables "-C --by=pid" --backend=$b -C --by=pid -E PATH=/nonexistent:$PATH -- gcc -c -o /dev/null a.c
    hasnt again.txt 'exec /nonexistent'
    for f in --no-filter "-e trace=execve"; do # never hidden
        same asked "-C --by=pid $f" --backend=$b -C --by=pid $f -E PATH=/nonexistent:$PATH -- gcc -c -o /dev/null a.c
        has again.txt 'exec /nonexistent/as failed: ENOENT'
        hasnt again.txt 'kvis:'
    done
    # -P through a link; exec events that -P and -Z exclude name the processes
    for f in "-P $PWD/a.c -v" "-P $PWD/a.c" "-P $PWD/a.c -c" "-P /nonexistent -c" "-P $PWD/a.c -C" -Z; do
        same linked "$f --by=pid" --backend=$b $f --by=pid -- sh -c 'cat link /nonexistent 2>&1 | cat; exec cat link'
        hasnt again.txt 'kvis:'
    done
    has again.txt ' cat  *open /nonexistent .*ENOENT'
    for f in -c -C "-v -C"; do # an empty table, by process as well
        same no_call "-P /nonexistent $f --by=pid" --backend=$b -P /nonexistent $f --by=pid -- true
        has again.txt 'total$'
        hasnt again.txt 'kvis:'
    done
    # filters that show calls as -v does
    same slow "--min-duration=1ms -C" --backend=$b --min-duration=1ms -C -- sh -c 'sleep 0.01; :'
    has again.txt 'clock_nanosleep\('
    same eventless "-e trace=getuid" --backend=$b -e trace=getuid -- sh -c :
    has again.txt 'getuid\(\)'
    # a failing connect(2), with and without -e
    same connect "-C -e trace=read" --backend=$b -C -e trace=read -- python3 -c 'import socket
socket.socket().connect_ex(("127.0.0.1", 1))'
    same unconnected "-v -C -e trace=!connect" --backend=$b -v -C -e trace=!connect -- sh -c :
    # a thread other than the main thread executes a program
    same thread_exec "-v" --backend=$b -v -- "$BIN/proc" exec_thread
    same since "-v -r -q --color=always -o again.o" --backend=$b -v -r -q --color=always -o live.o -- "$BIN/diff_threads"
    cmp live.o again.o >&9 || fail "other text in files"
    same sorted "-c -S calls" --backend=$b -c -S calls -- git -C "$TESTS/.." status --short
    same waits "-tt --min-sched-delay=1" --backend=$b -tt --min-sched-delay=1 -- gcc -c -o /dev/null a.c
    same between "" --backend=$b -- python3 -c '
import os
fds = [os.open(f, os.O_RDONLY) for f in ("a.c", "/dev/zero", "/etc/passwd")]
for fd in fds:
    os.read(fd, 4)'
    eq "lines of reads with a hidden one between them" 2 "$(grep -cE 'read +4 B' again.txt)"
    # reads before an exec belong to the earlier program
    same before_exec "" --backend=$b -- sh -c 'sh -c "read line <a.c; exec cat /dev/null"; :'
    grep -q ' sh  *read .*/a.c' again.txt || fail "who read a.c"
    same words "" --backend=$b -- true $(seq 100100)
    same times "-ttt --no-filter" --backend=$b -ttt --no-filter -- sh -c 'ls /; ls /proc/self'
done

# why kvis uses only ptrace
same slow_stops -v --no-accel -v -- true
has again.txt '^kvis: every system call stops the traced process .--no-accel.'
if [ "$backends" != "${backends#*hybrid}" ]; then
    has again.txt '^kvis: using ptrace only: --no-accel'
    same quiet -q --no-accel -q -- true
    has again.txt '^  backend  *ptrace alone: --no-accel'
fi

# a command that could not run: no summary
cp /bin/true private; chmod 700 private
if [ "$(id -u)" = 0 ]; then
    kv trace -w unable.kvis -u nobody -- ./private 2>live.txt; [ $? = 126 ] || fail "unable: $?"
    sed -i '/^kvis: cannot run/d' live.txt
    kv replay unable.kvis 2>again.txt || fail "unable: replay"
    cmp live.txt again.txt >&9 || fail "unable: other text"
fi

# the report: the same file, and the same from a replay's recording
for b in $backends; do
    kv trace -v -q --backend=$b -w r.kvis --report=live.html -- gcc -c -o /dev/null a.c 2>err || fail "--report"
    kv replay -v -q --report=again.html -w r2.kvis r.kvis 2>err || fail "replay --report"
    kv replay -v -q --report=third.html r2.kvis 2>err || fail "replay --report of a replay"
    cmp live.html again.html >&9 && cmp live.html third.html >&9 || fail "another report"
done

# filters select the same events as in the run (the summary is that of the whole run)
kv trace -v -w all.kvis --json=all -- gcc -c -o /dev/null a.c 2>err || fail "gcc"
n=$(js "len(E)" all)
for f in "-e trace=openat,read" "-z" "-Z" "-P /usr/include" "-e trace=%file" "-e signal=none"; do
    kv replay -v $f --json=some all.kvis 2>err || fail "$f"
    want "0 < len(E) <= $n" some
done
kv replay -v -Z --json=some all.kvis 2>err
want "all(e.get('error') or e['type'] == 'lost' for e in E)" some
want "len(E) == $(js "len([e for e in E if e.get('error')])" all)" some
kv replay -v -e trace=openat --json=some all.kvis 2>err
eq calls "$(js "len(calls('openat'))" all)" "$(js "len(calls('openat'))" some)"
want "not calls('read') and not by('read') and by('open')" some
kv replay -w second.kvis --json=second all.kvis 2>err # a recording of a replay
kv replay --json=third second.kvis 2>err
cmp second third >&9 || fail "a recording of a replay"
kv replay -v --json all.kvis | head -1 | grep -q '"type":"header"' || fail "to stdout"
cat all.kvis | kv replay -q - 2>err || fail "from stdin"
has err 'time in calls'

# A call that signals interrupt counts once, as in the run, unless it fails with EINTR.
for b in $backends; do
    kv trace -v -q --backend=$b --json=json -w calls.kvis -e trace=nanosleep,pause,ppoll,readv,waitid -- "$BIN/counts" >/dev/null 2>err
    want "[c['ret'] for c in calls('nanosleep')][-1] == 0" # although -e excludes restart_syscall(2)
    kv replay -c -o table calls.kvis
    eq "interrupted calls" "nanosleep 1 0 pause 1 0 ppoll 1 0 readv 3 3 waitid 1 1" "$(echo $(rows table))"
done

# A thread that exits in an interrupted call has no EINTR, even if another one gets its ID.
cat >again.py <<'P'
import os, signal, time
def child(f):
    return os.fork() or f() or os._exit(0)
first = child(signal.pause)
time.sleep(0.2)
os.kill(first, 15)
os.waitpid(first, 0)
open("/proc/sys/kernel/ns_last_pid", "w").write(str(first - 1))
assert os.waitpid(child(lambda: None), 0)[0] == first
P
if unshare -pf --mount-proc "$KVIS" trace -v -q -o /dev/null -w again.kvis -- python3 again.py 2>err; then
    kv replay -c -o table again.kvis
    eq "a call of a thread that exits" "pause 1 0" "$(rows table | grep pause)"
fi
