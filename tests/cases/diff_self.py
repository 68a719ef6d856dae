#!/usr/bin/env python3
# The comparison with strace finds each error that is planted in a trace.
# tier: quick
# timeout: 120
# needs: strace setarch python3
import diff_strace

diff_strace.self_test()
