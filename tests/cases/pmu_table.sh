#!/bin/sh
# gen/out/pmu.h is what gen/pmu.sh makes from gen/tables/pmu.tbl, in any order of rows, and pmu.sh refuses a table with a mistake.
# tier: quick
# timeout: 60
# needs: no-kvis python3
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/tables.sh"
table=$TESTS/../gen/tables/pmu.tbl
copy_generator pmu
is_committed pmu.h

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
s/^list  ICL/list  SKL/~list SKL: stands twice
s/^\(core  TNT.*\)86 96 9c/\186 96 9c-0a/~models .9c-0a
s/^core  TNT/core  TNX/~no list .TNX
s/^core  TNT/core  SKL/~no core has the list TNT
s/^\(core  TNT.*\)86 96 9c/\186 96 4e/~model 4e of family 6: two cores
s/^\(core  TNT.*\)  cpu  /\1  cpu_tiny  /~pmu .cpu_tiny. is none of
s/^core  TNT  GenuineIntel/core  TNT  AuthenticAMD/~of another vendor
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
s/^\(role  branches  *\)BRANCHES/\1CYCLES/~metric CYCLES: stands twice
s/^\(role  branches  *\)BRANCHES/\1branches/~is no metric
s/^\(group  branch .*\)branches /\1/~branches: in no group
s/^\(group  branch .*\)branches /\1branched /~no role .branched
s/^\(group  stall .*\)  6/\1  5/~two groups of priority 5
s/^\(group  stall  *cycles \)/\1branches /~branches: in two groups
s/^\(group  stall  *cycles \)/\1ref_cycles empty_slots l2_misses l1d_misses /~2 to 5 roles
s/^\(ratio  IPC .*\)cycles  /\1branches  /~are in no one group
s/dtlb_second_level dtlb_walks  l1d/itlb_walks dtlb_walks  l1d/~parts: of another group
s/^cite  role .*//~no cite of role
s/^cite  arm .*//~no cite of arm
s/^cite  arm .*/cite  arm  Arm/~cite KIND DOCUMENT
s/^arm  41  d02 /arm  41  d03 /~core 41 d03: stands twice
s/^arm  41  d02 /arm  41  d2 /~three hexadecimal digits
s/^\(uncore  fabric .*\)  4  arch.*/\1  4  -/~no document
s/^\(uncore  fabric .*\)  4  /\1  3  /~two of preference 3
s/^\(uncore  fabric .*\)  sum  /\1  bytes  /~both: fabric counts bytes
s/^counter  power  /counter  pwr  /~no uncore .pwr
s/^\(counter  power .*\)energy-pkg  \(.*\)-$/\1energy-pkg  \2-\n&/~counter power energy-pkg: stands twice
s/rdwrmask=0x1  .*/rdwrmask=0x1  -/~no document
s/^\(counter  umc  *write  *\)-   /\164  /~lines: of reads alone
s/rdwrmask=0x1  /rdwrmask=1  /~terms .event
s/^\(counter  umc  *read .*\)any /\1-   /~both, or none of them
s/^group  base/grope  base/~is no kind of row
s/^# Topdown, level 1/	&/~a tab
LIST
