#!/bin/sh
# The runner counts each case once, as passed, failed or skipped, and never ends with 0 when something went wrong.
# tier: quick
# timeout: 60
# needs: python3
. "$TESTS/lib/lib.sh"
mkdir -p tree/lib tree/cases tree/out/log/unwritable
cp "$TESTS/run.sh" tree
cp "$TESTS/lib/runner.py" tree/lib
write() { # write NAME TIMEOUT COMMAND
    printf '#!/bin/sh\n# A case.\n# tier: quick\n# timeout: %s\n%s\n' "$2" "$3" >"tree/cases/$1.sh"
    chmod +x "tree/cases/$1.sh"
}
write passes 5 'exit 0'
write fails 5 'exit 3'
write skips 5 'echo no luck; exit 77'
write late 1 'exec sleep 30'
write slow 300 'exec sleep 30'
write leaves 5 'sleep 30 & exit 0'
write unwritable 5 'exit 0' # its log is a directory: the runner's own error
runner() { # runner STATUS ARG...
    want=$1
    shift
    NO_APT=1 KVIS=/bin/true tree/run.sh --lanes 2 "$@" >out 2>err 9>&-
    st=$?
    [ "$st" = "$want" ] || fail "run.sh $*: exit $st, not $want"
}
unset UNTIL
runner 1 passes fails skips late leaves unwritable
has out '^1 passed, 4 failed, 1 skipped$'
has out '^failed: fails: exit status 3'
has out '^failed: late: longer than 3 s'
has out '^failed: leaves: left processes behind'
has out '^failed: unwritable: .*the runner'
has out '^skipped: skips: no luck$'
runner 0 passes skips
has out '^1 passed, 0 failed, 1 skipped$'
runner 1 --times 2 fails
# A run whose time is over: what has not begun and what it ended is skipped; what takes too long anyway has failed.
UNTIL=$(($(date +%s) - 1))
export UNTIL
runner 0 passes
has out '^skipped: passes: no time was left for it in this run$'
sed -i 's/^GRACE = .*/GRACE = 1/' tree/lib/runner.py
UNTIL=$(($(date +%s) + 5))
runner 0 slow
has out '^skipped: slow: no time was left for it in this run: ended after'
UNTIL=$(($(date +%s) + 1000))
runner 1 late
has out '^failed: late: longer than 3 s'
unset UNTIL
runner 1 nosuch
runner 1 --tier vm passes # nothing runs
