#!/bin/sh
# Each part that the files of gen/manual name is one that kvis.c makes, and what they say arrives as it is, line by line.
# tier: gate
# timeout: 60
. "$TESTS/lib/lib.sh"
manual=$TESTS/../gen/manual
LC_ALL=C grep -n '[^ -~]' "$manual"/* >&9 && fail "a tab, or no ASCII"

grep -oh '{{[^}]*}}' "$manual"/* | tr -d '{}' | sed 's/ .*//' | sort -u >named
sed -n '/^} doc_parts/,/^};/s/^    { "\([a-z_]*\)", .*/\1/p' "$TESTS/../kvis.c" | sort -u >made
diff named made >&9 || fail "the parts that the files name are not those of doc_parts[]"
sed -n 's/^command //p' "$TESTS/../gen/tables/options.tbl" | sort >commands
grep -oh '{{[a-z_]* [^}]*}}' "$manual"/* | tr -d '{}' | sed 's/.* //' | sort -u >named
comm -23 named commands >unknown # kvis would leave such a part out, in silence
[ -s commands ] && [ ! -s unknown ] || fail "parts of no command: $(cat unknown)"

n=0
for file in "$manual"/*; do
    name=$(basename "$file")
    case $name in
    completion.*) run completion "${name#completion.}" ;;
    kvis.1) run help --man ;;
    *) name=${name#kvis-} && run help "${name%.1}" --man ;;
    esac
    status 0
    grep -v '{{' "$file" | sort -u >lines
    sort -u out | comm -23 lines - >lost
    [ -s lines ] && [ ! -s lost ] || { cat lost >&9; fail "$name: lines that kvis does not print"; }
    hasnt out '\{\{|\}\}'
    n=$((n + 1))
done
[ "$n" -ge 10 ] || fail "$n files"
