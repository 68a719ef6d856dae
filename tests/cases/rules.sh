#!/bin/sh
# gen/rules.h is what gen/rules.sh makes of gen/tables/rules.tbl, and rules.sh refuses a table with a mistake.
# tier: quick
# timeout: 30
. "$TESTS/lib/lib.sh"
mkdir -p gen/tables
cp "$TESTS/../gen/rules.sh" gen
cp "$TESTS/../gen/tables/rules.tbl" gen/tables
sh gen/rules.sh || fail "rules.sh"
cmp gen/rules.h "$TESTS/../gen/rules.h" >&9 || fail "gen/rules.h is not what gen/rules.sh makes: run make gen"
[ "$(sh gen/rules.sh list | wc -l)" -gt 50 ] || fail "rules.sh list"
sh gen/rules.sh nonsense 2>err; [ $? = 2 ] || fail "no usage error"
n=0
while IFS='|' read -r script want; do
    sed "$script" "$TESTS/../gen/tables/rules.tbl" >gen/tables/rules.tbl
    cmp -s gen/tables/rules.tbl "$TESTS/../gen/tables/rules.tbl" && fail "changes nothing: $script"
    cp gen/rules.h before
    sh gen/rules.sh 2>err && fail "takes: $script"
    has err "$want"
    cmp -s gen/rules.h before || fail "$script: rules.h was written"
    n=$((n + 1))
done <<'END'
s/^\( *finding  \)Cores were.*/\1They were too hot and throttled/|begins with a pronoun
s/^\( *finding  \)Cores were.*/\1Too hot cores/|fewer than four words
s/^\( *finding  \)Cores were.*/\1/|finding: empty
s/^\( *finding  Cores were.*\)/\1./|a full stop
s/^\( *finding  \)Cores were.*/\1A CPU package was too hot and was throttled/|says the same
s/^\( *finding  CPU \)%t is/\1is/|lacks %t
s/^\( *source  *\)udp(7).*/\1/|source: empty
s/^ *next  *sysctl fs.file-nr//|rule limit-files: no next
s/^rule limit-files/rule limit-threads/|stands twice
s/PERIODS >= 0.1/PERIODS > 0.1/|neither >= nor <=
s/PERIODS >= 0.1/PERIODS >= much/|no limit
s/this GR_THROTTLED/here GR_THROTTLED/|no scope
s/all  *BUSY >= 0.7/this BUSY >= 0.7/|this of one machine
s/^words GR_OOM .*//|GR_OOM has no words
s/^\(words GR_OOM *\).*/\1processes killed/|want one % or #
s/members B_CPU/friends B_CPU/|cannot blame
s/ before   RUNQ/ before   QUEUE/|no resource
s/unless   cgroup-oom-kill/unless   no-such-rule/|no rule `no-such-rule` before
s/unless   cgroup-oom-kill/unless   cgroup-oom-kill cgroup-throttled/|more than one rule
s/^    alone .*//|alone is for where
s/ kind  *error/ kind     mistake/|kind is none of
s/^    kind /    sort /|no column
END
say "$n mistakes are found"
