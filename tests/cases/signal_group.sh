#!/bin/sh
# A command that signals its own process group, which kvis is in, handles the signal, and kvis ends with it.
# tier: gate
# timeout: 60
# needs: root
. "$TESTS/lib/lib.sh"
cat >job <<'EOF'
trap 'echo got >>got' TERM
kill -TERM 0
sh -c 'trap "" TERM; kill -TERM 0; sleep 0.1'
sleep 0.3
echo end >end
exit 7
EOF
for how in "trace --backend=ptrace" "trace" "proc -o rows" "open -o rows" "diagnose -o rows"; do
    rm -f got end
    # shellcheck disable=SC2086 # words
    setsid -w "$KVIS" $how -- sh job >out 2>err 9>&-
    eq "status of $how" 7 $?
    [ -e end ] || fail "$how returned while the command still ran"
    eq "signals that the command got under $how" 2 "$(wc -l <got)"
done
