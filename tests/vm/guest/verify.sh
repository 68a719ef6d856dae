#!/bin/sh
# kernels: all
# timeout: 60
# modules: virtio virtio_ring vhost_iotlb vhost
# Every program of bpf_insns/, with all options, is taken by this kernel's verifier.
. /tests/lib.sh
t_ok "the verifier takes every program" "$BIN/verify"
sed "s/^/# /" out
