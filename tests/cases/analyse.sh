#!/bin/sh
# timeout: 400
# plain-only: reads the source
# needs: clang-tidy shellcheck
# Static analysis: clang-tidy (.clang-tidy) and shellcheck (.shellcheckrc) have nothing to say; those files say what is
# not asked, and why. And both are at work: what they are for, they find.
# Not here, for they do not come to an end in the time of a case: cppcheck 2.10 (none of it after 48 s of CPU) and gcc
# 12's -fanalyzer (after 10 minutes beside other work), which take each path through 27,000 lines in one unit.
. "$TESTS/lib.sh"
dir=$PWD
cd "$TESTS/.." || fail "no sources"

tidy() { # tidy FILE: what it says of it goes to ./out
    clang-tidy --quiet --config-file=.clang-tidy "$1" -- -I . -std=gnu11 -pthread -DKVIS_VERSION='"x"' >"$dir/out" 2>"$dir/err"
}
scripts() { # of a language each
    shellcheck -s sh -f gcc tests/*.sh tests/cases/*.sh tests/vm/*.sh tests/vm/guest/*.sh gen/*.sh && shellcheck -f gcc .ci/run
}
scripts >"$dir/scripts" 2>&1 &
tidy kvis.c || { cd "$dir" && fail "clang-tidy"; }
wait $! || { cat "$dir/scripts" >&9; fail "shellcheck"; }

cd "$dir" || exit
cp "$TESTS/../.clang-tidy" "$TESTS/../.shellcheckrc" .
cat >wrong.c <<'END'
#include <string.h>
#define TWICE(a) 2 * a
char *wrong(char *to, int n);
char *wrong(char *to, int n)
{
    memset(to, n, 0);
    if (n > 0);
        n = TWICE(n + 1);
    return n ? to : to;
}
END
! tidy wrong.c || fail "clang-tidy finds nothing in wrong.c"
for what in bugprone-macro-parentheses bugprone-suspicious-semicolon; do has out "$what"; done
printf '#!/bin/sh\nif [ $1 == a ]; then read x; rm $dir/*; fi\nlist=(a b)\n' >wrong.sh
! shellcheck -f gcc wrong.sh >out 2>err || fail "shellcheck finds nothing in wrong.sh"
has out 'SC3014|SC2039'
has out 'SC3030|SC2039'
