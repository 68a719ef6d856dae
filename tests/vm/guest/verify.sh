# verify: this kernel's verifier accepts every program of bpf_insns/, with all options.
# kernels: all
# timeout: 60
# modules: virtio virtio_ring vhost_iotlb vhost
. /tests/lib.sh
t_ok "the verifier takes every program" "$BIN/verify"
sed "s/^/# /" out
