#!/bin/sh
# The generators of gen/ make the headers of gen/out from the tables, and each generator refuses a table with a mistake; the
# mistakes here are those that the C compiler would take.
# The rows of pmu.tbl may be in any order, members of structs.tbl have the offsets of the kernel's headers, and an
# option does not compile if its destination has a different type than its row says. A changed BPF program voids its row
# of VETTED.
# tier: quick
# timeout: 180
# needs: no-kvis python3 gcc
. "$TESTS/lib/lib.sh"
top=$TESTS/..
mkdir -p gen/tables gen/probes
cp "$top/gen/"*.sh gen
cp "$top/gen/tables/"*.tbl gen/tables
cp "$top/gen/probes/"*.bpf.c gen/probes
cp -r "$top/gen/manual" gen

# generates NAME FILE: gen/NAME.sh makes gen/out/FILE as it is committed.
generates() {
    generator=$1
    sh "gen/$1.sh" || fail "$1.sh"
    cmp "gen/out/$2" "$top/gen/out/$2" >&9 || fail "gen/out/$2 is not what gen/$1.sh makes: run make gen"
    sh "gen/$1.sh" nonsense 2>err
    [ $? = 2 ] || fail "no usage error"
}

# finds_mistakes TABLE FILE <LIST: see lib/mistakes.py.
finds_mistakes() {
    python3 "$TESTS/lib/mistakes.py" "$generator" "$1" "$2" >out 2>err || fail "$1.tbl: mistakes"
}

generates metrics metrics.h
finds_mistakes metrics metrics.h <<'LIST'
s/^    Context switches of all CPUs//~CTXT: no text
s/^    Context switches of all CPUs/    The "context" switches/~a quote or a backslash
s/^    Context switches of all CPUs/    Load average over 1 minute/~CTXT says the same
s/^    Context switches of all CPUs/&\n&/~a text without a row
s/^metric CTXT context_switches/metric CTXT forks/~the name forks appears twice
s/^metric CTXT context_switches/metric CTXT Switches/~is no name
s/^metric CTXT .*/& color=red/~has no column `color`
s/^metric CTXT .*/& unit=count/~unit appears twice
s/^metric CTXT .*/& set=/~set: empty
s/^metric CTXT .*/& set="a/~a quote without its end
s/^metric CTXT .*/& prom=switches_of_all/~in Prometheus, counters end in _total
s/^metric CTXT .*/& prom=intr_total/~another metric has the name intr_total
s/^metric CTXT .*/& prom=switches{cpu}/~prom: NAME
s/^metric CTXT .*/& prom=switches{in="all"}/~no family `switches`
s/prom=cpu_seconds_total{mode="nice"}/prom=cpu_seconds_total{mode="user"}/~USER has this name in Prometheus, too
s/^metric CTXT .*/& prom=cpu_seconds_total{mode="none"}/~not next to the other metrics
s/^\(metric NICE .*\) unit=mode_ticks/\1 unit=total_ms/~its unit differs
s/^family cpu_seconds_total/family cpu_minutes_total/~family cpu_minutes_total: no metric has this name
s/wire=involuntary/wire=switches/~wire appears twice
s/ octaves=10-34 prom=runq_wait_seconds/ octaves=34-10 prom=runq_wait_seconds/~octaves A-B
s/cite=proc_stat(5)/cite=wisdom/~neither a manual page nor a file
s,cite=gen/probes/blk.bpf.c,cite=gen/probes/block.bpf.c,~there is no gen/probes/block.bpf.c
s/^\(source STAT .*\)group=cpu/\1group=gpu/~no group `gpu`
s/ prom=vmstat_[*]/ prom=vmstat_/~prom has one *
s/^\(unit ticks .*\)scale=0.01/\1scale=0/~unit ticks: scale is no number
s/^\(metric LOAD.*\)source=load/\1source=stat/~source LOAD: no metric
s/ sort=IDLE/ sort=TEMP/~sort: the dimension lacks this metric
s/^dimension zone json=zone/dimension zone/~json, label and sort are needed
s/ title=zones section=t/ title=zones section=T/~title and section are needed
s/ none="no cgroup has a CPU quota"/& lack=kernel/~lack and none exclude each other
s/ column="1 IOPS"/ column=IOPS/~column: N NAME
s/ groups=sched/ groups=schedule/~no group `schedule`
s/^key up do=scr_scroll arg=-1 sends=A/key up do=scr_scroll arg=-1 sends=5/~sends is neither FINAL nor
s/^handler handle_tx_kick device=net/handler handle_tx_kick device=disk/~device is none of
s/^handler handle_rx_net device=net queue=0/handler handle_rx_net device=net queue=rx/~queue is no number
s/^function vp_notify entry=notify/function vp_notify/~function VP_NOTIFY: no entry
LIST

generates rules rules.h
finds_mistakes rules rules.h <<'LIST'
s/^\( *finding  \)Cores were.*/\1/~finding: empty
s/^\( *finding  \)Cores were.*/\1A CPU package was too hot and was throttled/~says the same
s/^\( *finding  CPU \)%t is/\1is/~lacks %t
s/^ *next  *sysctl fs.file-nr//~rule limit-files: no next
s/^rule limit-files/rule limit-threads/~stands twice
s/PERIODS >= 0.1/PERIODS > 0.1/~neither >= nor <=
s/all  *BUSY >= 0.7/this BUSY >= 0.7/~this of one machine
s/^words GR_OOM .*//~GR_OOM has no words
s/^\(words GR_OOM *\).*/\1processes killed/~want one % or #
s/unless   cgroup-oom-kill/unless   no-such-rule/~no rule `no-such-rule` before
s/unless   cgroup-oom-kill/unless   cgroup-oom-kill cgroup-throttled/~more than one rule
s/^    alone .*//~alone is for where
s/^    kind /    sort /~no column
s/^busiest B_IO .*/busiest B_IO many/~.many. is no limit
s/^column B_MEM .*/column B_MEM memory/~column NUMBER WIDTH HEAD
LIST

generates tables syscalls.h
finds_mistakes syscalls syscalls.h <<'LIST'
s/^@kind stat .*/@kind stat  out  array:stat  144/~no array of .stat
s/^@kind stat .*/@kind stat  out  struct:stat  144,long/~.long.: short, early, model or max=N
s/^@stop exec .*/@stop exec/~expected: @stop NAME WHY
/^execve /s/stops=exec/stops=execs/~no @stop .execs
/^mmap /s/file=fd/file=fds/~no argument .fds
/^memfd_secret/s/-> .*/->/~-> and no result
/^memfd_secret/s/O_CLOEXEC/FD_CLOEXEC/~family .memfdsecret. has no .FD_CLOEXEC
/^memfd_secret/s/cloexec=flags/cloexec=flag/~no argument .flag
/^memfd_secret/s/cloexec=/closes=/~label=, cloexec= or if=
LIST
finds_mistakes commands syscalls.h <<'LIST'
s/^\( *F_GETLK \)/\1int/~more arguments than
s/^ *F_SETLK .*/    F_GETLK  flock/~F_GETLK occurs twice
s/^call fcntl fcntl64/call fcntl fcntl128/~no call .fcntl128
s/struct:linger/struct:lingers/~struct:NAME, e:FAMILY
LIST

finds_mistakes flags flags.h <<'LIST'
s/signal=SIGILL:siginfo_fault/signal=SIGILL/~part=HOW:MASK.:ARG. or signal=NAME:STRUCT
LIST

generates pmu pmu.h
table=$top/gen/tables/pmu.tbl
# The rows in another order: the same rows in another order; two arrays are sorted.
grep '^columns' "$table" >gen/tables/pmu.tbl
grep -v '^columns' "$table" | sort -r >>gen/tables/pmu.tbl
mv gen/out/pmu.h before
sh gen/pmu.sh || fail "pmu.sh wants an order"
for file in before gen/out/pmu.h; do
    sed -n '/^static.* \(pmc_groups\|unc_classes\)/,/^};/p' $file >sorted.${file##*/}
    sed '1,/^static/d' $file | tr '\n' ' ' | sed 's/ },     /\n/g; s/{     /\n/g; s/ }, };/\n/g' | sed 's/PMC_[A-Z0-9]*\( | PMC_[A-Z0-9]*\)*/LISTS/' |
        sort >rows.${file##*/}
done
cmp sorted.before sorted.pmu.h || fail "what is sorted follows the order of rows"
cmp rows.before rows.pmu.h || fail "not the same rows"
[ "$(wc -l <rows.before)" -gt 200 ] || fail "no rows"

finds_mistakes pmu pmu.h <<'LIST'
s/^columns  list  name  vendor/columns  list  name  maker/~no column .vendor
s/^\(list  SKL  Intel\)  .*/\1  somewhere/~no document with its section
s/^\(core  TNT.*\)86 96 9c/\186 96 9c-0a/~models .9c-0a
s/^core  TNT/core  SKL/~no core has the list TNT
s/^\(core  TNT.*\)86 96 9c/\186 96 4e/~model 4e of family 6: two cores
s/^\(core  TNT.*\)  cpu  /\1  cpu_tiny  /~pmu .cpu_tiny. is none of
s/^core  TNT  GenuineIntel/core  TNT  AuthenticAMD/~belongs to another vendor
s/  perfmon SNR, EHL  /  -  /~source: empty
s/^\(event  stalled_backend .*\)0xa2/\10x1a2/~event .0x1a2. is no hexadecimal number up to 255
s/^\(event  stalled_backend  *\)SKL/\1SKL Z1/~an event of Intel and AMD
s/^event  stalled_backend /event  stalled_cycles /~the list SKL has two events for stalled_cycles
s/RESOURCE_STALLS.ANY/RESOURCE"STALLS/~a quote
s/^\(role  branches  *\)BRANCHES/\1CYCLES/~metric CYCLES: appears twice
s/^\(group  branch .*\)branches /\1/~branches: in no group
s/^\(group  stall  *cycles \)/\1branches /~branches: in two groups
s/^\(group  stall  *cycles \)/\1ref_cycles empty_slots l2_misses l1d_misses /~2 to 5 roles
s/^\(ratio  IPC .*\)cycles  /\1branches  /~are in no one group
s/dtlb_second_level dtlb_walks  l1d/itlb_walks dtlb_walks  l1d/~parts: in another group
s/^cite  role .*//~no cite of role
s/^cite  arm .*/cite  arm  Arm/~cite KIND DOCUMENT
s/^arm  41  d02 /arm  41  d2 /~three hexadecimal digits
s/^\(uncore  fabric .*\)  4  arch.*/\1  4  -/~no document
s/^\(uncore  fabric .*\)  sum  /\1  bytes  /~both: fabric counts bytes
s/rdwrmask=0x1  .*/rdwrmask=0x1  -/~no document
s/^\(counter  umc  *write  *\)-   /\164  /~lines: only for reads
s/rdwrmask=0x1  /rdwrmask=1  /~terms .event
s/^\(counter  umc  *read .*\)any /\1-   /~both or neither
s/^group  base/grope  base/~is no kind of row
s/^# Topdown, level 1/	&/~a tab
LIST

generates options options.h
finds_mistakes options options.h <<'LIST'
s/^option -i, --interval=SECS/option -v, --interval=SECS/~trace has a -v already
s/^option -i, --interval=SECS/option -i, --verbose=SECS/~trace has a --verbose already
s/^option -i, --interval=SECS/option interval=SECS/~neither a letter nor a name
s/^option -e, --trace=EXPR/option -e EXPR/~an argument without a long name
s/^option -i, --interval=SECS/option -i, --interval SECS/~unknown spelling
s/^argument SECS .*//~no argument is called .SECS
s/^argument SECS .*/argument SECS seconds/~no kind .seconds
s/^argument TID /argument PID /~argument PID appears twice
s/^\(  help    \)print only the summary; -qq: not even the summary/\1/~help is empty
s/^\(  help    \)print only the summary; -qq: not even the summary/\1the \\ summary/~a backslash
s/^  help    print only the summary; -qq: not even the summary//~option -q, --quiet: no help
s/^\(  sets    \)count opt.quiet/\1number opt.quiet 1..2/~a number without an argument
s/^\(  sets    \)seconds opt.interval_ns.*/\1flag opt.interval_ns/~sets flag, with an argument
s/opt.strlen_max 0..65536/opt.strlen_max 86400..1/~is not a range
s/^\(  sets    \)output opt.json/\1string opt.json/~only call and output take an optional argument
s/^\(  needs   \)command/\1root/~needs is not .command
s/^\(  values  \)auto.ptrace.hybrid/\1auto, ptrace, hybrid/~values are A.B.C
s/^  usage   .*A.kvis B.kvis//~command diff: no usage
s/^  of      diff/  for     diff/~no column .for
s/^option --by=pid/options --by=pid/~.options. is unknown
s/^verdict diagnose  monitor/verdict diagnose  hardware/~verdict NAME, or verdict NAME OTHER
s/^\(  useful_for  \)open proc/\1open hardware/~useful_for: no verdict on .hardware
s/^\(  tries       \)PMC/\1pmc/~neither a function check_NAME nor a source
LIST

# A destination of another type than the row says does not compile.
mkdir src && cp -r "$top/kvis.c" "$top/gen" "$top/bpf_insns" src
sed 's/count opt.quiet/flag opt.interval_ns/' "$top/gen/tables/options.tbl" >gen/tables/options.tbl
sh gen/options.sh || fail "options.sh"
cp gen/out/options.h src/gen/out
gcc -std=gnu11 -pthread -fsyntax-only -Werror src/kvis.c >out 2>err && fail "a u32 is taken for a bool"
has err 'options.h.*incompatible pointer'

generates arch arch.h
finds_mistakes arch arch.h <<'LIST'
s/^arch     aarch64/board    aarch64/~arch, layout or constant
s/^layout   aarch64   ARM64 /layout   sparc     ARM64 /~no arch .sparc
s/^\(layout   aarch64   ARM64  *\)8/\116/~registers have 4 or 8 bytes
s/^\(layout   aarch64   ARM32  *4  *\)18/\112/~.17. is not the index of one of 12 registers
s/^\(layout   riscv64 .*\),15/\1/~six arguments
s/^layout   riscv64 .*//~no layout of riscv64
s/^\(constant NR_OFF .*\)  136/\1/~expected: constant NAME and 4 values
s/^constant STACK_NR/constant STACK/~STACK occurs twice
LIST

generates files files.h
finds_mistakes files files.h <<'LIST'
s/^kind    PIPE /sort    PIPE /~kind, socket, class or path
s/^kind    PIPE .*/kind    PIPE/~kind NAME TEXT
s/^kind    PIPE /kind    SOCK /~.kind SOCK. occurs twice
s/^\(kind    PIPE .*\)pipe:\[/\1socket:[/~.socket:.. occurs twice
s/^socket  VSOCK .*/socket  VSOCK  vsock/~socket DOMAIN TYPE PROTOCOL NAME
s/^socket  INET6 /socket  INET  /~.INET STREAM 262. occurs twice
s,/nix/store/,/lib,~./lib. occurs twice
s/^class   PART/class   PARTS/~no class .PART
s/^class   HEADER/& header/~class NAME
LIST

generates structs structs.h
finds_mistakes structs structs.h <<'LIST'
s/^struct rlimit64 size=16/struct rlimit64 size=12/~rlim_max ends after the structure, at 16
s/^struct rlimit64 size=16/struct rlimit64 size=many/~size=N
s/^struct rlimit64 size=16/struct rlimit64 length=16/~no column .length
s/^struct rlimit64 size=16/struct rlimit64 size=16 default=8/~a default without
s/^struct rlimit64 size=16/struct rlimit64 size=16 is=rlimit/~is=struct:NAME
s/^\( *rlim_max  *\)8/\14/~rlim_max overlaps rlim_cur
s/^\( *\)rlim_max/\1rlim_cur/~rlim_cur occurs twice
s/^\( *rlim_max  *8  *\)8  limit/\14  limit/~limit of 4 bytes
s/^\( *rlim_max  *8  *8  limit\)/\1 sometimes/~nonzero, verbose, answer
s/^\( *rlim_max  *8  *8  limit\)/\1 rlim_min=5/~no member .rlim_min
s/^\( *rlim_max  *8  *8  limit\)/\1 rlim_cur=1 rlim_cur=2/~two conditions
s/^\( *rlim_max  *\)8  *8  limit/\1eight 8  limit/~are numbers
s/^ *rlim_max .*/    rlim_max 8/~expected: MEMBER OFFSET
s/^struct mnt_id_req size=\.size/struct mnt_id_req size=.length/~no member .length
s/^struct mnt_id_req size=\.size/struct mnt_id_req size=.mnt_id/~a size of other than 4
s/^\(struct sockaddr_in .*\)family=AF_INET/\1family=INET/~family=AF_NAME
s/^\(struct sockaddr_in6 .*\)family=AF_INET6/\1/~least=N, with family
s/^struct winsize .*/&\nstruct empty size=8/~winsize has no members
LIST
# The layouts in this machine's headers, without members that are newer or have another name. Headers of times and sockets conflict.
claims=$(sh gen/structs.sh assert | tee claims | wc -l)
sh "$TESTS/lib/flags_check.sh" | sed '/define KVIS_CHECK_FLAGS/,$d' >most.c
printf '#include <linux/%s.h>\n' sched/types sem >>most.c
printf '#include <linux/%s.h>\n' mqueue resource times timex uio utime utsname >times.c
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

# A changed BPF program invalidates its row of VETTED, and a row must be complete: edits of a header and of VETTED, with the error.
mkdir new
while IFS='~' read -r want what header rows; do
    sed "$header" "$top/bpf_insns/blk.h" >new/blk.h
    sed "$rows" "$top/bpf_insns/VETTED" >new/VETTED
    cmp -s new/blk.h "$top/bpf_insns/blk.h" && cmp -s new/VETTED "$top/bpf_insns/VETTED" && fail "$what: nothing changed"
    VETTED=$PWD/new/VETTED sh "$top/gen/vet.sh" new/blk.h >out 2>err
    eq "$what" "$want" $?
    [ "$want" = 0 ] || has err '^vet: not in VETTED: [0-9a-f]{64}  blk/blk_'
done <<'LIST'
0~a moved source line~s,// blk.bpf.c:[0-9]*,// blk.bpf.c:1,~
1~a changed instruction~s/I_MOV64_IMM(R0, 0)/I_MOV64_IMM(R0, 1)/~
1~a changed patch~s/PATCH_CONST, 0, "CFG_SECOND"/PATCH_CONST, 0, "CFG_PID"/~
1~another lowest kernel~s/I_KERNEL(5, /I_KERNEL(6, /~
1~another program~s/blk_issue/blk_begin/g~
1~no kernels~~s/  5[.]10: .*[0-9]  /  /
1~no instructions of a kernel~~s/: [0-9]*//g
1~nobody~~s/  [a-z][a-z ]*  20/  20/
1~no date~~s/  20[0-9-]*$//
1~no row~~/blk_issue/d
LIST
