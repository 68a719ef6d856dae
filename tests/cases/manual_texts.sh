#!/bin/sh
# gen/out/texts/ is what gen/texts.py makes from gen/manual/ and the tables, kvis prints these texts unchanged, and an unknown
# {{PART}} is an error.
# tier: gate
# timeout: 60
# needs: python3
. "$TESTS/lib/lib.sh"
top=$TESTS/..
LC_ALL=C grep -n '[^ -~]' "$top"/gen/manual/* >&9 && fail "a tab, or no ASCII"
sed -n 's/"//g; s/ groups=.*//; s/^section \(.\) \(.*\)/\1           show \2, or go back/p' "$top/gen/tables/metrics.tbl" |
    grep -v '^o ' >want # Esc and o are on one line
grep 'or go back$' "$top/gen/manual/screen.keys" | diff want - >&9 || fail "the keys of sections are not those of metrics.tbl"
[ -s want ] || fail "metrics.tbl has no sections"

cp -r "$top/gen" gen && rm -r gen/out/texts
gen/texts.py || fail "texts.py"
diff -r gen/out/texts "$top/gen/out/texts" >&9 || fail "gen/out/texts is not what gen/texts.py makes: run make gen-tables"
for part in nosuch 'options nosuch' 'fields trace'; do
    sed "s/{{options check}}/{{$part}}/" "$top/gen/manual/kvis-check.1" >gen/manual/kvis-check.1
    gen/texts.py 2>err && fail "takes a part: $part"
    has err "kvis-check.1: there is no part \{\{$part\}\}"
done

n=0
for file in "$top"/gen/out/texts/*; do
    name=${file##*/}
    case $name in
    completion.*) run completion "${name#completion.}" ;;
    list.commands) run help ;;
    kvis.1) run help --man ;;
    kvis-*) name=${name#kvis-} && run help "${name%.1}" --man ;;
    grafana.json) run monitor --grafana ;;
    *) continue ;; # the keys of the screen
    esac
    status 0
    grep -v '^\.TH' "$file" >want # the line with the date and the version
    grep -v '^\.TH' out | cmp - want || fail "$name is not what kvis prints"
    hasnt out '\{\{(date|version)'
    n=$((n + 1))
done
[ "$n" -ge 14 ] || fail "$n files"

# The lists alone are those of the manual pages, as text.
for page in monitor.1:metrics diagnose.1:findings 1:fields; do
    list=${page#*:}
    sed -n "/^.\\\\\" list $list\$/,/^.\\\\\" end\$/p" "$top"/gen/out/texts/kvis*"${page%:*}" |
        sed -e '/^[.]SS /{ s//\n/; b text; }' -e '/^[.]TP/{ N; s/.*\n//; b text; }' -e '/^[.]/d' -e 's/^/    /' -e ': text' -e 's/\\//g' |
        sed '1{/^$/d;}' >want
    [ "$(wc -l <want)" -ge 90 ] || fail "the manual page has no list $list"
    run help $list
    status 0
    diff out want >&9 || fail "help $list is not what the manual says"
done
for link in execsnoop exitsnoop opensnoop; do # they are on the pages of proc and open
    run help $link --man
    has out "kvis ($link|open) "
    has out '^\.TH KVIS-(PROC|OPEN) 1 [0-9-]+ "kvis [0-9]'
done
