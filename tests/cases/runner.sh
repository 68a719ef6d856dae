#!/bin/sh
# The runner counts each case once, as passed, failed or skipped, never exits with 0 if something went wrong, and keeps the
# directory of a case that failed.
# tier: gate
# timeout: 60
# needs: no-kvis python3
. "$TESTS/lib/lib.sh"
mkdir -p tree/lib tree/cases tree/out/log/unwritable
cp "$TESTS/run.sh" tree
cp "$TESTS/lib/runner.py" tree/lib
write() { # write NAME TIMEOUT COMMAND
    printf '#!/bin/sh\n# A case.\n# tier: gate\n# timeout: %s\n%s\n' "$2" "$3" >"tree/cases/$1.sh"
    chmod +x "tree/cases/$1.sh"
}
write passes 5 'exit 0'
write fails 5 ': >made; exit 3'
write skips 5 'echo no luck; exit 77'
write late 1 'exec sleep 30'
write leaves 5 'sleep 30 & exit 0'
write unwritable 5 'exit 0' # its log is a directory: the runner's own error
unset TRIES
runner() { # runner STATUS ARG...
    want=$1
    shift
    NO_APT=1 KVIS=/bin/true tree/run.sh --lanes 2 "$@" >out 2>err 9>&-
    st=$?
    [ "$st" = "$want" ] || fail "run.sh $*: exit $st, not $want"
}
runner 1 passes fails skips late leaves unwritable
for line in '1 passed, 4 failed, 1 skipped$' 'failed: fails: exit status 3' 'failed: late: longer than 3 s' \
    'failed: leaves: left processes behind' 'failed: unwritable: .*the runner' 'skipped: skips: no luck$'; do
    has out "^$line"
done
[ -e tree/out/work/fails/made ] || fail "the directory of a failed case is not kept"
runner 0 passes skips
has out '^1 passed, 0 failed, 1 skipped$'
runner 1 --times 2 fails
# A case that fails and then passes is named, and is not a failure.
write later 5 '[ -e "$OUT/later" ] || { : >"$OUT/later"; exit 1; }'
runner 0 --tries 3 later passes
has out '^passed at try 2 only: later: '
has out '^2 passed, 0 failed, 0 skipped$'
runner 1 --tries 3 fails
has out '^failed: fails: exit status 3'
# A case's mounts are its own: the machine never sees one, and one that stays is a failure.
if [ "$(id -u)" = 0 ]; then
    mkdir mnt
    write mounts 5 "mount -t tmpfs none $PWD/mnt"
    runner 1 mounts
    has out '^failed: mounts: left a mount behind'
    ! grep -q "$PWD/mnt" /proc/self/mounts || fail "the mount of a case is seen outside of it"
fi
runner 1 nosuch
runner 1 --tier vm passes # nothing runs
