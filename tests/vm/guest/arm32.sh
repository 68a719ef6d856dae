# arm32: 32-bit ARM programs (also on an arm64 kernel) are decoded by their own table, and behave as untraced.
# kernels: arm64 armv7
# with: strace
# timeout: 120
. /tests/lib.sh

[ -x "$BIN/arm32" ] || { t_skip "32-bit ARM" "no compiler for it"; exit 0; }
st=0
"$BIN/arm32" || st=$?
[ $st = 32 ] || { t_skip "32-bit ARM" "this kernel or CPU does not run it: status $st"; exit 0; }
for how in auto ptrace "ptrace --no-accel"; do
    rm -f made32
    t_fails 32 "it ends as untraced: $how" kvis trace -v --backend=$how --json=json -- "$BIN/arm32" strict
    t_is "and says the same: $how" strict "$(cat out)"
    name=json.$(echo "$how" | tr -d ' ')
    mv json "$name"
    t_json "all its calls are of arm: $how" "$name" \
        "all(c.get('abi', H['arch'][:3]) == 'arm' for c in E if c['type'] == 'syscall' and c['name'] != 'execve')"
    t_json "every call has its name: $how" "$name" "not [c for c in E if c['type'] == 'syscall' and c['name'].startswith('syscall_')]"
    t_json "its open: $how" "$name" "[(e['path'], e['access']) for e in by('open', fd=3)] == [('$PWD/made32', 'read/write')]"
    t_json "an open that failed: $how" "$name" "[e['error'] for e in by('open', path='$PWD/nothere32')] == ['ENOENT']"
    t_json "bytes written: $how" "$name" "sum(e['bytes'] for e in by('write', filename='$PWD/made32')) == 321 + 7"
    t_json "bytes read: $how" "$name" "sum(e['bytes'] for e in by('read', filename='$PWD/made32')) == 32 + 9"
    t_json "send and recv: $how" "$name" "[S['net_bytes_sent'], S['net_bytes_received']] == [11, 11]"
    t_json "64-bit offsets: $how" "$name" "[calls('pwrite64')[0]['args'][4:], calls('pread64')[0]['args'][4:]] == [['0x141', '0'], ['0x12c', '0']]"
    t_json "a 64-bit size: $how" "$name" "[e['size'] for e in by('truncate')] == [(1 << 32) + 1000]"
    t_json "a lock: $how" "$name" "'l_start=8589934592, l_len=5' in calls('fcntl64')[0]['args'][2]"
    t_json "a sleep: $how" "$name" "calls('nanosleep')[0]['args'][0] == '{tv_sec=0, tv_nsec=1000}'"
    t_json "calls of arm's own: $how" "$name" "[calls('set_tls')[0]['args'], calls('cacheflush')[0]['ret']] == [['0x1234'], 0]"
    t_json "a child that must not be traced: $how" "$name" "[e['code'] for e in by('exit_process')] == [5, 32]"
done
rm -f made32
t_fails 32 "a filter knows its numbers" kvis trace -v -e trace=open,getpid --json=json -- "$BIN/arm32"
t_json "what is asked for, and nothing else" json "{c['name'] for c in E if c['type'] == 'syscall'} == {'open', 'getpid'}"
rm -f made32
t_fails 32 "kvis open" kvis open --json=opens -- "$BIN/arm32"
t_json "kvis open sees its opens" opens \
    "[(e['call'], e['path'], e.get('abi', H['arch'][:3]), e.get('error')) for e in by('open') if 'here32' in e['path'] or 'made32' in e['path']] == [('open', '$PWD/made32', 'arm', None), ('openat', '$PWD/nothere32', 'arm', 'ENOENT')]"
rm -f made32
t_fails 32 "kvis proc" kvis proc -x --json=procs -- "$BIN/arm32"
# BPF has the path as the call gave it; with ptrace, kvis knows the working directory.
t_json "kvis proc sees its exec that failed" procs \
    "[(e['path'], e['argv'], e['error']) for e in by('exec_failed')] == [({'bpf': '', 'ptrace': '$PWD/'}[H['backend']] + 'nothere32', ['no', 'such'], 'ENOENT')]"
rm -f made32 # it has 4 GB
t_both both "$BIN/arm32" traced # strace does not see a CLONE_UNTRACED child
