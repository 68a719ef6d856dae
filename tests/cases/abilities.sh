#!/bin/sh
# Each feature that kvis check reports as working does work in the commands, and every other feature fails for the
# reason that kvis check gives. The rows, exit status and JSON of kvis check agree with independent probes.
# tier: gate full asan
# timeout: 300
# needs: root prog:refuse
. "$TESTS/lib/lib.sh"
run check --json
[ "$st" -le 1 ] || fail "exit status $st"
cp out json
want 'len([e for e in E if e["type"] == "check"]) >= 16 and S["works"] is (not int("'$st'"))'
row() { js "[e for e in E if e['name'] == '$1'][0]['works']"; } # row NAME: True or False
eq BTF "$([ -r /sys/kernel/btf/vmlinux ] && echo True || echo False)" "$(row btf 2>/dev/null)"
want '[e for e in E if e["name"] == "kernel"][0]["detail"].find("'"$(uname -r)"'") > 0'
want 'all(e["detail"] and (e["works"] or e.get("fix")) for e in E if e["type"] == "check")'
for c in trace open proc monitor; do # what all of them use
    want "'$c' in [e for e in E if e['name'] == 'btf'][0]['useful_for']"
done

# The verdicts: in text the first lines, and what they say is what the commands do.
verdict() { js "[v for v in S['verdicts'] if v['name'] == '$1'][0]['$2']"; } # verdict COMMAND KEY
eq "verdicts" "['trace', 'open', 'proc', 'monitor', 'virt']" "$(js "[v['name'] for v in S['verdicts']]")"
want 'all(v.get("fix") for v in S["verdicts"] if not v["full"])'
run check
awk '/^  / && !/^ *fix: / { printf " %s", substr($0, 12); next } { printf "%s%s", n++ ? "\n" : "", $0 } END { print "" }' out >lines
for c in trace open proc monitor virt; do
    has out "^$c +"
    has lines "^$c +$(verdict $c detail | sed 's/[][()*.]/\\&/g')\$" # text and JSON are the same
done
[ "$(wc -l <out)" -le 11 ] || fail "more than five verdicts, their fixes and one line"
[ -z "$(grep -o 'fix: .*' out | grep -v ' as for ' | sort | uniq -d)" ] || fail "a fix stands twice"
awk 'length > 80' out >long; [ ! -s long ] || fail "longer than 80 columns: $(cat long)"
has out "^kvis check -v shows all $(js "len([e for e in E if e['type'] == 'check'])") features"
run check -v
eq "rows of -v" "$(js "[e['name'] for e in E if e['type'] == 'check']" | tr -cd 'a-z_ ')" \
    "$(sed -n '/^FEATURE/,$s/^\([a-z_]\{1,\}\) .*/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
[ -z "$(grep -o 'fix: .*' out | grep -v ' as for ' | sort | uniq -d)" ] || fail "a fix stands twice with -v"
run trace -q --json=run -- true
eq "hybrid" "$(js 'H["backend"]' run)" "$(verdict trace detail | grep -o '[hp][a-z]*' | grep -m 1 -x 'hybrid\|ptrace')"
run trace -q --faults -- true
eq "page faults" "$(row page_faults)" "$(grep -q 'cannot trace page faults' err && echo False || echo True)"
sleep 30 & pid=$!
run trace --backend=observe -c -d 1 -p $pid
eq "observe" "$(row observe)" "$([ $st = 0 ] && echo True || echo False)"
run trace --backend=ptrace -c -d 1 -p $pid
eq "attach" "$(row attach)" "$([ $st = 0 ] && echo True || echo False)"
kill $pid
for c in open proc; do
    run $c --backend=bpf -o text -- true
    eq "$c" "$(row ${c}_programs)" "$([ $st = 0 ] && echo True || echo False)"
done
detail() { js "[e for e in E if e['name'] == '$1'][0]['detail']"; } # detail NAME
# Each source of monitor works, or fails with the reason that its row gives.
for r in sched_programs=runq block_programs=block pmu=pmc membw=membw power=power virtio_programs=virtio vhost_programs=vhost; do
    run monitor -c "${r#*=}" -n 2 -i 0.1
    case $(row "${r%=*}") in
    True) status 0 ;;
    *) cat out >>err; grep -qF "$(detail "${r%=*}")" err || fail "${r#*=}: another reason than '$(detail "${r%=*}")'" ;;
    esac
done
if [ -e /sys/bus/event_source/devices/kprobe ] && [ -n "$(ls /sys/bus/virtio/devices 2>/dev/null)" ]; then virt=True; else virt=False; fi
eq "kprobes and a virtio device" $virt "$(row virtio_programs)"
[ "$(row virtio_programs)$(row vhost_programs)" != FalseFalse ] && virt=True || virt=False
eq "virt" $virt "$(verdict virt works)"

# A machine without virtio devices has no rings of them, whatever else works.
mkdir -p none/bus/virtio/devices
run check --json=json --path.sysfs=none
eq "no virtio device" "False False" "$(row virtio_programs) $(verdict virt full)"
want '"no virtio device" in [e for e in E if e["name"] == "virtio_programs"][0]["detail"]'

# Calls that a seccomp filter denies, as in a container.
refused() { # refused CALL ROW...: with CALL refused these rows do not work, and the fix names the filter
    call=$1; shift
    say "refuse $call"
    "$BIN/refuse" "$call" "$KVIS" check --json=json >out 2>err 9>&-
    st=$?
    for r; do
        eq "$r without $call" False "$(row "$r")"
        want "'seccomp' in [e for e in E if e['name'] == '$r'][0]['fix']"
    done
}
refused bpf open_programs proc_programs call_programs disk_programs uring_programs observe sched_programs block_programs
eq "exit status" 1 $st
eq "trace without bpf" "ptrace: every traced system call stops its thread" "$(verdict trace detail)"
for c in open proc; do
    eq "$c without bpf" "works only for a command, with ptrace: a seccomp filter forbids bpf(2)" "$(verdict $c detail)"
done
want "all('seccomp' in v['fix'] for v in S['verdicts'] if v['name'] != 'virt') and 'seccomp filter' in S['verdicts'][0]['fix']"
refused perf_event_open page_faults
eq "trace without perf_event_open" "ptrace: every traced system call stops its thread, without page faults" "$(verdict trace detail)"
refused ptrace ptrace attach
eq "trace without ptrace" False "$(verdict trace works)"
want "'ptrace' in S['verdicts'][0]['fix']"
eq "exit status" 1 $st

# A low limit on open files is given as the reason, not the kernel.
for files in $(some 16 "16 20" 16); do
    (ulimit -n $files; exec "$KVIS" check --json=json >out 2>err 9>&-)
    want "any('open files' in v['fix'] for v in S['verdicts'])"
    want "not [v for v in S['verdicts'] if 'report it' in v.get('fix', '') or 'BTF' in v.get('fix', '')]"
done

# And what it calls full does not run out of them.
for files in $(some 64 "22 26 28 32 44 56 60 64" 64); do
    (ulimit -n $files; "$KVIS" check --json=json >out 2>err 9>&-)
    for c in trace open proc; do
        [ "$(verdict $c full)" = True ] || continue
        (ulimit -n $files; exec "$KVIS" $c --json=json2 -o text -- true >out 2>err 9>&-) || fail "$c with $files files"
        case $c in trace) by=hybrid ;; *) by=bpf ;; esac
        eq "$c with $files files" $by "$(js "H['backend']" json2)"
        hasnt text 'open files'
        say "$c is full with $files files"
    done
done

# By command: only what that needs decides.
run check trace -v; status 0
has out '^ptrace +yes '
hasnt out '^open_programs'
run check trace open --json=json
want 'any(e["name"] == "open_programs" for e in E)'
run check -v monitor; status 0
has out '^sched_programs +yes +monitor'
hasnt out '^(open_programs|ptrace) '
for c in open proc; do
    "$BIN/refuse" bpf,ptrace "$KVIS" check $c >out 2>err 9>&-; st=$?; status 1
    has out "^$c +does not work: a seccomp filter forbids bpf.2.\$"
done
run check virt --json=json; status "$([ "$(verdict virt works)" = True ] && echo 0 || echo 1)"
run check replay diff execsnoop; status 0
eq "other commands" "proc replay diff kvis" "$(sed -n 's/^\([a-z]\{1,\}\) .*/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
run check opensnoop; has out '^open +'
run check nonsense; status 2
has err "no command 'nonsense'"

# Without privileges, check reports that open does not work, but trace does.
for_nobody
as_user check open -v; status 1
has out '^open_programs +NO +open +BPF needs privileges$'
has out 'fix: run kvis as root, or with CAP_BPF and CAP_PERFMON'
as_user check trace; status 0
as_user check
[ "$(wc -l <out)" -le 24 ] && ! grep '.\{81\}' out >&9 || fail "more than a screen of 80 by 24"
eq "lines of commands" "trace open proc monitor virt kvis" "$(sed -n 's/^\([a-z]\{1,\}\) .*/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
has out '^trace +ptrace: every traced system call stops'
has out '^(open|proc) +works only for a command, with ptrace: BPF needs privileges$'
eq "the fix stands once" 1 "$(grep -c 'run kvis as root, or with CAP_BPF' out)"
eq "and is referred to" 3 "$(grep -c '^ *fix: same as for open$' out)"
has out 'fix: run kvis as root, or with CAP_SYS_ADMIN$' # of trace: it could use BPF, but not its filter
as_user check -v
eq "the fix stands once with -v, too" 1 "$(grep -c 'fix: run kvis as root, or with CAP_BPF and' out)"
