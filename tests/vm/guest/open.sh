# open: kvis open shows each open that tests/progs/opens.c reports, with both kinds of ring.
# kernels: all
# timeout: 150
# modules: fuse
. /tests/lib.sh

scene() { # scene HOW NAME
    t_how=$1
    t_scene "$2" "open -o rows" opens "$2"
    ran=$?
    rm -rf r d mnt p[0-9]* t[0-9]* rows
    cd ..
    return $ran
}
for s in calls names untouched threads procs roots deep longnames; do scene t_opens $s; done
for s in waits rewritten; do scene t_facts $s; done
if [ -x "$BIN/i386" ]; then
    t_fails 32 "32-bit calls" kvis open -o /dev/null --json=json32 -- "$BIN/i386"
    t_json "all eight" json32 "[(e['call'], e.get('name'), e.get('fd', e.get('error'))) for e in by('open', abi='i386')] == [('open', 'open32', 3), ('openat', 'openat32', 4), ('creat', 'creat32', 5), ('openat2', 'openat232', 'EINVAL'), ('open_by_handle_at', None, 'EFAULT'), ('open', None, 'EFAULT'), ('open', 'nothere32', 'ENOENT'), ('open', 'made32', 6)]"
fi

# A loop of opens, with the default ring, and with a small ring that overflows because kvis is stopped: lost opens are counted.
touch /etc/passwd
t_ok "many" kvis open -o /dev/null --json=many -- "$BIN/loop" 5000
t_json "none missing" many "S['lost'] == 0 and S['events'] == 5002 and len(by('open', name='/etc/passwd')) == 5000"
t_run kvis open -o /dev/null --json=lost --ring=64 -- sh -c 'kill -STOP $PPID; "$1" 5000; kill -CONT $PPID' sh "$BIN/loop"
t_has "losses are told" err '^kvis: [0-9]+ opens lost'
t_json "and counted" lost "S['lost'] > 3000 and S['lost'] + S['events'] == 5003"
rm -f /etc/passwd
