# armv7: 32-bit ARM, where kvis does not use BPF: calls agree with strace; opens, commands and metrics, from ptrace and
# /proc, agree with programs and the kernel's files; other CPUs can read a recording.
# kernels: armv7
# with: strace
# timeout: 240
. /tests/lib.sh

t_both_sh 30
t_both fd "$BIN/fd" kinds
t_both mem "$BIN/mem" maps

t_how=t_opens
for scene in calls names procs roots deep; do
    t_scene "open-$scene" "open -o rows" opens "$scene"
    t_has "open $scene: why it is by ptrace" err '^kvis: tracing the command with ptrace, .*: the BPF programs of kvis need a 64-bit kernel; fix: '
    rm -rf r d mnt p[0-9]* t[0-9]* rows
    cd ..
done
t_how=t_facts
for scene in ends args chain threads ways; do
    t_scene "proc-$scene" "proc -x --forks -o rows" cmd $scene
    t_json "proc $scene: nothing lost" json "H['backend'] == 'ptrace' and S['lost'] == 0 and S['ends_unseen'] == 0"
    cd ..
done
t_fails 125 "the whole machine" kvis open -d 1
t_has "needs BPF" err '^kvis: cannot watch opens: the BPF programs of kvis need a 64-bit kernel; fix: '

t_ok "monitor" kvis monitor -i 1 -d 2 --json=json -o text
kb() { sed -n "s/^$1: *\([0-9]*\) kB/\1/p" /proc/meminfo; }
t_json "its memory is the kernel's" json "{e['memory_total_bytes'] for e in by('sample')} == {$(kb MemTotal) << 10}"
t_json "and its CPUs" json "{e['cpus_online'] for e in by('sample')} == {$(grep -c ^processor /proc/cpuinfo)}"
t_json "the reason for what is missing" json \
    "{u['source'] for u in by('sample')[0]['unavailable'] if '64-bit kernel' in u['reason']} >= {'runq', 'block'}"

t_ok "recorded" kvis trace -q -v -w r.kvis -- sh -c 'echo a >f; cat f nothere; mv f g'
kvis replay -q -v --json=again r.kvis >/dev/null 2>&1
t_replay "its recording is read by other CPUs" again r.kvis

t_fails 1 "check: not all works" kvis check -v
t_has "programs of trace" out '^call_programs +no .*64-bit kernel'
t_has "programs of open: the same reason" out '^open_programs +NO .* the BPF programs of kvis need a 64-bit kernel$'
t_has "trace" out '^trace +ptrace: every traced system call stops its thread$'
t_has "open" out '^open +works only for a command, with ptrace'
t_has "monitor" out '^monitor +works'
