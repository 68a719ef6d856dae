#!/bin/sh
# kvis decodes the calls of the i386 and x32 ABIs in a 64-bit program by their own tables, and the calls of a 32-bit
# program, even of one that executes a 64-bit program. Its times, addresses and messages are shown by their own layouts.
# tier: gate asan
# timeout: 90
# needs: arch:x86_64
. "$TESTS/lib/truth.sh"
for KVOPT in -v "-v --no-accel"; do each truth abi i386 i386_clone i386_socketcall wide x32; done
KVOPT="-e trace=openat" each truth abi i386_clone
has i386/err 'i386'
[ -x "$BIN/i386" ] && "$BIN/i386"
[ $? = 32 ] || { say "this kernel does not run 32-bit programs, or does not have these calls"; exit 0; }
for opt in "" --backend=ptrace --no-accel; do
    rm -f made32
    gives 32 trace -v $opt --json=json -- "$BIN/i386"
    want "all(c['abi'] == 'i386' for c in E if c['type'] == 'syscall' and c['name'] != 'execve')"
    want "by('open')[-1]['path'] == '$PWD/made32'"
    want "sum(e['bytes'] for e in by('write', filename='$PWD/made32')) == 321"
    want "sum(e['bytes'] for e in by('read', filename='$PWD/made32')) == 32"
    want "len([c for c in calls('getpid')]) == 1 and not calls('writev')"
    has err 'made32'
    want "calls('utimensat')[0]['args'][2] == '[UTIME_OMIT, UTIME_NOW]'"
    want "calls('utimensat_time64')[0]['args'][2] == '[UTIME_OMIT, {tv_sec=3, tv_nsec=5}]'" # the rest is no time
    want "calls('nanosleep')[0]['args'][0] == '{tv_sec=0, tv_nsec=1073741823}'"
    want "calls('bind')[0]['args'][1] == r'{sa_family=AF_NETLINK, sa_data=\"\x00\x00\"}'"
    want "calls('msgsnd')[0]['args'][1] == '{mtype=7, mtext=\"abc\"}'"
    want "[(e['uid'], e['gid'], e['error']) for e in by('chown')] == [(5, 6, 'ENOENT'), (-1, 7, 'ENOENT'), (-1, 65534, 'EBADF')]"
    want "calls('setgroups')[0]['args'][1].startswith('0x')" # gid_t of 16 bits
done
gives 5 trace -v --json=json -- /bin/sh -c "'$BIN/i386'; '$BIN/abi' i386 >facts; exit 5" # 64 to 32 to 64
want "[e['code'] for e in by('exit_process')] == [32, 0, 5]"
run trace -v -e trace=open,getpid --json=json -- "$BIN/i386" # a filter knows the other table's numbers
want "len(calls('getpid')) == 1 and calls('open')[-1]['args'][0].endswith('made32') and not calls('lseek')"
