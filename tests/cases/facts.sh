#!/bin/sh
# Every call that moves bytes is counted, to the byte.
# The program break and mappings are reported when they are created, shrunk, moved and protected. Changes to the file
# system and failed opens appear as events.
# tier: gate asan
# timeout: 120
. "$TESTS/lib/truth.sh"
each truth io files pipes socks moves short
each truth mem heap maps
each truth chg names attrs others failing
has names/err "unlink .*/a"
has attrs/err "chmod .*/f"
each truth opens calls names
has calls/err 'open .*/file \(path\)$'; has calls/err 'open .*/file \(ioctl\)$'
has others/err 'pivot_root .*/f \("g"\) failed: E'
hasnt failing/err '\.so.*ENOENT' # a library search is noise in text
