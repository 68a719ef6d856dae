#!/bin/sh
# On a machine with 64 MB of memory (Linux 5.10), kvis trace, open, proc and monitor work, and kvis proc can boot
# busybox init. trace, open and proc each take less than an eighth of the memory in the kernel. kvis also works if it is
# the only file.
# tier: vm
# timeout: 240
# needs: qemu-system-x86_64 cpio python3 strip
. "$TESTS/lib/lib.sh"
cache=${KVIS_VM_CACHE:-$OUT/vm/cache}
why=$("$TESTS/vm/fetch.sh" x86-5.10 tools-amd64 2>&1) || skip "$(echo "$why" | tail -n 1)"
mkdir -p root/bin root/sbin root/etc root/proc root/sys root/dev only
cp "$cache/tools-amd64/busybox" root/bin/
strip -o root/kvis "$KVIS" && cp root/kvis only/ || fail "strip"
ln -s /bin/busybox root/sbin/init
printf '::sysinit:/rc\n::shutdown:/bin/true\n' >root/etc/inittab
cat >root/rc <<'SCRIPT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
/bin/busybox true first; sh -c 'exit 3'
watcher=$(pidof kvis)
kill -TERM $watcher
while [ -e /proc/$watcher/exe ]; do usleep 10000; done
mkdir /out; cd /out
cp /boot.json /boot.txt .
sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo >memory
each() { # each NAME ARG...: kvis, and what it takes of the kernel's memory while it waits for the command
    name=$1; shift
    rm -f go ready; mkfifo go
    /kvis "$@" --json=$name.json -o $name.txt -- sh -c 'cat /rc >/dev/null; : >ready; read x <go; exit 5' 2>$name.err &
    while [ ! -e ready ]; do usleep 10000; done
    cat /proc/$!/fdinfo/* 2>/dev/null | awk '/^map_id/ { id = $2 } /^memlock/ { b = $2 } /^map_type/ { m = 1 }
        /^pos/ { add() } function add() { if (id != "") of[id] = b; else n += b; id = ""; b = 0 }
        END { add(); for (i in of) n += of[i]; print n }' >$name.bytes
    echo >go
    wait $!
    echo $? >$name.st
}
each trace trace
each calls trace -v
each open open
each proc proc
/kvis monitor -n 2 -i 0.5 >monitor.txt 2>monitor.err; echo $? >monitor.st
/kvis check >check.txt 2>check.err; echo $? >check.st
dmesg | grep -ci 'out of memory' >killed
stty -F /dev/ttyS1 raw
tar cz * >/dev/ttyS1
poweroff -f
SCRIPT
chmod 755 root/rc
boot() { # boot ROOT SECONDS PARAMETER...
    dir=$1 seconds=$2; shift 2
    for p; do set -- "$@" -a "$p"; shift; done
    OUT="$OUT" "$TESTS/vm/boot.sh" x86-5.10 "$PWD/$dir" "$PWD/$dir.vm" -t "$seconds" -c 1 "$@" -- -m 80 >boot.log 2>&1
}
boot root 150 rdinit=/kvis -- proc --json=/boot.json -o /boot.txt /sbin/init || { cat boot.log >&9; fail "the guest"; }
cd root.vm/back || exit 1
say "memory: $(cat memory) KB, of which kvis took, in bytes: $(grep . ./*.bytes | tr '\n' ' ')"
[ "$(cat memory)" -lt 65536 ] || fail "too much memory"
eq "killed for want of memory" 0 "$(cat killed)"
want "[e['exit_code'] for e in by('command') if e['argv'] == ['/bin/busybox', 'true', 'first']] == [0] and S['lost'] == 0" boot.json
want "by('command')[0]['pid'] == 1 and any(e['argv'] == ['/sbin/init'] and e['pid'] == 1 for e in by('command'))" boot.json
want "[e['exit_code'] for e in by('command') if e['argv'] == ['sh', '-c', 'exit 3']] == [3]" boot.json
for c in trace calls open proc; do
    eq "$c: exit status" 5 "$(cat $c.st)"
    want "H['backend'] == '$(case $c in trace | calls) echo hybrid ;; *) echo bpf ;; esac)' and S['lost'] == 0" $c.json
    [ "$(cat $c.bytes)" -lt $(($(cat memory) * 1024 / 8)) ] || fail "$c: $(cat $c.bytes) bytes of $(cat memory) KB"
done
for c in trace open; do want "'/rc' in [e['path'] for e in by('open')]" $c.json; done
want "[e['exit_code'] for e in by('command') if e['argv'] == ['cat', '/rc']] == [0]" proc.json
eq monitor 0 "$(cat monitor.st)"
has monitor.txt '^meminfo +memory_total='
eq check 0 "$(cat check.st)"
has check.txt '^(open|proc) +full$'
cd ../.. || exit 1

# The guest has no file except kvis, and no directory. The kernel starts kvis, which executes kvis. (The guest never ends: the watcher
# writes to the second serial line, by its own /dev.)
boot only 25 rdinit=/kvis -- proc -o /dev/ttyS1 -d 8 /kvis check trace open proc
tr -d '\r' <only.vm/console >console
has console '^trace +ptrace: ' # nobody has mounted /sys, where the kernel's types are
has console '^ +fix: mount -t sysfs sysfs /sys$'
has console '^(open|proc) +works, without BTF$'
has only.vm/back.tgz ' running +.* /kvis check trace open proc$| exit .* /kvis check trace open proc$| 0 .* /kvis proc '
