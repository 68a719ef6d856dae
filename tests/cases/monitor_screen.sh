#!/bin/sh
# The monitor's screen fits, follows a new size and keys, and leaves the terminal as it was.
# tier: quick asan
# timeout: 90
# needs: python3 tmux stty
# covers: O5 P35
. "$TESTS/lib/lib.sh"
python3 "$TESTS/lib/mon_tree.py" a a || fail "no tree"
server=0
t() { tmux -S "$PWD/tmux$server" -f /dev/null "$@" 9>&-; }
trap 't kill-server 2>/dev/null' EXIT
cat >go.sh <<END
trap : INT
stty -g >before
LC_ALL=C.UTF-8 TERM=screen '$KVIS' monitor -i 0.2 --path.rootfs='$PWD/a' "\$@"
echo status \$?
stty -g >after
cmp before after && echo the same
sleep 1000
END
start() { # start COLS ROWS ARG...
    size="-x $1 -y $2"; shift 2
    t kill-server 2>/dev/null
    server=$((server + 1))
    rm -f before after
    t new-session -d $size "exec sh go.sh $*" || skip "tmux does not start"
    until_true 10 shows 'kvis monitor\|status' || fail "no screen: $(t capture-pane -p)"
}
shows() { t capture-pane -p | grep -q -- "$1"; }
key() { t send-keys "$1"; }
pid() { t list-panes -F '#{pane_pid}' | xargs pgrep -P; }
ended() { # ended STATUS: and nothing of it is left
    until_true 10 shows 'the same' || fail "the terminal is not as it was: $(t capture-pane -p)"
    shows "status $1" || fail "$(t capture-pane -p | grep status), want $1"
    ! shows 'kvis monitor' || fail "the screen is still there"
    eq cursor 1 "$(t display-message -p '#{cursor_flag}')"
    eq wrap 1 "$(t display-message -p '#{wrap_flag}')"
    eq "other screen" 0 "$(t display-message -p '#{alternate_on}')"
}
start 80 24
until_true 5 shows 'memory_total.*976.6MB .*█' || fail "no memory: $(t capture-pane -p)"
eq lines 24 "$(t capture-pane -p | wc -l)"
t capture-pane -p | sed -n 24p | grep -q '^q end.*lines more' || fail "no last line"
t capture-pane -p >&9
for k in 1 2 3 4 5; do key $k; done
until_true 5 shows '^zone 0 (x86_pkg_temp): .*thermal 60.0C' || fail "thermal is not to be seen: $(t capture-pane -p)"
shows 'memory_total' && fail "mem is still there"
key h
until_true 5 shows 'the screen stays' || fail "no help"
shows '^--json says why a metric is n/a\.$' || fail "the help is cut: $(t capture-pane -p)"
key h; key 5
until_true 5 shows '^device sda1 (sda): ' || { key z; until_true 5 shows '^device sda1 (sda): '; } ||
    fail "no disks: $(t capture-pane -p)"
key p
until_true 5 shows PAUSED || fail "no pause"
sleep 0.3 # tmux has all of it
was=$(t capture-pane -p); sleep 0.7
eq "paused screen" "$was" "$(t capture-pane -p)"
key p
t resize-window -x 200 -y 60
until_true 5 eval 't capture-pane -p | sed -n 60p | grep -q "^q end"' || fail "not resized: $(t capture-pane -p)"
for k in 1 2 3 4; do key $k; done
until_true 5 shows 'memory_total.*memory_free.*memory_anon.*memory' || fail "not wider: $(t capture-pane -p)"
t resize-window -x 60 -y 12
until_true 5 shows '^q end  h help  ([0-9]* lines more)$' || fail "the last line is cut: $(t capture-pane -p)"
t resize-window -x 20 -y 5
until_true 5 eval 't capture-pane -p | sed -n 5p | grep -q "^q end"' || fail "not small: $(t capture-pane -p)"
key q
ended 0
# Colours: the pool of hugepages is nearly empty, few pages are huge, a zone is near its limit.
echo 0 >a/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages
sed -i 's/^AnonHugePages.*/AnonHugePages: 4000 kB/' a/proc/meminfo
echo 88000 >a/sys/class/thermal/thermal_zone0/temp
start 200 60
coloured() { t capture-pane -e -p | grep -q "$2 *$(printf '\033')\[$1m *$3"; } # coloured SGR NAME VALUE
until_true 5 coloured 31 hugepage_pool 100 || fail "a full pool is not red: $(t capture-pane -e -p | cat -v | grep pool)"
coloured 33 thp 5 || fail "few huge pages are not yellow: $(t capture-pane -e -p | cat -v | grep thp)"
until_true 5 coloured 33 thermal_headroom 7 ||
    fail "near a limit is not yellow: $(t capture-pane -e -p | cat -v | grep headroom)"
! coloured '3[13]' memory_total . || fail "memory is coloured"
key q
ended 0
start 80 24
key C-c
ended 0
start 80 24
kill -TERM "$(pid)"
ended 0
start 80 24
kill -SEGV "$(pid)"
ended 139
start 80 24
kill -USR1 "$(pid)"
ended 138
start 80 24 -n 3
ended 0
# stopped, the terminal is the shell's again
t kill-server 2>/dev/null
server=$((server + 1))
t new-session -d -x 80 -y 24 "exec env TERM=screen PS1='$ ' ENV= sh -i" || fail "no shell"
t send-keys "'$KVIS' monitor -i 0.2 -c load" Enter
until_true 10 shows 'load15' || fail "no screen"
key C-z
until_true 10 shows '[Ss]topped\|[Ss]uspended' || fail "not stopped: $(t capture-pane -p)"
eq "the screen of what is stopped" 0 "$(t display-message -p '#{alternate_on}')"
t send-keys "fg" Enter
until_true 10 shows 'load15' || fail "does not go on: $(t capture-pane -p)"
eq "the screen again" 1 "$(t display-message -p '#{alternate_on}')"
key q
until_true 10 eval '! shows load15' || fail "does not end"
eq "the screen at the end" 0 "$(t display-message -p '#{alternate_on}')"
