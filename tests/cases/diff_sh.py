#!/usr/bin/env python3
# Every call, signal, file and byte of sh is the same in kvis trace as in strace -f.
# tier: quick
# timeout: 600
# needs: strace setarch python3 find seq
import diff_strace

diff_strace.check_program("sh")
