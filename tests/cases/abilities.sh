#!/bin/sh
# timeout: 60
# needs: root
# covers: E4
# kvis check: its rows against what can be known without it, its exit status, its JSON.
. "$TESTS/lib.sh"
run check --json
[ "$st" -le 1 ] || fail "exit status $st"
cp out json
want 'len([e for e in E if e["type"] == "check"]) >= 20 and S["works"] is (not int("'$st'"))'
row() { js "[e for e in E if e['name'] == '$1'][0]['works']"; } # row NAME: True or False
eq BTF "$([ -r /sys/kernel/btf/vmlinux ] && echo True || echo False)" "$(row btf 2>/dev/null)"
eq kprobes "$([ -e /sys/bus/event_source/devices/kprobe ] && echo True || echo False)" "$(row kprobes)"
want '[e for e in E if e["name"] == "kernel"][0]["detail"].find("'"$(uname -r)"'") > 0'
want 'all(e["mend"] for e in E if not e["works"] and "open" in e["needed_by"])'

# By command: only what that needs decides.
run check trace; status 0
has out '^ptrace +yes '
hasnt out '^open_programs'
run check trace open --json=json
want 'any(e["name"] == "open_programs" for e in E)'
run check nonsense; status 2
has err "no command 'nonsense'"

# Without rights it says so, and trace works all the same.
setpriv --reuid=65534 --clear-groups true 2>/dev/null || exit 0
cp "$KVIS" kvis; chmod 755 kvis .
KVIS="setpriv --reuid=65534 --regid=65534 --clear-groups ./kvis"
kvu() { say "\$ $KVIS $*"; $KVIS "$@" >out 2>err 9>&-; st=$?; }
kvu check open; status 1
has out '^bpf +NO '
has out 'mend: it takes root'
kvu check trace; status 0
