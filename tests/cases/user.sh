#!/bin/sh
# -u runs the command as another user, with that user's groups and HOME.
# tier: quick
# timeout: 60
# needs: root
. "$TESTS/lib/lib.sh"
chmod 777 .
run trace -u nobody --json=json -- /bin/sh -c 'id -u; id -g; id -un; echo x >mine'
status 0
eq "id" "65534 65534 nobody" "$(tr '\n' ' ' <out | sed 's/ $//')"
eq "owner" nobody "$(stat -c %U mine)"
want "by('open', path='$PWD/mine')"
run trace -u 65534 -- /bin/sh -c 'id -u; cat /proc/self/status'
has out '^65534$'; has out 'CapEff:.0+$'
run trace -u no-such-user-here -- /bin/true
case $st in 2 | 125) ;; *) fail "unknown user: $st" ;; esac
has err '^kvis: .*no-such-user-here'
