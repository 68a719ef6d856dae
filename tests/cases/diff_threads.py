#!/usr/bin/env python3
# Every call and signal of threads is the same in kvis trace as in strace -f.
# tier: quick asan
# timeout: 600
# needs: strace setarch python3 prog:diff_threads
import diff_strace

diff_strace.check_program(diff_strace.prog("diff_threads"))
