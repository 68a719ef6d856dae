# proc: kvis proc works on this kernel: all kinds of commands, no lost exits. (Formats and
# replays depend on no kernel: cases/proc_formats.sh, proc_tree.py and proc_report.py.)
# kernels: all
# timeout: 90
. /tests/lib.sh

scenes="ends args chain threads ways daemons crowd usage"
# riscv64: once, reading an argument that was in memory failed (argv_truncated was true), for an unknown reason.
[ "$(uname -m)" = riscv64 ] || scenes="$scenes failed"
case $(uname -r) in
5.* | 6.[0-9].*) ;;
*) scenes="$scenes late_failed" ;;
esac
for scene in $scenes; do
    t_scene $scene "proc -x --forks -o text" cmd $scene
    t_json "$scene: nothing lost" json "S['lost'] == 0 and S['ends_unseen'] == 0"
    cd ..
done

counted() { sed -n 's/^processes //p' /proc/stat; }
before=$(counted)
kvis proc --json=none -o none.txt -- /bin/true
own=$(($(counted) - before)) # kvis, the command, sed, threads of kvis's
before=$(counted)
t_ok "many at once" kvis proc --json=many -o many.txt -- sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true & /bin/true; i=$((i+1)); done; wait'
after=$(counted)
t_json "all of them" many "len(by('command')) == 601 and S['lost'] == 0 and all(e['exit_code'] == 0 for e in by('command'))"
t_json "as many as the kernel counted" many "S['forks'] == $((after - before)) - $own"

t_begin text.txt kvis proc --json=all -o text.txt
sh -c 'exit 3' || :
sleep 0.3
t_stop
t_is "^C ends it well" 0 $st
t_json "a command of the machine" all "[e['exit_code'] for e in by('command') if e['argv'] == ['sh', '-c', 'exit 3']] == [3]"

# In a pid namespace, pids are those of the namespace; forks without an exec are counted.
unshare -p -m -f --mount-proc sh -c 'kvis proc --forks --json=ns -o ns.txt -- sh -c "(exit 5); (/bin/true; exit 6); sh -c \"exit 3\" & wait; echo \$\$ >pid"' 2>ns.err
t_json "in a pid namespace: its commands" ns "sorted(e['exit_code'] for e in by('command')) == [0, 0, 3] and S['lost'] == 0"
t_json "in a pid namespace: its forks" ns "S['forks'] == 4 and len(by('command')) == 3"
t_json "in a pid namespace: its numbers" ns "all(e['pid'] < 100 for e in by('command')) and by('command', pid=$(cat pid))[0]['exit_code'] == 0"
