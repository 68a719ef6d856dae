#!/bin/sh
# clang-tidy, cppcheck and shellcheck report nothing, and each still finds a planted error.
# gcc 12's -fanalyzer and clang --analyze are not used, because most of the errors that they report in a file of this
# size cannot happen. All reports were read, and the six real errors are fixed.
# tier: full
# timeout: 600
# needs: clang-tidy cppcheck shellcheck
. "$TESTS/lib/lib.sh"
dir=$PWD
cd "$TESTS/.." || fail "no sources"

# checked FILE: the same of cppcheck. Left out, because cppcheck 2.10 is wrong about them: pointers in `for (T *t = a, *next;`
# (every compiler here finds a real conversion of an integer); a bool as the bound of a loop; `if (*at) return *at;`.
checked() {
    cppcheck --quiet --enable=warning,portability --inline-suppr --max-configs=1 --error-exitcode=1 --std=c11 \
        --suppress=AssignmentIntegerToAddress --suppress=AssignmentAddressToInteger \
        --suppress=compareBoolExpressionWithInt --suppress=identicalInnerCondition \
        -DKVIS_VERSION='"x"' -D__x86_64__=1 -D__linux__=1 "$1" >"$dir/out" 2>"$dir/err"
}
# tidy FILE: the findings of clang-tidy in FILE go to ./out. Left out: parentheses around the arguments of the loop macros
# (U_EACH_ENTRY ...), which declare the variable that the argument names.
tidy() {
    clang-tidy --quiet --config-file=.clang-tidy "$1" -- -I . -std=gnu11 -pthread -DKVIS_VERSION='"x"' >"$dir/all" 2>"$dir/err"
    [ $? -le 1 ] || fail "clang-tidy: exit status above 1"
    awk 'NR == FNR { if (/^#define [A-Z_]*EACH/) on = 1; if (on) loop[FNR]; if (!/\\$/) on = 0; next }
        / (error|warning): / { split($0, at, ":"); show = !(/macro-parentheses/ && at[2] in loop) }
        show' "$1" "$dir/all" >"$dir/out"
    [ ! -s "$dir/out" ]
}
scripts() { # of a language each
    shellcheck -s sh -f gcc tests/run.sh tests/lib/*.sh tests/cases/*.sh tests/vm/*.sh tests/vm/guest/*.sh gen/*.sh tests/fuzz/*.sh && shellcheck -f gcc .ci/run
}
scripts >"$dir/scripts" 2>&1 &
tidy kvis.c || { cd "$dir" && fail "clang-tidy"; }
wait $! || { cat "$dir/scripts" >&9; fail "shellcheck"; }
checked kvis.c || { cd "$dir" && fail "cppcheck"; }

cd "$dir" || exit
cp "$TESTS/../.clang-tidy" "$TESTS/../.shellcheckrc" .
cat >wrong.c <<'END'
#include <stdlib.h>
#define TWICE(a) 2 * a
int wrong(int n);
int wrong(int n)
{
    int a[4] = { 0 }, *p = malloc(sizeof *p);
    if (n > 0);
        n = TWICE(n + 1);
    return p ? a[n > 4 ? 4 : 0] + *p : 0;
}
END
! tidy wrong.c || fail "clang-tidy finds nothing in wrong.c"
for what in bugprone-macro-parentheses bugprone-suspicious-semicolon; do has out "$what"; done
! checked wrong.c || fail "cppcheck finds nothing in wrong.c"
for what in memleak arrayIndexOutOfBounds; do has err "$what"; done
printf '#!/bin/sh\nif [ $1 == a ]; then read x; rm $dir/*; fi\n' >wrong.sh
! shellcheck -f gcc wrong.sh >out 2>err || fail "shellcheck finds nothing in wrong.sh"
has out 'SC3014|SC2039'
