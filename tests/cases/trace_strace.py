#!/usr/bin/env python3
# Every call and signal of gcc, and of threads, is the same in kvis trace as in strace -f.
# tier: quick asan
# timeout: 600
# needs: strace setarch python3 gcc prog:diff_threads
import diff_strace

diff_strace.check_program(
    ["sh", "-c", "gcc -O1 -g -o a a.c b.c && ./a; gcc -o n nothere.c; echo $?"],
    a__c='#include <stdio.h>\nint f(int);\nint main(void) { return printf("%d\\n", f(3)) < 0; }\n',
    b__c="#include <stdlib.h>\nint f(int x) { return abs(x) * 2; }\n")
diff_strace.check_program(diff_strace.prog("diff_threads"))
