#!/bin/sh
# What kvis check says works here does work: its rows, exit status and JSON agree with independent probes.
# tier: quick asan
# timeout: 60
# needs: root prog:refuse
# covers: E4 E7
. "$TESTS/lib/lib.sh"
run check --json
[ "$st" -le 1 ] || fail "exit status $st"
cp out json
want 'len([e for e in E if e["type"] == "check"]) >= 20 and S["works"] is (not int("'$st'"))'
row() { js "[e for e in E if e['name'] == '$1'][0]['works']"; } # row NAME: True or False
eq BTF "$([ -r /sys/kernel/btf/vmlinux ] && echo True || echo False)" "$(row btf 2>/dev/null)"
eq kprobes "$([ -e /sys/bus/event_source/devices/kprobe ] && echo True || echo False)" "$(row kprobes)"
want '[e for e in E if e["name"] == "kernel"][0]["detail"].find("'"$(uname -r)"'") > 0'
want 'all(e["mend"] for e in E if not e["works"] and "open" in e["needed_by"])'

want 'all(e.get("mend") for e in E if e["type"] == "check" and not e["works"])'
# a row a program and form of it, with its tracepoint
eq programs "$(cat "$TESTS"/../bpf_insns/*.h | grep -c '^    { \.name = "')" \
    "$(js "len([e for e in E if e['type'] == 'check' and ' fields' in e['detail']])")"
want "[e for e in E if e['name'] == 'open_enter_tp' and e['detail'].startswith('raw_syscalls/sys_enter, ')]"
want "[e for e in E if e['name'] == 'call_switch' and e['detail'].startswith('sched_switch, ')]"
[ "$(cat /proc/sys/net/core/bpf_jit_enable 2>/dev/null || echo 1)" = 0 ] && jit=False || jit=True
eq JIT $jit "$(row bpf_jit)"
eq lockdown "$(grep -q '\[confidentiality\]' /sys/kernel/security/lockdown 2>/dev/null && echo False || echo True)" "$(row lockdown)"

# Under a filter like a container's: what is refused, by name, and by whom.
refused() { # refused CALL ROW...: with CALL refused these rows do not work, and the filter is named
    call=$1; shift
    say "refuse $call"
    "$BIN/refuse" "$call" "$KVIS" check --json=json >out 2>err 9>&-
    st=$?
    want "[e for e in E if e['name'] == 'seccomp' and not e['works'] and e['detail'].endswith('refuses $call') and 'seccomp' in e['mend']]"
    for r; do eq "$r without $call" False "$(row "$r")"; done
}
refused bpf bpf raw_tracepoints ring_buffer perf_rings bpf_jit open_programs call_programs disk_programs uring_programs sched_programs block_programs virtio_programs vhost_programs send_signal kprobes
eq "exit status" 1 $st
want "all('seccomp' in e['mend'] for e in E if e['name'] in ('bpf', 'raw_tracepoints', 'ring_buffer', 'send_signal'))"
refused perf_event_open perf_rings page_faults
refused ptrace ptrace attach
eq "exit status" 1 $st
refused process_vm_readv tracee_memory
"$BIN/refuse" bpf "$KVIS" open >out 2>err 9>&-; st=$?
status 125
has err '^kvis: cannot watch opens: .*seccomp'
"$BIN/refuse" bpf "$KVIS" trace -q --json=json -- true >out 2>err 9>&-; st=$?
status 0
want "H['backend'] == 'ptrace'"

# By command: only what that needs decides.
run check trace; status 0
has out '^ptrace +yes '
hasnt out '^open_programs'
run check trace open --json=json
want 'any(e["name"] == "open_programs" for e in E)'
run check monitor; status 0
has out '^sched_programs +yes +monitor'
hasnt out '^(open_programs|ptrace) '
run check nonsense; status 2
has err "no command 'nonsense'"

# Without rights it says so, and trace works all the same.
setpriv --reuid=65534 --clear-groups true 2>/dev/null || exit 0
cp "$KVIS" kvis; chmod 755 kvis .
KVIS="setpriv --reuid=65534 --regid=65534 --clear-groups ./kvis"
kvu() { say "\$ $KVIS $*"; $KVIS "$@" >out 2>err 9>&-; st=$?; }
kvu check open; status 1
has out '^bpf +NO '
has out 'fix: it takes root'
kvu check trace; status 0
