#!/bin/sh
# Short processes, created as fast as two CPUs can, appear exactly once each, with their own arguments.
# tier: quick full asan
# timeout: 120
# needs: root
# covers: O3 P33
. "$TESTS/lib/proc.sh"
storm() { # storm N OPTION...: N commands, each with its own arguments and exit status, at two places at a time
    many=$1; shift
    seq 0 $((many - 1)) | awk '{ print $1, $1 % 200 }' >numbers
    run proc "$@" --json=json -o /dev/null -- xargs -a numbers -P 2 -n 2 sh -c 'exit $1'
    status 123 # of xargs: a command has failed
}
storm "$(some 5000 20000 5000)" --ring=64M # which holds all records, even if kvis does not run meanwhile
want "S['lost'] == 0 and S['ends_unseen'] == 0 and S['commands'] == $((many + 1))"
want "sorted((int(e['argv'][3]), e['exit_code']) for e in by('command') if e['argv'][0] == 'sh') == [(i, i % 200) for i in range($many)]"
# A ring that is too small: what is missing is counted, and kvis ends.
storm 2000 --ring=4096
want "S['lost'] > 0 or len(by('command')) == 2001"
[ "$(js "S['lost']")" = 0 ] || has err "records lost"
