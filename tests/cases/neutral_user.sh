#!/bin/sh
# A program of another user sees the same when traced: no no_new_privs, and setuid programs are named.
# tier: gate
# timeout: 60
# needs: root setpriv
# covers: P22 P36
. "$TESTS/lib/lib.sh"
chmod 777 .
cp "$BIN/self" self; cp "$KVIS" kvis
chmod 755 self kvis; chmod o+x . 2>/dev/null
as="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"
$as ./self >native 2>err 9>&- </dev/null || skip "cannot run as another user here"
for opt in --no-accel "" -v; do
    $as ./kvis trace $opt -- ./self >traced 2>err 9>&- </dev/null
    st=$?
    status 0
    grep -v Seccomp native >native2; grep -v Seccomp traced >traced2
    diff native2 traced2 >&9 || fail "not neutral with '$opt'"
done
cp self setuid; chmod 4755 setuid
$as ./kvis trace -- ./setuid >traced 2>err 9>&- </dev/null
st=$?
status 0
has traced '^uid 65534 65534' # the kernel gives no privilege to who is traced by an ordinary user
has err ' exec ./setuid$'
kv trace -u nobody -- ./setuid >traced 2>err </dev/null # root's tracee keeps it
has traced '^uid 65534 0'
