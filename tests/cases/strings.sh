#!/bin/sh
# -v shows arguments by name, strings up to the length set by -s, times and results.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/lib.sh"
text="0123456789012345678901234567890123456789"
sh="printf $text >file"
run trace -v -- /bin/sh -c "$sh"
has err 'write\(1<[^>]*/file>, "01234567890123456789012345678901"\.\.\., 40\) += 40'
run trace -v -s 5 -- /bin/sh -c "$sh"
has err 'write\(1<[^>]*/file>, "01234"\.\.\., 40\)'
run trace -v -s 100 -- /bin/sh -c "$sh"
has err "write\\(1<[^>]*/file>, \"$text\", 40\\)"
has err 'openat\(AT_FDCWD[^,]*, "file", O_WRONLY\|O_CREAT\|O_TRUNC(\|O_LARGEFILE)?, 0666\) += [0-9]+<.*/file>'
has err 'execve\("/bin/sh", \["/bin/sh", "-c", '
has err 'exit_group\(0\) += \?'
run trace -v -s 0 -- /bin/sh -c "$sh"
has err 'write\(1<[^>]*/file>, ""\.\.\., 40\)'
run trace -v -s 4 -- /bin/echo xyzä # a text does not end inside a character
has err 'write\(1<.*>, "xyz"\.\.\., 6\)'
for bad in x -1 '' 5x 99999999999999999999; do run trace -s "$bad" -- /bin/true; status 2; done
timed() { run trace -v --backend=ptrace "$@" -- /bin/true; }
timed -t; has err '[0-2][0-9]:[0-5][0-9]:[0-5][0-9][^.]'
timed -tt; has err '[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{6}'
timed -ttt; has err '1[0-9]{9}\.[0-9]{6}'
timed -r; has err '0\.0[0-9]+'
for o in "-r -tt" "-tt -r"; do # both, as strace has them
    timed $o; has err '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{6} \(\+ +[0-9]+\.[0-9]{6}\) execve'
done
for o in -tttt "-$(printf 't%.0s' $(seq 257))"; do timed $o; has err '^1[0-9]{9}\.[0-9]{6} execve'; done
run trace -v -y -f -T -- /bin/true; status 0; has err '<[0-9.]+ ?[mun]?s?>'
run trace -v --json=json -- /bin/sh -c "$sh"
want "calls('write')[-1]['ret'] == 40 and calls('write')[-1]['error'] is None and calls('write')[-1]['duration_ns'] > 0"
want "len(calls('write')[-1]['args']) == 3 and 'file' in calls('write')[-1]['args'][0]"
want "[c['ret'] for c in calls('exit_group')] == [None]"
want "all(isinstance(c['ret'], str) and c['ret'].startswith('0x') for c in calls('mmap') if not c['error'])"
want "S['syscalls'] == len([e for e in E if e['type'] == 'syscall'])"
want "all(E[i]['ts_ns'] >= 0 for i in range(len(E)))"
