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

# finds_mistakes TABLE FILE <LIST: see lib/mistakes.py.
finds_mistakes() {
    python3 "$TESTS/lib/mistakes.py" "$generator" "$1" "$2" >out 2>err || fail "$1.tbl: mistakes"
    cat out >&9
}
