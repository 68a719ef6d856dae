#!/bin/sh
# Invalid pointers in arguments do no harm.
# kvis shows the part of the memory that can be read, but an extensible structure only if all of it can be read.
# tier: gate asan
# timeout: 120
# covers: P37 P39
. "$TESTS/lib/truth.sh"
for KVOPT in -v "-v --no-accel" "-v -s 65536"; do
    each truth ptr strings counts
    case $KVOPT in *65536*) line=1500000 ;; *) line=20000 ;; esac
    for s in strings counts; do
        want "max(len(json.dumps(e)) for e in E) < $line" $s/json
        [ "$(wc -c <$s/err)" -lt 20000000 ] || fail "$s: $(wc -c <$s/err) bytes of text"
        hasnt $s/err "out of memory|[Ss]anitizer"
    done
done

# Extensible structures, of which a part is not readable or which are longer than any kernel's: the backends agree.
cat >ext.c <<'C'
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    unsigned char *p = mmap(0, 12288, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static const unsigned long size[] = { 0, 8, 24, 25, 64, 160, 161, 4096, 4097, 8192, 1ul << 32 | 24 };
    mprotect(p + 8192, 4096, PROT_NONE);
    for (unsigned i = 0; i < 2 * sizeof size / sizeof *size; i++) {
        unsigned char *how = i & 1 ? p + 8192 - 24 : p, *attr = i & 1 ? p + 8192 - 32 : p, *task = i & 1 ? p + 8192 - 64 : p;
        unsigned n = (unsigned)size[i / 2];
        memset(p, 0, 8192);
        p[200] = 1;
        syscall(SYS_openat2, -1, "x", how, size[i / 2]);
        syscall(SYS_mount_setattr, -1, "x", 0, attr, size[i / 2]);
        syscall(SYS_sched_setattr, -1, memcpy(attr, &n, 4), 0);
        syscall(SYS_perf_event_open, memcpy(attr, "\6\0\0", 4) + memcmp(memcpy(attr + 4, &n, 4), &n, 4), -2, -1, -1, 0);
        memset(task, 255, 8);
        syscall(SYS_clone3, task, size[i / 2]);
    }
    /* Arrays and bytes that continue in memory that is not readable. */
    memset(p + 8192 - 48, 1, 48);
    for (unsigned n = 1; n < 48; n += 5) {
        syscall(SYS_ppoll, p + 8192 - n, 3, 0, 0, 8);
        syscall(SYS_semop, -1, p + 8192 - n, 3);
        syscall(SYS_setgroups, 3, p + 8192 - n);
        syscall(SYS_write, 1, p + 8192 - n, 50);
        syscall(SYS_fsetxattr, 1, "user.a", p + 8192 - n, 50, 0);
        syscall(SYS_pwritev2, -1, p + 8192 - n, 3, 0, 0, 8);
    }
    return 0;
}
C
gcc -o ext ext.c || fail "gcc"
for backend in $(backends); do
    "$KVIS" trace -v --backend=$backend --json=$backend.json -o /dev/null -e trace=openat2,mount_setattr,sched_setattr,perf_event_open,clone3,ppoll,semop,setgroups,write,fsetxattr,pwritev2 -- \
        setarch -R ./ext 9>&- >/dev/null
    grep "type.:.syscall" $backend.json | grep -v execve | grep -o '"name":.*,"duration' >$backend.calls
    [ $backend = ptrace ] || diff ptrace.calls hybrid.calls >&9 || fail "ext: the backends differ"
done
has ptrace.calls 'openat2.*\{flags=O_RDONLY, mode=000, resolve=0, .* bytes 24..4095 .*"4097"'
has ptrace.calls '"ppoll","args":\["\[\{fd=16843009, events=.*\}, ... /\* 0x'
has ptrace.calls '"fsetxattr",.*u0001\.\.\.","50"'

# Text beyond the limit of a call ends in "...", and arguments after it are shown as numbers.
for backend in $(backends); do
    "$KVIS" trace -v -s 4096 --backend=$backend --json=long.json -o long -e trace=writev -- \
        python3 -c 'import os; os.writev(1, [b"a" * 4096] * 200)' 9>&- >/dev/null
    grep -q 'a\.\.\., 0xc8) = 819200' long || fail "$backend: no mark of the truncated text"
    grep -q 'a\.\.\.","0xc8"\],"ret":819200' long.json || fail "$backend: no mark in the JSON"
done
