#!/bin/sh
# kvis.c keeps its structure: sections in order, prefixes, callees above callers, short functions. Each BPF program has a row in
# bpf_insns/VETTED with its hash and lowest kernel.
# tier: gate
# timeout: 60
# needs: no-kvis
. "$TESTS/lib/lib.sh"
sh "$TESTS/lib/lint.sh" || exit 1
sh "$TESTS/../gen/vet.sh" >&9 2>&1 || fail "make vet"
