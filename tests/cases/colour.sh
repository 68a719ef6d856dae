#!/bin/sh
# kvis uses color only on a terminal and only if the user allows it, with any LANG, TERM and width.
# It truncates event lines only on a terminal, at the terminal's width.
# tier: gate
# timeout: 60
# needs: script
. "$TESTS/lib/lib.sh"
export LC_ALL=C.UTF-8 # lines contain arrows
tty() { # what kvis writes to a terminal
    script -qec "$*" /dev/null </dev/null 2>&1
}
esc=$(printf '\033')
k="'$KVIS' trace -v --backend=ptrace" # a line for a shell
unset NO_COLOR
while IFS='|' read -r want line; do
    TERM=xterm tty "$line -- /bin/true" >out
    case $want in color) has out "$esc\\[" ;; *) hasnt out "$esc\\[" ;; esac
done <<END
color|$k
no|$k --color=never
no|NO_COLOR=1 $k
color|NO_COLOR=1 $k --color=always
color|NO_COLOR= $k
no|TERM=dumb $k
no|unset TERM; $k
no|TERM= $k
END
run trace -v --backend=ptrace -- /bin/true; hasnt err "$esc"
run trace -v --color=always -- /bin/true; has err "$esc"
long="$(printf 'ä%.0s' $(seq 60)) end"
for color in always never; do # a character is a column, a color none
    tty "stty cols 50; '$KVIS' trace --backend=ptrace --color=$color -- /bin/echo $long" | tr -d '\r' >lines
    python3 - lines <<'END' || fail "--color=$color: lines of another width"
import re, sys
events = [l for l in re.sub("\033\\[[0-9]*m", "", open(sys.argv[1]).read()).split("\n") if l.startswith("[+")]
print(*events, sep="\n")
exec_line = next(l for l in events if "] exec " in l)
assert len(exec_line) == 50 and exec_line.endswith("ä…") and all(len(l) <= 50 for l in events)
END
    tty "stty cols 50; '$KVIS' trace --backend=ptrace --color=$color -- mkdir $PWD/none/$(printf 'x%.0s' $(seq 60))" >lines
    sed "s/$esc\[[0-9]*m//g" lines | grep -q '^\[+.* mkdir .*… failed: ENOENT.$' || fail "--color=$color: a line without its error"
    tty "stty cols 50; '$KVIS' trace --backend=ptrace --color=$color -o whole -- /bin/echo $long"
    has whole "exec /bin/echo $long\$"
done
run trace --backend=ptrace -- /bin/echo $long; has err "exec /bin/echo $long\$"
tty "stty cols 40; '$KVIS' help open" | tr -d '\r' >lines
awk 'NR > 3 && length > 40 { exit 1 } END { exit NR > 70 }' lines || fail "help on a terminal of 40 columns"
tty "stty cols 50; '$KVIS' trace -v -- /bin/echo $long" | tr -d '\r' >lines
has lines 'write\(1.*\) = 125' # a line of -v is whole
for env in TZ=Nowhere/Land TZ= COLUMNS=1 COLUMNS=10000 HOME= TMPDIR=/nonexistent; do
    env "$env" "$KVIS" trace --backend=ptrace --json=json -- /bin/true >out 2>err 9>&- || fail "$env: $?"
    want "S['exit_code'] == 0"
done
env -i "$KVIS" trace -- /bin/true >out 2>err 9>&- || fail "no environment: $?"
# In an ASCII locale, the text of kvis is ASCII; names of files and JSON are not changed.
printf x >ä
for locale in LC_ALL=C LANG=C LC_CTYPE=POSIX; do
    ascii() { env -u LC_ALL -u LC_CTYPE -u LANG "$locale" "$KVIS" "$@" 9>&-; }
    ascii trace --backend=ptrace -w rec --json=json -o trace -- sh -c 'mv ä o && ln -s o p && rm p && mv o ä; :' || fail "$locale: $?"
    has trace 'rename .*/ä -> .*/o'; has trace 'symlink .*/p -> o'; has trace 'time in calls .*; '
    want "[e for e in E if e['type'] == 'rename'][0]['path'].endswith('/ä')"
    ascii replay rec >replay 2>&1
    ascii diff rec rec >diff 2>&1; has diff ' ms -> '
    ascii diagnose -d 0.2 >diagnose 2>&1
    ascii proc --backend=ptrace --tree -o tree -- sh -c 'sh -c "/bin/true; :"; /bin/true; :' 2>&9
    has tree '[|]- sh -c '
    has tree '[|]  `- /bin/true$'
    sed -i 's/ä//g' trace replay diff
    LC_ALL=C grep -n "$(printf '[\200-\377]')" trace replay diff tree >&9 && fail "$locale: not ASCII"
    # Processes of this machine can have any name, so diagnose must only lack the characters of kvis itself.
    printf '%s\n' → … · × ≥ ─ │ └ ├ █ ° µ | LC_ALL=C grep -n -F -f - diagnose >&9 && fail "$locale: not ASCII"
done
"$KVIS" replay rec >replay 2>&1; has replay 'rename .*/ä → .*/o'
