#!/bin/sh
# A signal to the process group of kvis and its command reaches the command once, whichever process sends it, and kvis
# ends with the command; a signal that is sent to kvis alone is passed on. SIGHUP does not end a kvis that nohup(1) started, and the
# program that kvis starts ignores the signal as well.
# tier: gate
# timeout: 120
# needs: root python3 strace
. "$TESTS/lib/lib.sh"
cat >job <<'EOF'
trap 'echo got >>got' TERM
kill -TERM 0
sh -c 'trap "" TERM; kill -TERM 0; sleep 0.1'
sleep 0.3
echo end >end
exit 7
EOF
cat >asked <<'EOF'
trap 'echo INT >>got' INT
trap 'echo TERM >>got' TERM
trap 'echo USR1 >>got' USR1
: >ready
until [ -e stop ]; do sleep 0.02; done
exit 7
EOF
cat >third.py <<'EOF' # a leader of a group: it signals the group and then kvis alone; each time the command has to say so
import os, signal, subprocess, sys, time
def told(n):
    for i in range(1200):
        if os.path.exists("got") and len(open("got").readlines()) >= n:
            return
        time.sleep(0.05)
    open("stop", "w").close()
    sys.exit(f"the command has not got signal {n}: {open('got').read().split()}")
def taken(*pids): # TERM, INT and USR1
    for pid in pids:
        while any(l.startswith("ShdPnd:") and int(l.split()[1], 16) & 0x4202 for l in open(f"/proc/{pid}/status")):
            time.sleep(0.001)
def witness(pid): # the process that tells kvis about the group's signals; ptrace needs none
    kids = open(f"/proc/{pid}/task/{pid}/children").read().split()
    return [int(k) for k in kids if open(f"/proc/{k}/comm").read() == "signals\n"]
signal.signal(signal.SIGINT, signal.SIG_DFL)
with subprocess.Popen(sys.argv[1:], start_new_session=True) as p:
    while not os.path.exists("ready"):
        time.sleep(0.02)
    os.killpg(p.pid, signal.SIGTERM)
    told(1)
    os.killpg(p.pid, signal.SIGINT)
    told(2)
    taken(p.pid, *witness(p.pid)) # else the kernel would merge the next signal with the one before
    os.kill(p.pid, signal.SIGINT)
    told(3)
    os.killpg(p.pid, signal.SIGUSR1)
    told(4)
    taken(p.pid, *witness(p.pid))
    for i in (5, 6): # kvis ends by none of them
        os.kill(p.pid, signal.SIGUSR1)
        told(i)
    for pid in witness(p.pid) if sys.argv[1] != "strace" else []: # signals of two senders merge in the witness, but not in kvis
        go, ready = os.pipe()
        if os.fork() == 0:
            os.read(go, 1)
            os.killpg(p.pid, signal.SIGTERM)
            os._exit(0)
        os.kill(pid, signal.SIGSTOP)
        while open(f"/proc/{pid}/stat").read().split()[2] != "T":
            time.sleep(0.001)
        os.killpg(p.pid, signal.SIGTERM)
        taken(p.pid)
        os.write(ready, b"x")
        os.wait()
        taken(p.pid)
        os.kill(pid, signal.SIGCONT)
        taken(pid)
        for i in range(20): # more than kvis keeps
            os.killpg(p.pid, signal.SIGTERM)
        taken(pid, p.pid)
        time.sleep(0.1)
    open("stop", "w").close()
sys.exit(p.returncode)
EOF
for how in "trace --backend=ptrace" "trace" "proc -o rows" "open -o rows" "diagnose -o rows" "proc --backend=ptrace -o rows"; do
    rm -f got end ready stop
    setsid -w "$KVIS" $how -- sh job >out 2>err 9>&-
    eq "status of $how" 7 $?
    [ -e end ] || fail "$how returned while the command still ran"
    eq "signals that the command got under $how" 2 "$(wc -l <got)"
    rm -f got
    python3 third.py "$KVIS" $how -- sh asked >out 2>err 9>&-
    eq "status of $how" 7 $?
    eq "signals that the command got under $how" "TERM INT INT USR1 USR1 USR1" "$(head -n 6 got | xargs)"
done
# A witness that runs late, as on a busy machine, does not take the signal to kvis alone for one to the group.
rm -f got ready stop
python3 third.py strace -DDD -f -o trace -e trace=sched_setscheduler -e inject=sched_setscheduler:delay_enter=400000 \
    "$KVIS" proc -o rows -- sh asked >out 2>err 9>&-
eq "status beside a late witness" 7 $?
eq "signals beside a late witness" "TERM INT INT USR1 USR1 USR1" "$(head -n 6 got | xargs)"
[ "$(grep -c DELAYED trace)" = 1 ] || fail "nothing was late"

# SIGHUP, with nohup(1).
sleep 300 &
sleeper=$!
trap 'kill $sleeper' EXIT
for command in "trace -q -p $sleeper" "open -p $sleeper" "proc -p $sleeper" "monitor -c cpu"; do
    nohup "$KVIS" $command >out 2>err 9>&- &
    kvis=$!
    until grep -q '^SigCgt:.*[4567cdef]...$' /proc/$kvis/status; do # kvis catches SIGTERM when it is ready
        kill -0 $kvis || fail "$command: it has ended"
    done
    grep -q '^SigIgn:.*[13579bdf]$' /proc/$kvis/status || fail "$command: it does not ignore SIGHUP"
    kill -HUP $kvis
    kill -TERM $kvis
    wait $kvis
    st=$?
    say "$command: $st"
    [ "${command%% *}" = monitor ] || [ $st = 143 ] || fail "it ended by another signal: $st"
done
nohup "$KVIS" trace -q -- grep SigIgn /proc/self/status >out 2>err 9>&-
grep -q '[13579bdf]$' out || fail "the program finds SIGHUP not ignored"
