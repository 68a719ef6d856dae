#!/bin/sh
# Unusual arguments are shown as the kernel interprets them: invalid times, socket addresses and structures that are
# shorter or longer than known, results of another type, and the address of a fault. Times, addresses and messages of
# 32-bit programs are shown by their own layouts.
# tier: gate asan
# timeout: 120
. "$TESTS/lib/truth.sh"
KVOPT="-v -s 4096" each truth shapes sleeps wide times sockaddrs messages sizes larger others
! grep -q 'ppoll(' others/err || has others/err 'ppoll\(.*= 1 \(\[\.\.\.\]\)'
each truth shapes opens faults
has opens/err 'open .*/made \(path\)$'
has opens/err 'open .*/made \(ioctl\)$'
has faults/err 'signal SIGSEGV \(SEGV_MAPERR\) @ 0x1234$'
[ "$(uname -m)" != x86_64 ] || has faults/err 'signal SIGSEGV \(SI_KERNEL\)$'
[ -x "$BIN/shapes32" ] && "$BIN/shapes32"
[ $? = 32 ] || { say "this kernel does not run 32-bit programs, or does not have these calls"; exit 0; }
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
