#!/bin/sh
# A set-user-ID or set-group-ID copy of kvis refuses to run for another user, and runs for root. A set-user-ID program
# that an ordinary user traces runs without its privileges, and kvis reports this.
# timeout: 30
# tier: gate
# needs: root setpriv python3
. "$TESTS/lib/lib.sh"
d=$(mktemp -d) && chmod 755 "$d" || fail "no directory"
trap 'rm -rf "$d"' EXIT
user() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@" >out 2>err 9>&-; st=$?; }
for mode in 4755 2755 6755; do
    cp "$KVIS" "$d/kvis" && chmod $mode "$d/kvis"
    case $(findmnt -no OPTIONS -T "$d" 2>/dev/null) in *nosuid*) skip "nosuid here" ;; esac
    for words in --version "trace -- touch ran" "check trace"; do
        user "$d/kvis" $words
        status 125
        has err '^kvis: this kvis is set-user-ID or set-group-ID'
        eq "$mode, $words: stdout" "" "$(cat out)"
    done
    "$d/kvis" trace -q -- true >out 2>err 9>&- || fail "$mode: not for root"
done
cp "$KVIS" "$d/kvis" && chmod 755 "$d/kvis"
user "$d/kvis" --version
status 0
cp "$(command -v id)" "$d/id" && chmod 4755 "$d/id"
user "$d/kvis" trace -q -- "$d/id" -u
has err "^kvis: $d/id: the kernel ignored the set-user-ID bit"
eq "its user" 65534 "$(cat out)"
# The privilege of a script is that of its interpreter, and a file can have capabilities.
printf '#!%s -u\n' "$d/id" >"$d/script" && chmod 755 "$d/script"
user "$d/kvis" trace -q -- "$d/script"
has err "^kvis: $d/id: the kernel ignored the set-user-ID bit"
cp "$(command -v id)" "$d/able"
python3 -c 'import os, sys; os.setxattr(sys.argv[1], "security.capability", bytes.fromhex("010000020020000000000000" + 16 * "0"))' "$d/able"
user "$d/kvis" trace -q -- "$d/able" -u
has err "^kvis: $d/able: the kernel ignored the file capabilities"
printf '#!/bin/sh\n' >"$d/script" && chmod 4755 "$d/script"
for how in "$d/kvis trace -q -- $d/script" "setpriv --no-new-privs $d/kvis trace -q -- $d/id -u"; do
    user $how
    hasnt err 'the kernel ignored the'
done
run trace -q -u nobody -- "$d/id" -u # root's tracee keeps it
hasnt err 'the kernel ignored the'
eq "its user" 0 "$(cat out)"
