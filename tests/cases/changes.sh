#!/bin/sh
# Changes to the file system and failed opens appear as events.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth chg names attrs failing opens
has names/err "unlink .*/a"
has attrs/err "chmod .*/f"
hasnt failing/err "lib.*ENOENT" # a library search is noise in text
