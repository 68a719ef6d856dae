#!/bin/sh
# The monitor's screen fits the terminal, follows a new size and keys, and restores the terminal.
# tier: gate asan
# timeout: 120
# needs: python3 tmux stty pgrep
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
last() { t capture-pane -p | sed -n "$1p" | grep -q '^q quit  h help'; } # last LINE: the keys are there
keys() { for k in "$@"; do t send-keys "$k"; done; }
start 80 24
until_true 5 shows '^memory .*of 976.6MB' || fail "no memory: $(t capture-pane -p)"
eq lines 24 "$(t capture-pane -p | wc -l)"
until_true 5 last 24 || fail "no last line"
t capture-pane -p >&9
# what the overview has not, where it is unusual: a zone that is nearly too hot
shows '^ unusual  .*zone 0 (x86_pkg_temp) thermal_headroom 3[0-9]' && fail "34 degrees of headroom are unusual"
until_true 5 shows '^disks [0-9]* of [0-9]* ' || fail "no count of disks: $(t capture-pane -p)"
# a section for each key, and back: by the same key, by Esc, by o
key t; until_true 5 shows '^0 (x86_pkg_temp) .*60.0C' || fail "thermal is not to be seen: $(t capture-pane -p)"
shows '^memory .*of 976.6MB' && fail "the overview is still there"
key t; until_true 5 shows '^memory .*of 976.6MB' || fail "not back: $(t capture-pane -p)"
for k in c:CPUs r:'run queues' m:memory d:disks n:network u:'NUMA nodes' l:limits p:processes g:cgroups w:power v:virtio; do
    key ${k%%:*}
    until_true 5 shows "^ ${k#*:}" || fail "${k%%:*} does not show ${k#*:}: $(t capture-pane -p)"
done
key Escape; until_true 5 shows '^memory .*of 976.6MB' || fail "Esc: $(t capture-pane -p)"
key l; until_true 5 shows '^nf_conntrack_entries_limit  *[0-9]' || fail "a name is cut: $(t capture-pane -p)"
until_true 5 shows '^nf_conntrack_entries  *[0-9]' || fail "a name is cut: $(t capture-pane -p)"
key o; until_true 5 shows '^memory .*of 976.6MB' || fail "o: $(t capture-pane -p)"
# a text of names, with a mistake in it: what has it is shown, whatever keys its letters are
key l; until_true 5 shows '^filefd_allocated  *[0-9]' || fail "l: $(t capture-pane -p)"
keys / n f o BSpace _ c o; until_true 5 shows '  /nf_co_' || fail "/: $(t capture-pane -p)"
until_true 5 eval '! shows "^filefd_allocated"' || fail "more than what has the text: $(t capture-pane -p)"
key Enter; shows '^nf_conntrack_entries  *[0-9]' || fail "what has the text is left out: $(t capture-pane -p)"
key Escape; until_true 5 shows '^filefd_allocated  *[0-9]' || fail "Esc does not end it: $(t capture-pane -p)"
key o; until_true 5 shows '^memory .*of 976.6MB' || fail "o: $(t capture-pane -p)"
# n/a: the source and the reason, in its section
key w; until_true 5 shows '^membw  *n/a:' || fail "no reason: $(t capture-pane -p)"; key w
key h
until_true 5 shows 'pause or resume the screen' || fail "no help"
key h
# keys of several bytes are one key: none hides or shows a section
t resize-window -x 80 -y 10
until_true 5 eval 'last 10' || fail "no last line of 10: $(t capture-pane -p)"
until_true 5 shows '^CPUs ' || fail "no CPU: $(t capture-pane -p)"
key PageDown; until_true 5 shows '^disks ' || fail "PgDn: $(t capture-pane -p)"
shows '^CPUs ' && fail "PgDn does not scroll"
key PageUp; until_true 5 shows '^CPUs ' || fail "PgUp: $(t capture-pane -p)"
keys Down Down; until_true 5 eval '! shows "^CPUs "' || fail "Down: $(t capture-pane -p)"
until_true 5 shows '^memory ' || fail "Down scrolls by more than a line: $(t capture-pane -p)"
key Home; until_true 5 shows '^CPUs ' || fail "Home: $(t capture-pane -p)"
key End; until_true 5 shows '^q quit  h help  (end)' || fail "End: $(t capture-pane -p)"
key Home; until_true 5 shows '^q quit  h help  ([0-9]* more [a-z]*)' || fail "Home: $(t capture-pane -p)"
t send-keys -H 1b 5b 31 3b 35 42; until_true 5 eval '! shows "^CPUs "' || fail "Ctrl-Down: $(t capture-pane -p)"
key Up; until_true 5 shows '^CPUs ' || fail "Up: $(t capture-pane -p)"
t send-keys -H 1b 4f 42; until_true 5 eval '! shows "^CPUs "' || fail "Down of an application keypad: $(t capture-pane -p)"
key Home
t send-keys -H 1b 5b 32 34 7e 1b 5b 33 7e # F12 and Del are none of its keys
key Down; until_true 5 eval '! shows "^CPUs "' || fail "after F12: $(t capture-pane -p)"
shows PAUSED && fail "F12 is a pause"
key Home; until_true 5 shows '^CPUs ' || fail "Home: $(t capture-pane -p)"
t send-keys -H 1b 5b # cut here: what comes next is a key of its own
key Down; until_true 5 eval '! shows "^CPUs "' || fail "after a part of a sequence: $(t capture-pane -p)"
# Tab goes to a table, s sorts it by the next column, Right shows other columns, Enter its section
key Home; key Tab
until_true 5 shows '^disks .*\*IOPS' || fail "no table: $(t capture-pane -p)"
t resize-window -x 60 -y 24
until_true 5 shows '^disks .*\*IOPS .* +[0-9]*$' || fail "columns are not left out: $(t capture-pane -p)"
key Enter; until_true 5 shows '^ disks' || fail "Enter: $(t capture-pane -p)"
sorted() { t capture-pane -p | sed -n 's/.*\*\([a-zA-Z0-9]*\).*/\1/p' | head -n 1; }
eq "sorted by" IOPS "$(sorted)"
key s; until_true 5 eval '[ "$(sorted)" = read ]' || fail "s: $(t capture-pane -p)"
key Right; until_true 5 eval '! shows IOPS' || fail "Right: $(t capture-pane -p)"
key Left; until_true 5 shows IOPS || fail "Left: $(t capture-pane -p)"
key d
key Space
until_true 5 shows PAUSED || fail "no pause"
still() { was=$(t capture-pane -p); sleep 0.2; [ "$was" = "$(t capture-pane -p)" ]; }
until_true 10 still || fail "the paused screen changes" # what was drawn before the pause may still be on its way
sleep 1.2
eq "paused screen" "$was" "$(t capture-pane -p)"
keys n n # other pages show numbers of the same interval, by the same time of day
until_true 5 eval '[ "$was" = "$(t capture-pane -p)" ]' || fail "keys change what is paused: $(t capture-pane -p)"
key Space
t resize-window -x 200 -y 60
until_true 5 eval 'last 60' || fail "not resized: $(t capture-pane -p)"
key m
until_true 5 shows 'memory_total.*memory_free.*memory_anon.*memory' || fail "not wider: $(t capture-pane -p)"
t resize-window -x 20 -y 5
until_true 5 eval 'last 5' || fail "not small: $(t capture-pane -p)"
t resize-window -x 3 -y 2
sleep 0.5
t resize-window -x 80 -y 24
until_true 5 eval 'last 24' || fail "not as large again: $(t capture-pane -p)"
key q
ended 0
# Colours: the pool of hugepages is nearly empty, few pages are huge, a zone is near its limit.
echo 0 >a/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages
sed -i 's/^AnonHugePages.*/AnonHugePages: 4000 kB/' a/proc/meminfo
echo 88000 >a/sys/class/thermal/thermal_zone0/temp
start 200 60
until_true 5 shows '^ unusual .*zone 0 (x86_pkg_temp) thermal_headroom 7.0C' || fail "a hot zone is not named: $(t capture-pane -p)"
coloured() { t capture-pane -e -p | grep -q "$2 *$(printf '\033')\[$1m *$3"; } # coloured SGR BEFORE VALUE
until_true 5 coloured 33 'thermal_headroom' 7 || fail "near a limit is not yellow: $(t capture-pane -e -p | cat -v | grep headroom)"
key m
until_true 5 coloured 31 '2048kB .*' 100 || fail "a full pool is not red: $(t capture-pane -e -p | cat -v | grep pool)"
until_true 5 coloured 33 thp 5 || fail "few huge pages are not yellow: $(t capture-pane -e -p | cat -v | grep thp)"
! coloured '3[13]' memory_total . || fail "memory is coloured"
key q
ended 0
# A cgroup is at its limit, and there are processes.
python3 "$TESTS/lib/mon_tree.py" a tasks:a || fail "no processes"
mkdir -p a/sys/fs/cgroup/app
: >a/sys/fs/cgroup/cgroup.controllers
echo 10000 100000 >a/sys/fs/cgroup/app/cpu.max
for n in $(seq 300); do
    printf 'nr_periods %d\nnr_throttled %d\nthrottled_usec %d0000\n' $n $n $n >stat.new
    mv stat.new a/sys/fs/cgroup/app/cpu.stat
    sleep 0.1
done &
throttle=$!
one=$(ls a/proc/[0-9]*/stat | head -n 1)
sed -i 's/(.*)/(日本e)/' "$one"
start 200 60
until_true 10 shows '^/app  *[1-9]' || fail "no cgroup at its limit: $(t capture-pane -p)"
kill $throttle
processes=$(grep -l ')' a/proc/[0-9]*/stat | wc -l)
until_true 5 shows "^processes $processes  " || fail "want $processes processes: $(t capture-pane -p)"
# a filter of other characters than those of ASCII, which Backspace removes as a whole
keys / 本 é BSpace E Enter
until_true 5 shows "^processes 1 of $processes  .*" || fail "a name is not found: $(t capture-pane -p)"
shows '^q quit  h help  /本E' || fail "the filter is not shown: $(t capture-pane -p)"
key Escape; until_true 5 eval '! shows "  /本E"' || fail "Esc does not end the filter: $(t capture-pane -p)"
key q
ended 0
# beside another output a paused screen has no new numbers, but it is drawn for a new size
start 80 24 --json=json
key Space; until_true 5 shows PAUSED || fail "no pause beside JSON"
t resize-window -x 60 -y 15
until_true 5 last 15 || fail "a paused screen is not drawn for a new size: $(t capture-pane -p)"
until_true 5 shows PAUSED || fail "a new size ends the pause"
key q
ended 0
for how in "key C-c" "kill -TERM" "kill -SEGV" "kill -USR1"; do
    start 80 24
    case $how in key*) $how ;; *) $how "$(pid)" ;; esac
    case $how in *SEGV) ended 139 ;; *) ended 0 ;; esac
done
start 80 24 -n 3
ended 0
# stopped, the terminal is the shell's again
t kill-server 2>/dev/null
server=$((server + 1))
t new-session -d -x 80 -y 24 "exec env TERM=screen PS1='$ ' ENV= sh -i" || fail "no shell"
t send-keys "'$KVIS' monitor -i 0.2 -c load" Enter
until_true 10 shows '^load1 ' || fail "no screen"
key C-z
until_true 10 shows '[Ss]topped\|[Ss]uspended' || fail "not stopped: $(t capture-pane -p)"
eq "the screen of what is stopped" 0 "$(t display-message -p '#{alternate_on}')"
t send-keys "fg" Enter
until_true 10 shows '^load1 ' || fail "does not go on: $(t capture-pane -p)"
eq "the screen again" 1 "$(t display-message -p '#{alternate_on}')"
key q
until_true 10 eval '! shows "^ run queues"' || fail "does not end"
eq "the screen at the end" 0 "$(t display-message -p '#{alternate_on}')"
