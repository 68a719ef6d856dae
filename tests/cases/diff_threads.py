#!/usr/bin/env python3
# Every call, signal, file and byte of threads is the same in kvis trace as in strace -f. The comparison finds each error that
# is planted in a trace.
# tier: quick asan
# timeout: 600
# needs: strace setarch python3 prog:diff_threads
import diff_strace

diff_strace.self_test()
diff_strace.check_program(diff_strace.prog("diff_threads"))
