#!/bin/sh
# gen/out/structs.h is what gen/structs.sh makes from gen/tables/structs.tbl, structs.sh refuses a table with a mistake, and
# the members have the offsets of the kernel's headers.
# tier: quick
# timeout: 60
# needs: no-kvis python3 gcc
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/tables.sh"
table=$TESTS/../gen/tables/structs.tbl
copy_generator structs
is_committed structs.h
[ "$(sh gen/structs.sh list | wc -l)" -gt 40 ] || fail "structs.sh list"
finds_mistakes structs structs.h <<'LIST'
s/^struct rlimit64 size=16/struct rlimit64 size=12/~rlim_max ends behind the structure, at 16
s/^struct rlimit64 size=16/struct rlimit64 size=many/~size=N
s/^struct rlimit64 size=16/struct rlimit64 length=16/~no column .length
s/^struct rlimit64 size=16/struct rlimit64 size=16 default=8/~a default without
s/^struct rlimit64 size=16/struct rlimit64 size=16 abi=sparc/~no ABI .sparc
s/^struct rlimit64 size=16/struct rlimit64 size=16 is=rlimit/~is=struct:NAME
s/^struct rlimit64 .*/struct sembuf size=16/~two layouts of sembuf in x86_64
s/^\( *rlim_max  *\)8/\14/~rlim_max lies over rlim_cur
s/^\( *\)rlim_max/\1rlim_cur/~rlim_cur occurs twice
s/^\( *rlim_max  *8  *8  \)limit/\1limits/~unknown kind .limits
s/^\( *rlim_max  *8  *\)8  limit/\14  limit/~limit of 4 bytes
s/^\( *rlim_max  *8  *8  limit\)/\1 sometimes/~nonzero, verbose, answer
s/^\( *rlim_max  *8  *8  limit\)/\1 rlim_min=5/~no member .rlim_min
s/^\( *rlim_max  *8  *8  limit\)/\1 rlim_cur=x/~is not a number
s/^\( *rlim_max  *8  *8  limit\)/\1 rlim_cur=1 rlim_cur=2/~two conditions
s/^\( *rlim_max  *\)8  *8  limit/\1eight 8  limit/~are numbers
s/^ *rlim_max .*/    rlim_max 8/~expected: MEMBER OFFSET
s/f:statxmask/f:nonsense/~no family .nonsense
s/^struct mnt_id_req size=\.size/struct mnt_id_req size=.length/~no member .length
s/^struct mnt_id_req size=\.size/struct mnt_id_req size=.mnt_id/~a size of other than 4
s/^struct winsize .*/&\nstruct empty size=8/~winsize has no members
s/^struct timezone .*/timezone/~expected .struct NAME
LIST
# What the headers of this machine know; members that are newer or have another name there are passed over. The headers
# of times cannot stand beside those of sockets.
cp "$table" gen/tables
claims=$(sh gen/structs.sh assert | tee claims | wc -l)
sed '/define KVIS_CHECK_FLAGS/,$d' "$TESTS/lib/flags_check.c" >most.c
printf '#include <linux/%s.h>\n' sched/types sem >>most.c
printf '#include <linux/%s.h>\n' resource times timex utsname >times.c
printf '#include <asm/%s.h>\n' stat statfs fcntl >>times.c
for part in most times; do
    cat >>$part.c <<'END'
#include <stddef.h>
#define CLAIM_ANY(type, member, at, size) \
    _Static_assert(offsetof(type, member) == at && sizeof(((type *)0)->member) == size, #type " " #member);
#define CLAIM_NEITHER(type, member, at, size) UNKNOWN
#ifdef __x86_64__
#define CLAIM_X86_64 CLAIM_ANY
#define CLAIM_ARM64 CLAIM_NEITHER
#else
#define CLAIM_X86_64 CLAIM_NEITHER
#define CLAIM_ARM64 CLAIM_ANY
#endif
#line 1 "claims"
END
    cat claims >>$part.c
    gcc -std=gnu11 -fsyntax-only -fmax-errors=0 -ftrack-macro-expansion=0 $part.c 2>$part.err
    grep 'static assertion failed' $part.err && fail "the headers have it elsewhere"
    grep -v '^claims:' $part.err | grep ': error' && fail "the comparison does not compile"
    sed -n 's/^claims:\([0-9]*\):.*error.*/\1/p' $part.err | sort -u >unknown
    seq "$claims" | sort | comm -23 - unknown >$part.known
done
known=$(sort -u most.known times.known | wc -l)
say "$known of $claims members compared"
[ "$known" -gt 180 ] || fail "too few are known"
