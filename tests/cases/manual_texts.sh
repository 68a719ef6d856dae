#!/bin/sh
# gen/manual.h is what gen/manual.sh makes of gen/manual, each part that the files name is one that kvis.c makes, and
# manual.sh refuses what is no plain text.
# tier: quick
# timeout: 30
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/tables.sh"
copy_generator manual
is_committed manual.h

grep -oh '{{[^}]*}}' gen/manual/* | tr -d '{}' | sed 's/ .*//' | sort -u >named
sed -n '/^} doc_parts/,/^};/s/^    { "\([a-z_]*\)", .*/\1/p' "$top/kvis.c" | sort -u >made
diff named made >&9 || fail "the parts that the files name are not those of doc_parts[]"
sed -n 's/^command //p' "$top/gen/tables/options.tbl" | sort >commands
grep -oh '{{[a-z_]* [^}]*}}' gen/manual/* | tr -d '{}' | sed 's/.* //' | sort -u >named
comm -23 named commands >unknown # kvis would leave such a part out, in silence
[ -s commands ] && [ ! -s unknown ] || fail "parts of no command: $(cat unknown)"

# What C would take for something else arrives as it is.
# shellcheck disable=SC1003
printf '%s\n' 'a "quoted" \fBword\fR, 100 %% and a \\' >>gen/manual/kvis.1
sh gen/manual.sh || fail "manual.sh"
{ cat gen/manual.h; printf '#include <stdio.h>\n#include <string.h>\nint main(void)\n{\n    int i = 0;
    while (strcmp(doc_texts[i].file, "kvis.1"))\n        i++;\n    fputs(doc_texts[i].text, stdout);\n    return 0;\n}\n'; } >print.c
if ${CC:-cc} -w -o print print.c; then
    ./print >printed
    tail -n 1 gen/manual/kvis.1 >want
    tail -n 1 printed | cmp - want >&9 || fail "another text"
fi
cp gen/manual.h before
printf 'a\ttab\n' >>gen/manual/kvis.1
sh gen/manual.sh 2>err && fail "a tab is taken"
has err 'kvis.1:[0-9]*: a tab'
cmp -s gen/manual.h before || fail "manual.h was written"
