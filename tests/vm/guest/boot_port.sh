# boot_port: the report of a boot leaves the machine through a virtio-serial port, the text through the console.
# kernels: x86-6.12 x86-sid
# timeout: 30
# cmdline: rdinit=/bin/kvis -- proc --report=/dev/vport0p1 --json=/boot.json -w /boot.kvis -o /dev/console /init
# qemu: -device virtio-serial -chardev file,id=port,path=port.html -device virtserialport,chardev=port,name=report
. /tests/lib.sh

kvis=$(pidof kvis)
t_is "kvis is a child of init" 1 "$(sed -n 's/^PPid:\t//p' "/proc/$kvis/status")"
i=0
while [ $i -lt 20 ]; do /bin/busybox true "mark $i"; i=$((i + 1)); done
sleep 0.3
kill -TERM "$kvis"
until_true 10 test ! -e "/proc/$kvis/cmdline"
cp /boot.json /boot.kvis .
t_json "all commands" boot.json "len([e for e in by('command') if e['argv'][:2] == ['/bin/busybox', 'true']]) == 20"
t_ok "the recording" kvis replay -q --report=again.html boot.kvis
t_host same "the report, from outside" ../../../../port.html again.html
# a device that is not there is an error, and no file of its name
t_fails 125 "no such port" kvis proc --report=/dev/vport9p9 -- touch /tmp/ran
t_has "and says so" err 'cannot write /dev/vport9p9: No such file'
t_ok "nothing was made" test ! -e /dev/vport9p9 -a ! -e /tmp/ran
