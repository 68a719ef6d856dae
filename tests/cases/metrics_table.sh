#!/bin/sh
# gen/out/metrics.h is what gen/metrics.sh makes from gen/tables/metrics.tbl, and metrics.sh refuses a table with a mistake.
# tier: quick
# timeout: 60
# needs: no-kvis python3
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/tables.sh"
copy_generator metrics
is_committed metrics.h
sh gen/metrics.sh list >list || fail "metrics.sh list"
[ "$(wc -l <list)" -gt 300 ] || fail "metrics.sh list"
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
s/^metric CTXT .*/& prom=switches_of_all/~counters alone end in _total
s/^metric RUNNING .*/& prom=running_total/~counters alone end in _total
s/^metric CTXT .*/& prom=intr_total/~another metric has the name intr_total
s/^metric CTXT .*/& prom=switches{cpu}/~prom: NAME
s/^metric CTXT .*/& prom=switches{in="all"}/~no family `switches`
s/prom=cpu_seconds_total{mode="nice"}/prom=cpu_seconds_total{mode="user"}/~USER has this name in Prometheus, too
s/^metric CTXT .*/& prom=cpu_seconds_total{mode="none"}/~not beside the others
s/^\(metric NICE .*\) unit=mode_ticks/\1 unit=total_ms/~of another unit
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
s/ column="1 IOPS"/ column=IOPS/~column: N NAME
s/ groups=sched/ groups=schedule/~no group `schedule`
s/ past=LOAD1/ past=LOAD2/~no metric `LOAD2`
s/"IPC IPC,/"IPC IPS,/~no metric `IPS`
s/shown=celsius/shown=kelvin/~shown is none of
s/^\(unit ticks .*\)counter=yes/\1counter=on/~counter is none of: yes
LIST
