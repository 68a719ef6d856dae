#!/bin/sh
# kvis proc shows commands of all kinds completely, with the resources that wait4 reports.
# tier: quick full asan
# timeout: 120
# needs: root prog:cmd
. "$TESTS/lib/truth.sh"
command="proc -x --forks -o text"
# commands SCENE...: tests/progs/cmd.c under kvis proc, each scene in a directory of its own.
commands() {
    for scene; do
        scene_in "$scene" truth cmd "$scene" || continue # this machine cannot do it
        want "S['lost'] == 0 and S['ends_unseen'] == 0" "$scene/json"
    done
}
commands ends usage crowd args no_args chain threads ways late_failed daemons failed pid_again
KVOPT=--backend=ptrace
commands ends usage crowd args no_args chain threads ways daemons failed

# BPF follows long paths to the root: the process is gone before /proc could be read.
deep=$(seq -s / 20)
mkdir -p "$deep" && cp /bin/true "$deep/it"
run proc --json=json -o text -- sh -c "cd $deep && exec ./it"
want "[(e['exe'].endswith('/20/it'), e['cwd'].endswith('/20'), e.get('from')) for e in by('command')][-1] == (True, True, None)"

# Short processes, created as fast as two CPUs can, appear exactly once each, with their own arguments.
storm() { # storm N OPTION...: N commands, each with its own arguments and exit status, at two places at a time
    many=$1; shift
    seq 0 $((many - 1)) | awk '{ print $1, $1 % 200 }' >numbers
    gives 123 proc "$@" --json=json -o /dev/null -- xargs -a numbers -P 2 -n 2 sh -c 'exit $1' # 123: a command of xargs failed
}
storm "$(some 5000 20000 5000)" --ring=64M # which holds all records, even if kvis does not run meanwhile
want "S['lost'] == 0 and S['ends_unseen'] == 0 and S['commands'] == $((many + 1))"
want "sorted((int(e['argv'][3]), e['exit_code']) for e in by('command') if e['argv'][0] == 'sh') == [(i, i % 200) for i in range($many)]"
# A ring that is too small: lost records are counted, and kvis ends.
storm 2000 --ring=4096
want "S['lost'] > 0 or len(by('command')) == 2001"
[ "$(js "S['lost']")" = 0 ] || has err "records lost"
