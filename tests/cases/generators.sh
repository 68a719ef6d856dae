#!/bin/sh
# The generators of gen/ make the headers of gen/out from the tables, and each generator refuses a table with a mistake.
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

# lists NAME N: gen/NAME.sh list has more than N lines.
lists() { [ "$(sh "gen/$1.sh" list | tee list | wc -l)" -gt "$2" ] || fail "$1.sh list"; }

# finds_mistakes TABLE FILE <LIST: see lib/mistakes.py.
finds_mistakes() {
    python3 "$TESTS/lib/mistakes.py" "$generator" "$1" "$2" >out 2>err || fail "$1.tbl: mistakes"
    cat out >&9
}

generates metrics metrics.h
lists metrics 300
has list '^runq_wait_p99_ns$'
finds_mistakes metrics metrics.h <<'LIST'
s/^    Context switches of all CPUs//~CTXT: no text
s/^    Context switches of all CPUs/    of all CPUs, switches/~does not begin with a capital
s/^    Context switches of all CPUs/    These are context switches/~begins with a pronoun
s/^    Context switches of all CPUs/    Context switches/~fewer than three words
s/^    Context switches of all CPUs/&./~a full stop
s/^    Context switches of all CPUs/    The "context" switches/~a quote or a backslash
s/^    Context switches of all CPUs/    Load average over 1 minute/~CTXT says the same
s/^    Context switches of all CPUs/&\n&/~a text without a row
s/^\(metric CTXT .*\) unit=count/\1/~metric CTXT: no unit
s/^\(metric CTXT .*\) unit=count/\1 unit=parsec/~CTXT: no unit `parsec`
s/^metric CTXT context_switches/metric CTXT forks/~the name forks appears twice
s/^metric CTXT /metric FORKS /~FORKS appears twice
s/^metric CTXT /metric ctxt /~is no ID
s/^metric CTXT context_switches/metric CTXT Switches/~is no name
s/^metric CTXT /number CTXT /~`number` is unknown
s/^metric CTXT .*/& color=red/~has no column `color`
s/^metric CTXT .*/& unit=count/~unit appears twice
s/^metric CTXT .*/& set=/~set: empty
s/^metric CTXT .*/& set="a/~a quote without its end
s/^\(metric CTXT .*source=\)stat/\1uptime/~CTXT: no source `uptime`
s/^metric CTXT .*/& of=planet/~CTXT: no dimension `planet`
s/^metric CTXT .*/& all=most/~all is none of: sum mean
s/^metric CTXT .*/& bits=64/~bits is none of: 32
s/^metric CTXT .*/& prom=switches_of_all/~in Prometheus, counters end in _total
s/^metric RUNNING .*/& prom=running_total/~in Prometheus, counters end in _total
s/^metric CTXT .*/& prom=intr_total/~another metric has the name intr_total
s/^metric CTXT .*/& prom=switches{cpu}/~prom: NAME
s/^metric CTXT .*/& prom=switches{in="all"}/~no family `switches`
s/prom=cpu_seconds_total{mode="nice"}/prom=cpu_seconds_total{mode="user"}/~USER has this name in Prometheus, too
s/^metric CTXT .*/& prom=cpu_seconds_total{mode="none"}/~not next to the other metrics
s/^\(metric NICE .*\) unit=mode_ticks/\1 unit=total_ms/~its unit differs
s/^family cpu_seconds_total/family cpu_minutes_total/~family cpu_minutes_total: no metric has this name
s/wire=involuntary/wire=switches/~wire appears twice
s/ octaves=10-34 prom=runq_wait_seconds/ octaves=10-34/~distribution WAIT: no prom
s/ octaves=10-34 prom=runq_wait_seconds/ octaves=34-10 prom=runq_wait_seconds/~octaves A-B
s/ counts=nsecs octaves=10-34 prom=runq_wait_seconds/ prom=runq_wait_seconds/~distribution WAIT: no counts
s/ cite=proc_stat(5)//~source STAT: no cite
s/cite=proc_stat(5)/cite=wisdom/~neither a manual page nor a file
s,cite=gen/probes/blk.bpf.c,cite=gen/probes/block.bpf.c,~there is no gen/probes/block.bpf.c
s/^\(source STAT .*\)group=cpu/\1group=gpu/~no group `gpu`
s/ asked=yes/ asked=no/~asked is none of: yes
s/ asked=yes//~no source is asked=yes
s/read=mfs_stat/read="mfs stat()"/~source STAT: read is no function
s/ prom=vmstat_[*]/ prom=vmstat_/~prom has one *
s/wire=involuntary/wire=involuntary-/~INVOLUNTARY: wire is no name
s/^\(unit ticks .*\)scale=0.01/\1scale=1e/~unit ticks: scale is no number
s/^\(unit ticks .*\)scale=0.01/\1scale=0/~unit ticks: scale is no number
s/^\(metric LOAD.*\)source=load/\1source=stat/~source LOAD: no metric
s/ sort=IDLE/ sort=IDLENESS/~no metric `IDLENESS`
s/ sort=IDLE/ sort=TEMP/~sort: the dimension lacks this metric
s/^dimension zone json=zone/dimension zone/~json, label and sort are needed
s/^dimension none/dimension all/~the first dimension is not none
s/ title=zones section=t/ title=zones/~title and section are needed
s/ title=zones section=t/ title=zones section=T/~title and section are needed
s/ unusual=0.2 bad=0.5/ unusual=0.2/~unusual and bad go together
s/ none="no cgroup has a CPU quota"/& lack=kernel/~lack and none exclude each other
s/ column="1 IOPS"/ column=IOPS/~column: N NAME
s/ groups=sched/ groups=schedule/~no group `schedule`
s/ past=LOAD1/ past=LOAD2/~no metric `LOAD2`
s/"IPC IPC,/"IPC IPS,/~no metric `IPS`
s/shown=celsius/shown=kelvin/~shown is none of
s/^\(unit ticks .*\)counter=yes/\1counter=on/~counter is none of: yes
LIST

generates rules rules.h
lists rules 50
finds_mistakes rules rules.h <<'LIST'
s/^\( *finding  \)Cores were.*/\1They were too hot and throttled/~begins with a pronoun
s/^\( *finding  \)Cores were.*/\1Too hot cores/~fewer than four words
s/^\( *finding  \)Cores were.*/\1/~finding: empty
s/^\( *finding  Cores were.*\)/\1./~a full stop
s/^\( *finding  \)Cores were.*/\1A CPU package was too hot and was throttled/~says the same
s/^\( *finding  CPU \)%t is/\1is/~lacks %t
s/^\( *source  *\)udp(7).*/\1/~source: empty
s/^ *next  *sysctl fs.file-nr//~rule limit-files: no next
s/^rule limit-files/rule limit-threads/~stands twice
s/PERIODS >= 0.1/PERIODS > 0.1/~neither >= nor <=
s/PERIODS >= 0.1/PERIODS >= much/~no limit
s/this GR_THROTTLED/here GR_THROTTLED/~no scope
s/all  *BUSY >= 0.7/this BUSY >= 0.7/~this of one machine
s/^words GR_OOM .*//~GR_OOM has no words
s/^\(words GR_OOM *\).*/\1processes killed/~want one % or #
s/members B_CPU/friends B_CPU/~blames .friends. is none of
s/ before   RUNQ/ before   QUEUE/~no resource
s/unless   cgroup-oom-kill/unless   no-such-rule/~no rule `no-such-rule` before
s/unless   cgroup-oom-kill/unless   cgroup-oom-kill cgroup-throttled/~more than one rule
s/^    alone .*//~alone is for where
s/ kind  *error/ kind     mistake/~kind .mistake. is none of
s/^    kind /    sort /~no column
LIST

generates tables syscalls.h
finds_mistakes syscalls syscalls.h <<'LIST'
s/^@kind stat .*/@kind stat  out  struct:statt  144/~structs.tbl has no .statt
s/^@kind stat .*/@kind stat  out  array:stat  144/~no array of .stat
s/^@kind stat .*/@kind stat  later  struct:stat  144/~in, out, late or both
s/^@kind stat .*/@kind stat  out  struct:stat/~expected: @kind NAME WHEN HOW MEMORY
s/^@kind stat .*/@kind statx  out  struct:stat  144/~kind statx occurs twice
s/^@kind stat .*/@kind stat  out  struct:stat  some/~.some.: -, stop, BYTES
s/^@kind stat .*/@kind stat  out  struct:stat  144,long/~.long.: short, early, model or max=N
s/^@stop exec .*/@stop exec/~expected: @stop NAME WHY
/^execve /s/stops=exec/stops=execs/~no @stop .execs
/^mmap /s/file=fd/file=fds/~no argument .fds
/^memfd_secret/s/-> .*/-> fdd/~no result .fdd
/^memfd_secret/s/-> .*/->/~-> and no result
/^memfd_secret/s/O_CLOEXEC/FD_CLOEXEC/~family .memfdsecret. has no .FD_CLOEXEC
/^memfd_secret/s/cloexec=flags/cloexec=flag/~no argument .flag
/^memfd_secret/s/cloexec=/closes=/~label=, cloexec= or if=
/^memfd_secret/s/flags:f:memfdsecret/flags:f:nothing/~no family .nothing
LIST
finds_mistakes commands syscalls.h <<'LIST'
s/^\( *F_GETLK \)/\1int/~more arguments than
s/^ *F_SETLK .*/    F_GETLK  flock/~F_GETLK occurs twice
s/^\( *F_SETLK  *\)flock/\1floc/~unknown kind .floc
s/^ *F_SETLK /    F_SETLOCK /~family .fcntl. has no .F_SETLOCK
s/^call fcntl fcntl64/call fcntl fcntl128/~no call .fcntl128
s/^call fcntl fcntl64 by op/call fcntl fcntl64 by command/~no argument .command
s/^call ioctl by op family=ioctl/call ioctl by op/~no family for .TCGETS
s/^call bpf /call prctl /~prctl has commands already
s/&0x7f/\&some/~is not a mask
s/struct:linger/struct:lingers/~struct:NAME, e:FAMILY
s/^sockopt SOL_UDP .*/sockopt SOL_UDPP soudp/~family .sol. has no .SOL_UDPP
LIST

generates pmu pmu.h
table=$top/gen/tables/pmu.tbl
# The rows in another order: the same rows in another order.
grep '^columns' "$table" >gen/tables/pmu.tbl
grep -v '^columns' "$table" | sort -r >>gen/tables/pmu.tbl
mv gen/out/pmu.h before
sh gen/pmu.sh || fail "pmu.sh wants an order"
for t in pmc_groups unc_classes; do # these are sorted by a column
    sed -n "/^static.* $t/,/^};/p" before >a
    sed -n "/^static.* $t/,/^};/p" gen/out/pmu.h >b
    cmp a b || fail "$t follows the order of rows"
done
for t in pmc_roles pmc_ratios pmc_cores pmc_events pmc_arm unc_rows; do
    for f in before gen/out/pmu.h; do
        sed -n "/^static.* $t/,/^};/p" $f | tr '\n' ' ' | sed 's/ },     /\n/g; s/{     /\n/; s/ }, };/\n/' |
            sed 's/PMC_[A-Z0-9]*\( | PMC_[A-Z0-9]*\)*/LISTS/' | sort >$t.${f##*/}
    done
    cmp $t.before $t.pmu.h || fail "$t is not the same rows"
    [ "$(wc -l <$t.before)" -gt 15 ] || fail "$t: no rows"
done

finds_mistakes pmu pmu.h <<'LIST'
s/^columns  list  name  vendor/columns  list  name  maker/~no column .vendor
s/^\(list  SKL  Intel\)  .*/\1/~values for . columns
s/^\(list  SKL  Intel\)  .*/\1  somewhere/~no document with its section
s/^\(list  SKL  Intel\)  .*/\1  -/~no document with its section
s/^list  ICL/list  SKL/~list SKL: appears twice
s/^\(core  TNT.*\)86 96 9c/\186 96 9c-0a/~models .9c-0a
s/^core  TNT/core  TNX/~no list .TNX
s/^core  TNT/core  SKL/~no core has the list TNT
s/^\(core  TNT.*\)86 96 9c/\186 96 4e/~model 4e of family 6: two cores
s/^\(core  TNT.*\)  cpu  /\1  cpu_tiny  /~pmu .cpu_tiny. is none of
s/^core  TNT  GenuineIntel/core  TNT  AuthenticAMD/~belongs to another vendor
s/^core  TNT  GenuineIntel/core  TNT  Genuine/~vendor .Genuine. is none of
s/  perfmon SNR, EHL  /  -  /~source: empty
s/^\(event  stalled_backend .*\)0xa2/\10x1a2/~event .0x1a2. is no hexadecimal number up to 255
s/^\(event  stalled_backend .*\)0xa2/\1162/~event .162. is no hexadecimal number
s/^\(event  empty_slots_backend .*\)0x1e/\10x11e/~umask .0x11e
s/^event  stalled_backend /event  stalled_back /~no role .stalled_back
s/^\(event  stalled_backend  *\)SKL/\1SKX/~no list .SKX
s/^\(event  stalled_backend  *\)SKL/\1SKL Z1/~an event of Intel and AMD
s/^event  stalled_backend /event  stalled_cycles /~the list SKL has two events for stalled_cycles
s/RESOURCE_STALLS.ANY/RESOURCE"STALLS/~a quote
s/^\(role  cycles .*\)HARDWARE/\1HARD/~neither HARDWARE/NAME nor
s/^\(role  branches  *\)BRANCHES/\1CYCLES/~metric CYCLES: appears twice
s/^\(role  branches  *\)BRANCHES/\1branches/~is no metric
s/^\(group  branch .*\)branches /\1/~branches: in no group
s/^\(group  branch .*\)branches /\1branched /~no role .branched
s/^\(group  stall .*\)  6/\1  5/~two groups of priority 5
s/^\(group  stall  *cycles \)/\1branches /~branches: in two groups
s/^\(group  stall  *cycles \)/\1ref_cycles empty_slots l2_misses l1d_misses /~2 to 5 roles
s/^\(ratio  IPC .*\)cycles  /\1branches  /~are in no one group
s/dtlb_second_level dtlb_walks  l1d/itlb_walks dtlb_walks  l1d/~parts: in another group
s/^cite  role .*//~no cite of role
s/^cite  arm .*//~no cite of arm
s/^cite  arm .*/cite  arm  Arm/~cite KIND DOCUMENT
s/^arm  41  d02 /arm  41  d03 /~core 41 d03: appears twice
s/^arm  41  d02 /arm  41  d2 /~three hexadecimal digits
s/^\(uncore  fabric .*\)  4  arch.*/\1  4  -/~no document
s/^\(uncore  fabric .*\)  4  /\1  3  /~two of preference 3
s/^\(uncore  fabric .*\)  sum  /\1  bytes  /~both: fabric counts bytes
s/^counter  power  /counter  pwr  /~no uncore .pwr
s/^\(counter  power .*\)energy-pkg  \(.*\)-$/\1energy-pkg  \2-\n&/~counter power energy-pkg: appears twice
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
s/^option -i, --interval=SECS/option --interval=SECONDS/~no argument is called .SECONDS
s/^option -i, --interval=SECS/option interval=SECS/~neither a letter nor a name
s/^option -e, --trace=EXPR/option -e EXPR/~an argument without a long name
s/^option -i, --interval=SECS/option -i, --interval SECS/~unknown spelling
s/^argument SECS .*//~no argument is called .SECS
s/^argument SECS .*/argument SECS seconds/~no kind .seconds
s/^argument TID /argument PID /~argument PID appears twice
s/^\(  help    \)print only the summary; -qq: not even the summary/\1/~help is empty
s/^\(  help    \)print only the summary; -qq: not even the summary/\1summary/~help of one word
s/^\(  help    \)print only the summary; -qq: not even the summary/\1the same as -C/~needs another row to make sense
s/^\(  help    \)print only the summary; -qq: not even the summary/\1(always)/~does not begin with a word
s/^\(  help    \)print only the summary; -qq: not even the summary/\1print only the summary./~a full stop
s/^\(  help    \)print only the summary; -qq: not even the summary/\1the \\ summary/~a backslash
s/^  help    print only the summary; -qq: not even the summary//~option -q, --quiet: no help
s/^\(  sets    \)count opt.quiet/\1bool opt.quiet/~unknown kind .bool. in sets
s/^\(  sets    \)count opt.quiet/\1number opt.quiet 1..2/~a number without an argument
s/^\(  sets    \)count opt.quiet/\1flag/~wrong number of words in sets
s/^\(  sets    \)count opt.quiet/\1flag \&opt.quiet/~cannot set .&opt.quiet
s/^\(  sets    \)seconds opt.interval_ns.*/\1flag opt.interval_ns/~sets flag, with an argument
s/CALL_SUCCESSFUL/call()/~is not a constant
s/^\(  sets    \)set opt.status CALL_SUCCESSFUL/\1set opt.status/~wrong number of words in sets
s/opt.strlen_max 0..65536/opt.strlen_max 86400..1/~is not a range
s/opt.strlen_max 0..65536/opt.strlen_max 1-86400/~is not a range
s/opt.strlen_max 0..65536/opt.strlen_max 1..4294967296/~is not a range
s/^\(  sets    \)call opt_json/\1string opt.json_file/~only call takes an optional argument
s/^  values  auto.ptrace.hybrid//~values and {values} in the help need each other
s/how calls are recorded: {values}/how calls are recorded/~values and {values} in the help need each other
s/^\(  values  \)auto.ptrace.hybrid/\1auto, ptrace, hybrid/~values are A.B.C
s/^\(  of      \)diff$/\1dif/~no command .dif
s/^command diff/command replay/~command replay: appears twice
s/^command diff/command Diff/~command NAME
s/^\(  takes   \)commands/\1words/~unknown kind .words. in takes
s/^  usage   .*A.kvis B.kvis//~command diff: no usage
s/^  takes   recordings/  of      trace/~a column that only options have
s/^  of      diff/  usage   diff/~a column that only commands have
s/^  of      diff/  for     diff/~no column .for
s/^option --by=pid/options --by=pid/~.options. is unknown
LIST

# A destination of another type than the row says does not compile.
mkdir src && cp -r "$top/kvis.c" "$top/gen" "$top/bpf_insns" src
sed 's/count opt.quiet/flag opt.interval_ns/' "$top/gen/tables/options.tbl" >gen/tables/options.tbl
sh gen/options.sh || fail "options.sh"
cp gen/out/options.h src/gen/out
gcc -std=gnu11 -pthread -fsyntax-only -Werror src/kvis.c >out 2>err && fail "a u32 is taken for a bool"
has err 'options.h.*incompatible pointer'

generates structs structs.h
lists structs 40
finds_mistakes structs structs.h <<'LIST'
s/^struct rlimit64 size=16/struct rlimit64 size=12/~rlim_max ends after the structure, at 16
s/^struct rlimit64 size=16/struct rlimit64 size=many/~size=N
s/^struct rlimit64 size=16/struct rlimit64 length=16/~no column .length
s/^struct rlimit64 size=16/struct rlimit64 size=16 default=8/~a default without
s/^struct rlimit64 size=16/struct rlimit64 size=16 abi=sparc/~no ABI .sparc
s/^struct rlimit64 size=16/struct rlimit64 size=16 is=rlimit/~is=struct:NAME
s/^struct rlimit64 .*/struct sembuf size=16/~two layouts of sembuf in x86_64
s/^\( *rlim_max  *\)8/\14/~rlim_max overlaps rlim_cur
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
# The layouts in the headers of this machine; members that are newer or have another name there are passed over. The headers
# of times cannot stand beside those of sockets.
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

# A changed BPF program voids its row of VETTED: vet.sh, with a header and a VETTED of its own.
cp "$TESTS/lib/gen/sample.h" sample.h
export VETTED="$PWD/VETTED"
sh "$top/gen/vet.sh" --rows sample.h | sed 's/$/  5.10: 9, 6.1: 9  somebody  2026-01-02/' >VETTED
eq "rows" 2 "$(wc -l <VETTED)"
sh "$top/gen/vet.sh" sample.h >out || fail "a vetted array is refused"
sed 's,// sample.bpf.c:8 ,// sample.bpf.c:9 ,' sample.h >moved.h
cmp -s moved.h sample.h && fail "no source line to change"

refused() { # refused WHAT SED-SCRIPT
    mkdir -p bad
    sed "$2" sample.h >bad/sample.h
    cmp -s bad/sample.h sample.h && fail "$1: nothing changed"
    sh "$top/gen/vet.sh" bad/sample.h >out 2>err && fail "$1 is not seen"
    has err '^vet: not in VETTED: [0-9a-f]{64}  sample/'
}
mkdir -p ok && cp moved.h ok/sample.h
sh "$top/gen/vet.sh" ok/sample.h >out 2>err || fail "a moved source line voids a row"
refused "a changed instruction" 's/I_MOV64_IMM(R0, 0)/I_MOV64_IMM(R0, 1)/'
refused "a changed patch" 's/PATCH_CONST, 0, "CFG_PID"/PATCH_CONST, 0, "CFG_TID"/'
refused "another lowest kernel" 's/I_KERNEL(4, 7)/I_KERNEL(4, 8)/'
refused "another program" 's/first/fourth/g'
for column in 's/  5.10: 9, 6.1: 9//' 's/  somebody//' 's/  2026-01-02//' 's/: 9//g'; do
    sed "$column" VETTED >less
    VETTED=$PWD/less sh "$top/gen/vet.sh" sample.h >out 2>err && fail "a row that is not whole: $column"
done
sed 1d VETTED >less && mv less VETTED
sh "$top/gen/vet.sh" sample.h >out 2>err && fail "a program without a row is not seen"
has err 'sample/first  4\.7'
