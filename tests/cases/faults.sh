#!/bin/sh
# Page faults are counted by region, to the page.
# tier: gate asan
# disk: it counts page faults that wait for a disk
# timeout: 60
# needs: python3
. "$TESTS/lib/truth.sh"
KVOPT=--faults
each truth mem faults many
has faults/err "^  page faults     $(js "S['page_faults']" faults/json) in heap and anonymous memory, "
has faults/err "217 faults in anon @ 2000000000.*rw-"
has faults/err "faults in heap @ "
KVOPT=--page-faults
each truth mem faults
KVOPT=
each truth mem heap
want "S.get('page_faults') is None and not by('fault_group')" heap/json
# Faults that wait for a disk, by the kernel's own count; by every backend.
head -c 2000000 /dev/urandom >cold
sync cold
cat >cold.py <<'P'
import mmap, os, resource
f = os.open("cold", os.O_RDONLY)
os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)
m = mmap.mmap(f, 2000000, prot=mmap.PROT_READ)
m.madvise(mmap.MADV_RANDOM) # nothing is read ahead
was = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
for i in range(0, 450, 3): m[i * 4096]
print(resource.getrusage(resource.RUSAGE_SELF).ru_majflt - was)
P
for opt in "" --backend=ptrace; do
    run trace --faults $opt -w rec.kvis --json=json -- python3 cold.py
    kv replay --json=again rec.kvis 2>text
    for f in json again; do
        want "sum(e.get('count', 1) for e in by('fault') + by('fault_group') if e.get('kind') == 'major' and e['region_name'] == '$PWD/cold') == $(cat out) <= S['major_faults']" $f
    done
    [ "$(cat out)" = 0 ] || has err 'major faults? in .*/cold '
done
# kvis on another CPU than the first; the kernel counts 2 048 pages, and what python3 itself touches.
cpu=$(python3 -c 'import os; print(max(os.sched_getaffinity(0)))')
taskset -c "$cpu" "$KVIS" trace --faults --json=json -- python3 -c 'bytearray(8 << 20)' >out 2>err || fail "on CPU $cpu"
want "S['page_faults'] > 2000"
KVOPT=
target pages # regions that were there before kvis
attach -q --faults --json=json
: >go
until_true 10 test -e touched
detach INT 0
untarget
want "sum(e['count'] for e in by('fault_group', region_name='anon') if int(e['region_start'], 16) == 0x200000000000) == 100"
want "sum(e['count'] for e in by('fault_group', region_name='heap')) == 50"
