#!/bin/sh
# Short processes, created as fast as two CPUs can, appear exactly once each, with their own arguments.
# tier: quick full asan
# timeout: 120
# needs: root
# covers: O3 P33
. "$TESTS/lib/proc.sh"
cat >storm.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char n[16];
    if (argc > 2)
        return atoi(argv[2]) % 200;
    for (int half = 0; half < 2; half++)
        if (!fork()) {
            for (int i = half; i < atoi(argv[1]); i += 2) {
                snprintf(n, sizeof n, "%d", i);
                if (!vfork())
                    execl(argv[0], "storm", "of", n, NULL), _exit(99);
                if (i % 50 < 2)
                    while (waitpid(-1, NULL, WNOHANG) > 0)
                        ;
            }
            while (wait(NULL) > 0)
                ;
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    return 0;
}
END
${CC:-cc} -O1 -static -o storm storm.c || skip "no compiler"
many=$(some 5000 20000 5000)
# The ring holds all records, even if kvis does not run meanwhile.
run proc --ring=64M --json=json -o /dev/null -- ./storm $many
status 0
want "S['lost'] == 0 and S['ends_unseen'] == 0 and S['commands'] == $((many + 1))"
want "sorted(int(e['argv'][2]) for e in by('command') if e['argv'][1] == 'of') == list(range($many))"
want "all(e['exit_code'] == int(e['argv'][2]) % 200 for e in by('command') if e['argv'][1] == 'of')"
# A ring that is too small: what is missing is counted, and kvis ends.
run proc --ring=4096 --json=json -o /dev/null -- ./storm 2000
status 0
want "S['lost'] > 0 or len(by('command')) == 2001"
[ "$(js "S['lost']")" = 0 ] || has err "records lost"
