#!/bin/sh
# A child that is killed before its parent's event stop is reported as created once and as killed once.
# tier: quick
# timeout: 90
# needs: python3
. "$TESTS/lib/truth.sh"
# Kills each child of a process as early as possible, until the process is gone. It stops the tracer from time to time, so a
# child can be dead before the tracer learns of its birth.
cat >killer.py <<'END'
import contextlib, os, signal, sys, time
parent, tracer = map(int, sys.argv[1:])
n = 0
while os.path.exists(f"/proc/{parent}/task/{parent}/children"):
    os.kill(tracer, signal.SIGSTOP)
    time.sleep(0.0002)
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for child in open(f"/proc/{parent}/task/{parent}/children").read().split():
            os.kill(int(child), signal.SIGKILL)
    time.sleep(0.0002)
    os.kill(tracer, signal.SIGCONT)
    n += 37
    end = time.monotonic() + n % 3000 / 1e6
    while time.monotonic() < end:
        pass
END
children() { cat "/proc/$1/task/$1/children"; }
n=0
for opt in "" -v "--no-accel -q"; do
    n=$((n + 1))
    rm -rf $n; mkdir $n; cd $n || fail "cd"
    "$KVIS" trace $opt --json=json -- /bin/sh -c '"$0" early 150; exit $?' "$BIN/proc" >facts 2>err 9>&- </dev/null &
    kvis=$!
    # Its parent is not kvis: the kernel reports kvis's own children first.
    until_true 5 eval 'shell=$(children $kvis); tee=$(children $shell); [ "$tee" ]'
    python3 ../killer.py $tee $kvis 9>&-
    wait $kvis; st=$?
    status 0
    py want json facts >&9 || fail "early $opt"
    cd ..
done
