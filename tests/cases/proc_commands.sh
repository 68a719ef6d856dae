#!/bin/sh
# kvis proc shows commands of all kinds completely, with the resources that wait4 reports.
# tier: quick asan
# timeout: 60
# needs: root prog:cmd prog:pid_again
# covers: E13 E18 O1
. "$TESTS/lib/proc.sh"
each commands ends usage crowd args no_args chain threads ways late_failed daemons failed forks
PROC_OPT=--backend=ptrace
each commands ends usage crowd args no_args chain threads ways daemons failed forks

# One number, used by two processes one after the other: two records.
kv proc --forks --json=json -o text -- "$BIN/pid_again" >again 2>err
if [ -s again ]; then
    want "[(e['exit_code'], e['type']) for e in by('process', pid=$(cat again))] == [(0, 'process')] * 2"
    want "(lambda a, b: a['ts_ns'] <= b['fork_ns'] and a['fork_ns'] < b['fork_ns'])(*by('process', pid=$(cat again)))"
    want "S['forks'] == 2 and S['ends_unseen'] == 0"
else
    say "no pid twice here"
fi

# BPF follows long paths to the root: the process is gone before /proc could be read.
deep=$(seq -s / 20)
mkdir -p "$deep" && cp /bin/true "$deep/it"
run proc --json=json -o text -- sh -c "cd $deep && exec ./it"
want "[(e['exe'].endswith('/20/it'), e['cwd'].endswith('/20'), e.get('from')) for e in by('command')][-1] == (True, True, None)"
