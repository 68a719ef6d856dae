#!/bin/sh
# The unusual times, addresses and messages of shapes.sh are shown correctly in the layouts of a 32-bit program, too.
# tier: gate asan
# timeout: 60
# needs: arch:x86_64 prog:shapes32
. "$TESTS/lib/lib.sh"
"$BIN/shapes32"
[ $? = 32 ] || skip "this kernel does not run 32-bit programs, or does not have these calls"
for backend in auto ptrace; do
    run trace -v --backend=$backend --json=json -- "$BIN/shapes32"
    status 32
    want "calls('utimensat')[0]['args'][2] == '[UTIME_OMIT, UTIME_NOW]'"
    want "calls('utimensat_time64')[0]['args'][2] == '[UTIME_OMIT, {tv_sec=3, tv_nsec=5}]'" # the rest is no time
    want "calls('nanosleep')[0]['args'][0] == '{tv_sec=0, tv_nsec=1073741823}'"
    want "calls('bind')[0]['args'][1] == r'{sa_family=AF_NETLINK, sa_data=\"\x00\x00\"}'"
    want "calls('msgsnd')[0]['args'][1] == '{mtype=7, mtext=\"abc\"}'"
    want "[(e['uid'], e['gid'], e['error']) for e in by('chown')] == [(5, 6, 'ENOENT'), (-1, 7, 'ENOENT'), (-1, 65534, 'EBADF')]"
    want "calls('setgroups')[0]['args'][1].startswith('0x')" # gid_t of 16 bits
done
