#!/bin/sh
# A set-user-ID or set-group-ID copy of kvis refuses to run for another user, and runs for root. A set-user-ID program
# that an ordinary user traces runs without its privileges, and kvis reports this.
# timeout: 30
# tier: gate
# needs: root setpriv python3
. "$TESTS/lib/lib.sh"
d=$(mktemp -d) && chmod 755 "$d" || fail "no directory"
trap 'rm -rf "$d"' EXIT
for mode in 4755 2755 6755; do
    cp "$KVIS" "$d/kvis" && chmod $mode "$d/kvis"
    case $(findmnt -no OPTIONS -T "$d" 2>/dev/null) in *nosuid*) skip "nosuid here" ;; esac
    for words in --version "trace -- touch ran" "check trace"; do
        (cd "$d" && exec setpriv --reuid 65534 --regid 65534 --clear-groups ./kvis $words) >out 2>err 9>&-
        eq "$mode, $words" 125 $?
        has err '^kvis: refuses to run set-user-ID or set-group-ID'
        eq "$mode, $words: stdout" "" "$(cat out)"
    done
    "$d/kvis" trace -q -- true >out 2>err 9>&- || fail "$mode: not for root"
done
cp "$KVIS" "$d/kvis" && chmod 755 "$d/kvis"
setpriv --reuid 65534 --regid 65534 --clear-groups "$d/kvis" --version >out 2>err || fail "an ordinary copy"
cp "$(command -v id)" "$d/id" && chmod 4755 "$d/id"
setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$d/kvis" trace -q -- "$d/id" -u >out 2>err 9>&-
has err "^kvis: $d/id is set-user-ID, but runs without that privilege"
eq "its user" 65534 "$(cat out)"
# The privilege of a script is that of its interpreter, and a file can have capabilities.
user() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@" >out 2>err 9>&-; }
printf '#!%s -u\n' "$d/id" >"$d/script" && chmod 755 "$d/script"
user "$d/kvis" trace -q -- "$d/script"
has err "^kvis: $d/id is set-user-ID, but runs without that privilege"
printf '#!/bin/sh\n' >"$d/script" && chmod 4755 "$d/script"
user "$d/kvis" trace -q -- "$d/script"
hasnt err 'without that privilege'
user setpriv --no-new-privs "$d/kvis" trace -q -- "$d/id" -u
hasnt err 'without that privilege'
cp "$(command -v id)" "$d/able"
python3 -c 'import os, sys; os.setxattr(sys.argv[1], "security.capability", bytes.fromhex("010000020020000000000000" + 16 * "0"))' "$d/able"
user "$d/kvis" trace -q -- "$d/able" -u
has err "^kvis: $d/able has file capabilities, but runs without that privilege"
"$d/kvis" trace -q -- "$d/id" -u >out 2>err 9>&-
hasnt err 'without that privilege'
