#!/bin/sh
# kernels: all
# timeout: 60
# What `kvis check` says, against what this kernel is known to have.
. /tests/lib.sh
t_ok "all that trace and open need is there" "$KVIS" check
cp out checked
t_has "kprobes, by their PMU" checked '^kprobes +yes .*attached to do_exit and its return'
t_has "a program on a perf event" checked '^perf_programs +yes '
t_has "a ring buffer" checked '^ring_buffer +yes '
t_has "BTF" checked '^btf +yes '
t_has "tracefs, which nobody has mounted" checked '^tracefs +yes '
t_has "programs of open" checked '^open_programs +yes .*all [0-9]+ load'
t_has "programs of trace" checked '^call_programs +yes .*all [0-9]+ load'
t_hasnt "no mount is left" /proc/mounts 'tracefs|debugfs'
t_is "no program is left" 0 "$(grep -l '^prog_type' /proc/[0-9]*/fdinfo/* 2>/dev/null | wc -l)"

mount -t tmpfs none /sys/devices/kprobe
t_ok "without the kprobe PMU" "$KVIS" check
t_has "kprobes, by tracefs" out '^kprobes +yes .*attached to do_exit and its return'
umount /sys/devices/kprobe
mkdir t; mount -t tracefs none t
gone() { [ ! -s t/kprobe_events ]; }
t_ok "its events are taken out again" until_true 5 gone
umount t

mount -t tmpfs none /sys/kernel/btf
t_ok "open needs no BTF" "$KVIS" check open
t_has "that it is missing is told" out '^btf +no '
umount /sys/kernel/btf

t_run user "$KVIS" check open
t_is "a user may not" 1 $st
t_has "and is told what mends it" out 'mend: .*root'
t_run user "$KVIS" check trace
t_is "but may trace" 0 $st
t_run "$KVIS" check --json
t_json "JSON of it" out 'len([e for e in E if e["type"] == "check"]) >= 20 and S["works"] is True'
