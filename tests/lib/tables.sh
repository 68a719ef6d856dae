# Used by the cases of the generators of gen/: metrics_table, options_table, pmu_table, rules, structs, calls, manual_texts.

# copy_generator NAME: gen/ here has what gen/NAME.sh reads; gen/out/NAME.h is what it makes.
copy_generator() {
    top=$TESTS/..
    generator=$1
    mkdir -p gen/tables gen/probes
    cp "$top/gen/"*.sh gen
    cp "$top/gen/tables/"*.tbl gen/tables
    cp "$top/gen/probes/"*.bpf.c gen/probes
    cp -r "$top/gen/manual" gen
    sh "gen/$generator.sh" || fail "$generator.sh"
    sh "gen/$generator.sh" nonsense 2>err
    [ $? = 2 ] || fail "no usage error"
}

# is_committed FILE: gen/out/FILE is that of the source.
is_committed() {
    cmp "gen/out/$1" "$top/gen/out/$1" >&9 || fail "gen/out/$1 is not what gen/$generator.sh makes: run make gen"
}

# finds_mistakes TABLE FILE: of the lines SCRIPT~MESSAGE, each sed script makes a mistake in TABLE.tbl. The generator says
# in which line it is and what it is (a regular expression), and leaves FILE as it was.
finds_mistakes() {
    n=0
    cp "gen/out/$2" before
    while IFS='~' read -r script want; do
        sed "$script" "$top/gen/tables/$1.tbl" >"gen/tables/$1.tbl"
        cmp -s "gen/tables/$1.tbl" "$top/gen/tables/$1.tbl" && fail "changes nothing: $script"
        sh "gen/$generator.sh" 2>err && fail "takes: $script"
        has err "^[^ ]*$1.tbl:[0-9]+: .*$want"
        cmp -s "gen/out/$2" before || fail "$script: $2 was written"
        n=$((n + 1))
    done
    cp "$top/gen/tables/$1.tbl" gen/tables
    say "$n mistakes are found"
}
