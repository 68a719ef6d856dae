# boot: the kernel starts kvis first (rdinit=/bin/kvis): init is still process 1, and kvis records it from its first
# command on.
# kernels: all
# timeout: 30
# cmdline: rdinit=/bin/kvis -- proc --json=/boot.json --report=/boot.html -w /boot.kvis -o /boot.txt /init
. /tests/lib.sh

t_is "process 1 is init" "/bin/busybox sh /init" "$(tr '\0' ' ' </proc/1/cmdline | sed 's/ $//')"
t_is "init's mounts are its own" 1 "$(grep -c ' /proc ' /proc/mounts)"
kvis=$(pidof kvis)
t_is "kvis is a child of it" 1 "$(sed -n 's/^PPid:\t//p' "/proc/$kvis/status")"
before=$(sed -n 's/^processes //p' /proc/stat)
i=0
while [ $i -lt 50 ]; do /bin/busybox true "mark $i"; i=$((i + 1)); done
sh -c 'exit 3' || :
after=$(sed -n 's/^processes //p' /proc/stat)
t_is "the kernel counted" 52 $((after - before)) # and sed
sleep 0.5
kill -TERM "$kvis"
until_true 5 test ! -e "/proc/$kvis/cmdline"
cp /boot.json /boot.txt /boot.html /boot.kvis .
t_json "what init began with" boot.json "[e['exit_code'] for e in by('command') if e['argv'] == ['mount', '-t', 'proc', 'proc', '/proc']] == [0]"
t_json "each once" boot.json "[e['argv'][2] for e in by('command') if e['argv'][:2] == ['/bin/busybox', 'true']] == ['mark %d' % i for i in range(50)]"
t_json "exit" boot.json "[e['exit_code'] for e in by('command') if e['argv'] == ['sh', '-c', 'exit 3']] == [3]"
t_json "nothing lost" boot.json "S['lost'] == 0 and S['ends_unseen'] == 0"
t_json "init runs on" boot.json "[e['end'] for e in by('command') if e['pid'] == 1][-1] == 'running'"
t_has "text" boot.txt ' mount -t proc proc /proc$'
t_ok "the recording" kvis replay -q --report=again.html boot.kvis
t_ok "the same page of it" cmp boot.html again.html
