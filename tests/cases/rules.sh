#!/bin/sh
# gen/out/rules.h is what gen/rules.sh makes from gen/tables/rules.tbl, and rules.sh refuses a table with a mistake.
# tier: quick
# timeout: 30
# needs: no-kvis python3
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/tables.sh"
copy_generator rules
is_committed rules.h
[ "$(sh gen/rules.sh list | wc -l)" -gt 50 ] || fail "rules.sh list"
finds_mistakes rules rules.h <<'LIST'
s/^\( *finding  \)Cores were.*/\1They were too hot and throttled/~begins with a pronoun
s/^\( *finding  \)Cores were.*/\1Too hot cores/~fewer than four words
s/^\( *finding  \)Cores were.*/\1/~finding: empty
s/^\( *finding  Cores were.*\)/\1./~a full stop
s/^\( *finding  \)Cores were.*/\1A CPU package was too hot and was throttled/~says the same
s/^\( *finding  CPU \)%t is/\1is/~lacks %t
s/^\( *source  *\)udp(7).*/\1/~source: empty
s/^ *next  *sysctl fs.file-nr//~rule limit-files: no next
s/^rule limit-files/rule limit-threads/~stands twice
s/PERIODS >= 0.1/PERIODS > 0.1/~neither >= nor <=
s/PERIODS >= 0.1/PERIODS >= much/~no limit
s/this GR_THROTTLED/here GR_THROTTLED/~no scope
s/all  *BUSY >= 0.7/this BUSY >= 0.7/~this of one machine
s/^words GR_OOM .*//~GR_OOM has no words
s/^\(words GR_OOM *\).*/\1processes killed/~want one % or #
s/members B_CPU/friends B_CPU/~cannot blame
s/ before   RUNQ/ before   QUEUE/~no resource
s/unless   cgroup-oom-kill/unless   no-such-rule/~no rule `no-such-rule` before
s/unless   cgroup-oom-kill/unless   cgroup-oom-kill cgroup-throttled/~more than one rule
s/^    alone .*//~alone is for where
s/ kind  *error/ kind     mistake/~kind is none of
s/^    kind /    sort /~no column
LIST
