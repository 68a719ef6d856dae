#!/bin/sh
# Attaching to another user's process fails with the cause and the fix.
# tier: gate
# timeout: 60
# needs: root setpriv
# covers: P16
. "$TESTS/lib/truth.sh"
cp "$KVIS" kvis; chmod 755 kvis . 
target loop
setpriv --reuid 65534 --regid 65534 --clear-groups ./kvis trace -p "$tee" >out 2>err 9>&- || st=$?
status 1
has err '^kvis: .*(another user|belongs to|user root|uid 0)'
has err 'root|sudo|CAP_SYS_PTRACE'
untarget
