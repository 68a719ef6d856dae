#!/bin/sh
# kvis proc shows commands of all kinds completely, with the resources that wait4 reports.
# tier: quick asan
# timeout: 60
# needs: root prog:cmd
# covers: E13 E18 O1
. "$TESTS/lib/proc.sh"
each commands ends usage crowd args no_args chain threads ways late_failed daemons failed forks pid_again
PROC_OPT=--backend=ptrace
each commands ends usage crowd args no_args chain threads ways daemons failed forks

# BPF follows long paths to the root: the process is gone before /proc could be read.
deep=$(seq -s / 20)
mkdir -p "$deep" && cp /bin/true "$deep/it"
run proc --json=json -o text -- sh -c "cd $deep && exec ./it"
want "[(e['exe'].endswith('/20/it'), e['cwd'].endswith('/20'), e.get('from')) for e in by('command')][-1] == (True, True, None)"
