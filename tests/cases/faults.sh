#!/bin/sh
# timeout: 60
# Page faults by region, to the page.
. "$TESTS/truth.sh"
KVOPT=--faults
each truth mem faults total
want "S['page_faults'] == sum(e['count'] for e in by('fault_group')) or S['page_faults'] >= 3000" total/json
has faults/err "217 faults in anon @ 2000000000.*rw-"
has faults/err "faults in heap @ "
KVOPT=--page-faults
each truth mem total
KVOPT=
each truth mem heap
want "S.get('page_faults') is None and not by('fault_group')" heap/json
KVOPT=
target pages # regions that were there before kvis
attach -q --faults --json=json
: >go
until_true 10 test -e touched
detach INT 0
untarget
want "sum(e['count'] for e in by('fault_group', region_name='anon') if int(e['region_start'], 16) == 0x200000000000) == 100"
want "sum(e['count'] for e in by('fault_group', region_name='heap')) == 50"
