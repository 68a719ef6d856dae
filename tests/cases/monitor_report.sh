#!/bin/sh
# Every number of every chart of a monitor report in Chromium agrees with the JSON of the same run.
# tier: browser asan
# timeout: 240
# needs: chromium python3
. "$TESTS/lib/lib.sh"
for t in a b; do python3 "$TESTS/lib/mon_tree.py" $t $t || fail "no trees"; done
# a machine that is two by turns
ln -s a now
launch known.json monitor -i 0.5 -n 6 --per-cpu --histogram --json=known.json --report=known.html --path.rootfs="$PWD/now" -o text
for t in b a b; do sleep 0.8; ln -s $t new && mv -T new now; done
finish; status 0
# names that would be markup
cp -r b h
sed -i 's/ sda1 / <img\/src=x\/onerror=alert(2)> /' h/proc/diskstats
printf ' 8 99 %s 5 0 40 2 0 0 0 0 0 1 1\n' "$(printf 'a\033[31m')" >>h/proc/diskstats
echo '<img src=x onerror=alert(1)>' >h/sys/class/thermal/thermal_zone0/type
echo '</script><script>owned=1</script>' >h/sys/class/thermal/thermal_zone5/type
gives 0 monitor -i 0.2 -n 2 --report=hostile.html --path.rootfs="$PWD/h" -o text
hasnt hostile.html 'onerror=alert\(1\)>$|<script>owned'
cp /bin/sleep '<svg onload=a>'
"./<svg onload=a>" 60 9>&- &
child=$!
until_true 5 grep -q svg /proc/$child/comm
run monitor -i 0.2 -n 2 -c proc -p $child --report=comm.html -o text
status 0; kill $child
# a long run: once, a load of 99.5, for some intervals
mkdir -p l/proc
load() { printf '%.2f 1.00 1.00 1/1 1\n' $1 >l/proc/new; mv l/proc/new l/proc/loadavg; }
load 2
launch thin.json monitor -i 0.01 -n 2201 -c load,runq --histogram --json=thin.json --report=thin.html --path.procfs="$PWD/l/proc" -o text
rss() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$kvis/status; }
until_true 20 has_lines thin.json '"sample"' 150 || fail "no samples"; before=$(rss)
for v in 3 4 2.5 99.5 7 1 3 4; do load $v; sleep 0.05; done
until_true 60 has_lines thin.json '"sample"' 1900 || fail "too few samples"; after=$(rss)
finish; status 0
say "peak RSS after 150 samples: $before KB, after 1900: $after KB"
case $KVIS in
*asan*) has thin.html '^</html>$' ;; # its memory is another, and a browser would find the same page
*)
    [ "$after" -lt $((before + 600)) ] || fail "memory grows: $before, $after KB"
    python3 "$TESTS/lib/monitor_report.py" known hostile comm thin >out 2>err || { cat out err >&9; fail "monitor_report.py"; }
    cat out >&9
    ;;
esac
# signals end it, and the page is whole
for sig in INT TERM; do
    launch text monitor -i 0.1 -c load --report=s.html -o text
    sleep 0.3
    finish $sig; status 0
    has s.html '^</html>$'
    has s.html '"load1"'
done
# the reader of the text exits: kvis still writes the report
"$KVIS" monitor -i 0.05 -n 6 -c load --report=r.html 2>err 9>&- | head -n 1 >line
has r.html '"intervals":6,'
