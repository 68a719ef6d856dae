#!/bin/sh
# A FUSE server and its client can be traced together without a deadlock: neither waits for kvis, nor kvis for them.
# tier: gate asan
# timeout: 90
# needs: root /dev/fuse prog:fuse
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v "-v --no-accel" "-e trace=%desc,%net" "--faults"; do
    case $KVOPT in *-e*) each same fuse process thread ;; *) each truth fuse process thread ;; esac
done
# kvis looks for the file that -P names, on the mount of a server that it has stopped.
for backend in $(backends); do
    rm -rf mnt told
    timeout 30 unshare -m env FUSE_HERE=1 "$KVIS" trace -v --backend=$backend -P mnt/hello -- "$BIN/fuse" thread >out 2>err 9>&-
    eq "$backend: -P on the mount of a tracee" 0 $?
    has err 'open.*mnt/hello", O_RDONLY'
done
# The server does not answer: kvis attaches to a program that has mapped one of its files, and shows a path on its mount.
KVOPT=
hung() { # hung CMD...: the program runs under CMD until the case says so
    rm -rf stop pid json mnt told
    "$@" "$BIN/fuse" hung >hung.out 2>err 9>&- &
    hung=$!
    until_true 10 test -s pid || { wait $hung; [ $? = 77 ] && skip "$(tail -n 1 hung.out)"; fail "hung is not ready"; }
}
hung env
tee=$(cat pid)
nsenter -t "$tee" -m timeout 30 "$KVIS" monitor -c fs -n 1 -i 0.1 >out 2>&1 || fail "monitor waits for the server: $(cat out)"
attach -q --backend=ptrace --json=json
until_true 10 test -s json || fail "kvis waits for the server"
detach INT 0
: >stop
wait $hung
hung "$KVIS" trace --json=json --
until_true 10 grep -q '"path":"[^"]*told"' json || fail "kvis waits for the server"
: >stop
wait $hung
