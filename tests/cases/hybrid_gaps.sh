#!/bin/sh
# No call of a thread is missing where one could: behind a waiting record, at a thread's death, after TSYNC, with a
# full signal queue.
# tier: gate asan
# timeout: 180
# needs: root prog:hyb
# covers: H4 H5 P30
. "$TESTS/lib/truth.sh"
KVOPT="-q -v"
truth hyb behind
head -n 1 json | grep -q '"backend":"hybrid"' || skip "no hybrid backend: $(head -n 1 err)"
for KVOPT in "-q -v -s 4000 --ring=64K" "-q -v"; do
    truth hyb behind
    truth hyb dying
    truth hyb killed
    truth hyb dying 60
    truth hyb tsync
    truth hyb unqueued
done

# A thread that is born while its process is being attached is followed as well.
KVOPT=
# (At the end its eight spawners may be within a clone3, and the last thread of each be without a call yet: each
# waits for its thread before it makes the next.)
for try in 1 2 3; do
    target spawn
    attach -q -v --backend=hybrid --json=json
    until_true 10 has_lines json '"type":"spawn_thread"' 200 || fail "its threads are not seen"
    detach INT 0
    untarget
    want "len([c for c in calls('clone3') if c['ret']]) >= len(calls('clone3')) - 8"
    want "not {e['child_tid'] for e in by('spawn_thread')} - {e['tid'] for e in by('syscall')} - \
        {e['child_tid'] for e in {e['tid']: e for e in by('spawn_thread')}.values()}"
done
