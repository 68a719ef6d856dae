# riscv64: calls from BPF and from ptrace agree with strace, including arguments that this CPU keeps elsewhere; other CPUs
# can read a recording; kvis reports a probe that this kernel cannot set.
# kernels: riscv64
# with: strace
# timeout: 150
# modules: virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk
# qemu: -drive if=none,id=slow,driver=null-co,size=67108864,throttling.iops-total=20 -device virtio-blk-pci,drive=slow
. /tests/lib.sh

t_both_sh 30
t_both fd "$BIN/fd" kinds

# Calls that are counted in the kernel, and calls from a small ring that fills: none is lost.
t_run kvis trace -c --backend=hybrid -o table -- "$BIN/hyb" calls 10 10
t_has "counted" table '^ .* 100 .* getppid$'
t_scene ring "trace -q -v --backend=hybrid --ring=64K" hyb calls 20 10
t_json "a small ring: nothing lost" json "S['backend'] == 'hybrid' and S['lost'] == 0"
cd ..

t_ok "recorded" kvis trace -q -v -w r.kvis -- sh -c 'echo a >f; cat f nothere; mv f g'
kvis replay -q -v --json=again r.kvis >/dev/null 2>&1
t_replay "its recording is read by other CPUs" again r.kvis

t_ok "check" kvis check -v
t_has "kprobes: they are there, or why they are not" out '^virtio_programs +(yes|no .*this kernel (has|allows) no kprobe)'
