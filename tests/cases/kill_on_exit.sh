#!/bin/sh
# A command outlives a killed kvis without a seccomp filter, and ends with it under a filter or --kill-on-exit.
# tier: quick full
# timeout: 120
. "$TESTS/lib/truth.sh"
# begin OPTION...: a tree of two programs, in a and b, that end when they see a file `stop`
begin() {
    rm -rf a b
    mkdir a b
    "$KVIS" trace "$@" -o text -- sh -c 'for d in a b; do (cd $d && exec "$1" loop >said) & done; wait' sh "$BIN/att" >out 2>err 9>&- </dev/null &
    kvis=$!
    for d in a b; do until_true 10 test -s $d/pid || fail "$*: not ready"; done
    shell=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$(cat a/pid)/status")
    tree="$shell $(cat a/pid) $(cat b/pid)"
}
all_gone() { for p in $tree; do gone "$p" || return 1; done; }
all_free() { for p in $tree; do free "$p" || return 1; done; }
goes_on() {
    until_true 5 all_free || fail "$*: it does not go on"
    touch a/stop b/stop
    until_true 5 all_gone || fail "$*: it does not end"
    for d in a b; do has $d/said '^bad 0, some 1$'; done
}
ends() { until_true 5 all_gone || fail "$*: it is still there"; }
pause() { sleep "0.$(printf '%03d' $((1 + ($1 * 7919) % 150)))"; }

# try HOW WHAT OPTION...: kvis ends by a signal or by itself; then its command goes_on or ends.
try() {
    how=$1 what=$2; shift 2
    begin -v --no-accel "$@"
    [ "$how" = time ] || { pause "$n"; kill "-$how" $kvis; }
    wait $kvis 2>/dev/null; st=$?
    case $how in TERM) status 143 ;; HUP) status 129 ;; esac
    case $how$what in TERMgoes_on | HUPgoes_on) tree=${tree#* } ;; esac # kvis has passed the signal on to the shell, and ended with it
    $what "$how $*"
}
for n in $(seq $(some 3 16 5)); do # at any moment
    try KILL goes_on
    try KILL ends --kill-on-exit
done
for sig in TERM HUP; do
    try $sig goes_on
    try $sig ends --kill-on-exit
done
try time goes_on -d 1
try time ends --kill-on-exit -d 2
for n in $(seq 2 $(some 4 2 4) 20); do # before its program begins
    rm -f ran
    "$KVIS" trace --no-accel -o text -- sh -c 'echo $$ >ran; exec sleep 0.2' >out 2>err 9>&- </dev/null &
    kvis=$!
    sleep "0.0$(printf '%02d' $n)"
    kids=$(cat "/proc/$kvis/task/$kvis/children" 2>/dev/null)
    kill -KILL $kvis; wait $kvis 2>/dev/null
    tree=$kids
    until_true 5 all_gone || fail "left behind at its start"
done
# --until-exit: the rest ends too, so nothing has to be let go, and a filter may be used.
rm -rf a; mkdir a
gives 3 trace -q -v --until-exit --kill-on-exit --json=json -- sh -c 'cd a; "$1" loop >said & until [ -s pid ]; do sleep 0.05; done; exit 3' sh "$BIN/att"
tree=$(cat a/pid)
ends "--until-exit --kill-on-exit"
want "by('exit_process', exit_pid=$tree, signal='SIGKILL') and S['exit_code'] == 3"
mv json until
run trace -q --json=json -- true
eq "backend" "$(js "H['backend']" json)" "$(js "H['backend']" until)"

for option in --no-follow --kill-on-exit --until-exit --user=root --env=A=b; do
    gives 2 trace $option -p $$
    has err "^kvis: ${option%%=*} works only for a command.*; fix: .* -p\$"
done
