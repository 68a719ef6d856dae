#!/bin/sh
# Under Docker's default seccomp profile and capabilities, each command works, or prints in one line what is missing and
# how to give it to a container. kvis does not advise root in a container to become root.
# tier: gate
# timeout: 90
# needs: root setpriv prog:refuse
. "$TESTS/lib/lib.sh"
caps=-all
for c in chown dac_override fowner fsetid kill setgid setuid setpcap net_bind_service net_raw sys_chroot mknod audit_write setfcap; do
    caps=$caps,+$c
done
in_container() { # in_container CMD...
    say "\$ (in a container) $*"
    setpriv --bounding-set=$caps --inh-caps=-all "$BIN/refuse" docker "$@" >out 2>err 9>&-
    st=$?
}
in_container cat /proc/self/status
has out '^CapEff:[[:space:]]00000000a80425fb$' # what a process in a container of Docker has
has out '^Seccomp:[[:space:]]2$'

# trace works, by ptrace, and sees what it sees outside.
in_container "$KVIS" trace --json=json -- cat /etc/passwd; status 0
cp out contents; cmp -s contents /etc/passwd || fail "the program's output"
want "H['backend'] == 'ptrace' and S['lost'] == 0 and '/etc/passwd' in [e['path'] for e in by('open')]"
in_container sh -c 'sleep 60 & "$0" trace -d 1 -q --json=json -p $!; st=$?; kill $!; exit $st' "$KVIS"; status 0
want "H['backend'] == 'ptrace'"
in_container "$KVIS" trace --backend=hybrid -- touch ran; status 125
eq "lines" 1 "$(wc -l <err)"
has err '^kvis: --backend=hybrid: .*CAP_BPF'

# open follows a command by ptrace, too.
in_container "$KVIS" open -o rows -- cat /etc/passwd; status 0
eq "lines" 1 "$(grep -c ^kvis: err)"
has err '^kvis: tracing the command with ptrace, .*: BPF needs privileges; fix: .*CAP_BPF.*--privileged'
has rows ' /etc/passwd$'
in_container "$KVIS" proc -o rows -- cat /etc/passwd; status 0
has err '^kvis: tracing the command with ptrace, .*: BPF needs privileges; fix: .*CAP_BPF.*--privileged'
has rows ' 0 +[0-9.]+ MB cat /etc/passwd$'

# Commands that need BPF fail, and run no command.
for c in open opensnoop proc execsnoop exitsnoop "open --backend=bpf" "proc --backend=bpf"; do
    case $c in *bpf) set -- -- touch ran ;; *) set -- -d 1 ;; esac
    in_container "$KVIS" $c "$@"; status 125
    eq "$c: lines" 1 "$(wc -l <err)"
    has err '^kvis: cannot watch [a-z]*: .*BPF needs privileges; fix: .*CAP_BPF.*--privileged'
    hasnt err 'run (it|kvis) as root'
done
[ ! -e ran ] || fail "a command ran"

# Metrics from files are present; others are missing with the reason, not 0.
in_container "$KVIS" monitor -n 2 -i 0.1 --json; status 0
want 'all(e["load1"] >= 0 and e["memory_total_bytes"] > 0 for e in E)' out
want 'all("switches_per_second" not in e and any("switches_per_second" in u["metrics"] and "--privileged" in u["reason"] for u in e["unavailable"]) for e in E)' out
in_container "$KVIS" diagnose -d 0.2; status 0
has out '^kvis diagnose: '

in_container "$KVIS" check; status 1
has out '^trace +ptrace: every traced system call stops its thread'
has out '^(open|proc) +works only for a command, with ptrace: BPF needs privileges$'
has out '^monitor +works, without '
hasnt out 'run (it|kvis) as root'
awk 'length > 80' out >long; [ ! -s long ] || fail "longer than 80 columns: $(cat long)"
in_container "$KVIS" check trace; status 0
in_container "$KVIS" check --json=json
want "not [e for e in E if e['type'] == 'check' and not e['works'] and ' as root' in e.get('fix', '')]"
want "[e for e in E if e['name'] == 'page_faults' and not e['works'] and 'perf_event_open in the container' in e['fix']]"
