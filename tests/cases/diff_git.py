#!/usr/bin/env python3
# Every call, signal, file and byte of git is the same in kvis trace as in strace -f.
# tier: quick
# timeout: 600
# needs: strace setarch python3 git
import diff_strace

diff_strace.check_program("git")
