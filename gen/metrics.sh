#!/bin/sh
# Makes out/metrics.h, the metrics of kvis monitor, from tables/metrics.tbl, and checks that each row is complete.
#
#   gen/metrics.sh           metrics.tbl -> out/metrics.h
#   gen/metrics.sh check     only checks metrics.tbl
#   gen/metrics.sh list      print the JSON name of each metric, for the tests
#   gen/metrics.sh prom      print the Prometheus name of each metric
# Exit status: 0 done, 1 the table is wrong, 2 usage.

. "$(dirname -- "$0")/lib.sh"
begin "check list prom" "$@"

awk -v list="${1-}" -v gen="$gen" "$awk_common"'
function bad(msg) { bad_at(FNR, msg) }

# --- reading: rows of KIND ID NAME COLUMN=VALUE ..., each with a line of text ---

# Columns of a kind: columns after a * are required.
function define(kind, names,    w, n, i, must) {
    n = split(names, w, " ")
    for (i = 1; i <= n; i++) {
        must = sub(/^\*/, "", w[i])
        column[kind, w[i]] = 1
        if (must) needed[kind] = needed[kind] " " w[i]
    }
}
function column_end(s,    i, quoted, c) { # the end of the first word of s, which may contain quoted blanks
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "\"") quoted = !quoted
        else if (c == " " && !quoted) break
    }
    if (quoted) bad("a quote without its end")
    return i - 1
}
function read_columns(r, s,    n, eq, name, value) {
    while (s != "") {
        n = column_end(s)
        eq = index(s, "=")
        name = substr(s, 1, eq - 1)
        value = substr(s, eq + 1, n - eq)
        s = substr(s, n + 1)
        sub(/^ +/, "", s)
        if (value ~ /^".*"$/) value = substr(value, 2, length(value) - 2)
        if (!((kind_of[r], name) in column)) bad("a " kind_of[r] " has no column `" name "`")
        else if ((r, name) in col) bad(name " appears twice")
        else if (value == "") bad(name ": empty")
        col[r, name] = value
    }
}
function get(r, name) { return (r, name) in col ? col[r, name] : "" }
function read_row(kind, id, name, rest,    r, w, n, i) {
    r = ++n_rows
    kind_of[r] = kind
    id_of[r] = id
    name_of[r] = name
    line_of[r] = FNR
    if ((kind == "distribution" ? "metric" : kind, id) in row_of) bad(id " appears twice")
    row_of[kind == "distribution" ? "metric" : kind, id] = r
    sub(/^ +/, "", rest)
    read_columns(r, rest)
    n = split(needed[kind], w, " ")
    for (i = 1; i <= n; i++) if (!((r, w[i]) in col)) bad(kind " " id ": no " w[i])
}
BEGIN {
    define("unit", "counter *shown json prom *scale")
    define("dimension", "json label info facts sort pmc title section share in_order largest")
    define("shown", "suffix")
    define("operation", "formula")
    define("section", "groups")
    define("line", "past of *items")
    define("key", "*do arg sends code")
    define("source", "*group *read *from *cite asked once prom")
    define("function", "*entry back")
    define("handler", "*device queue kick gaps")
    define("self", "counter")
    define("family", "")
    define("metric", "*source *unit of key all bits make lack none set wire prom panel column unusual bad aside")
    define("distribution", "*source *unit of set wire *counts *octaves *prom panel column unusual bad max_unusual max_bad")
    short["unit"] = short["shown"] = short["operation"] = short["dimension"] = short["family"] = short["function"] = short["handler"] = 1 # rows without an ID
}
/^[ \t]*#/ || NF == 0 { next }
/^[ \t]/ {
    sub(/^[ \t]+/, "")
    if (!n_rows || n_rows in text) bad("a text without a row")
    text[n_rows] = $0
    next
}
$1 == "groups" || $1 == "unlisted" {
    for (i = 2; i <= NF; i++) {
        group[$i] = 1
        if ($1 == "groups") groups = groups (groups == "" ? "" : ", ") $i
    }
    next
}
$1 in short {
    if ($2 !~ /^[a-z][a-z0-9_]*$/) bad("`" $2 "` is no name")
    rest = $0
    sub(/^[a-z]+ +[^ ]+/, "", rest)
    read_row($1, toupper($2), $2, rest)
    next
}
$1 == "section" && match($0, /^section [a-z] ("[^"]+"|[^ ]+)/) {
    heading = substr($0, 11, RLENGTH - 10)
    gsub(/"/, "", heading)
    read_row($1, $2, heading, substr($0, RLENGTH + 1))
    next
}
$1 == "line" || $1 == "key" {
    read_row($1, $2, $2, substr($0, length($1) + length($2) + 2))
    next
}
$1 == "self" || $1 == "source" || $1 == "metric" || $1 == "distribution" {
    if ($2 !~ /^[A-Z][A-Z0-9_]*$/) bad("`" $2 "` is no ID")
    if ($3 !~ /^[a-z][a-z0-9_]*$/) bad("`" $3 "` is no name")
    rest = $0
    sub(/^[a-z]+ +[^ ]+ +[^ ]+/, "", rest)
    read_row($1, $2, $3, rest)
    next
}
{ bad("`" $1 "` is unknown") }

# --- checks ---

function stands_alone(r, s,    what) {
    what = kind_of[r] " " id_of[r] ": help"
    if (s !~ /^([A-Z]|khugepaged)/) bad_at(line_of[r], what ": does not begin with a capital")
    if (needs_another(s))
        bad_at(line_of[r], what ": begins with a pronoun")
    if (s ~ /\.$/) bad_at(line_of[r], what ": a full stop at the end")
    if (s ~ /["\\]/) bad_at(line_of[r], what ": a quote or a backslash")
    if (split(s, words, " ") < 3) bad_at(line_of[r], what ": fewer than three words")
    if (s in said) bad_at(line_of[r], what ": " said[s] " says the same")
    said[s] = id_of[r]
}
function one_of(r, name, allowed) {
    if ((r, name) in col && index(" " allowed " ", " " col[r, name] " ") == 0)
        bad_at(line_of[r], kind_of[r] " " id_of[r] ": " name " is none of: " allowed)
}
function refers(r, name, kind) {
    if ((r, name) in col && !((kind, toupper(col[r, name])) in row_of))
        bad_at(line_of[r], kind_of[r] " " id_of[r] ": no " kind " `" col[r, name] "`")
}
function exists(file,    line) { return (getline line < file) >= 0 }
function check_source(r,    cite) {
    cite = get(r, "cite")
    if (cite !~ /^[a-z_]+\([2-8]\)$/ && cite !~ /^[A-Za-z]+\/.*[a-z]$/)
        bad_at(line_of[r], "source " id_of[r] ": cite is neither a manual page nor a file")
    if (cite ~ /^gen\// && !exists(gen substr(cite, 4))) bad_at(line_of[r], "source " id_of[r] ": there is no " cite)
    if (!(id_of[r] in measured)) bad_at(line_of[r], "source " id_of[r] ": no metric")
    if (!(get(r, "group") in group)) bad_at(line_of[r], "source " id_of[r] ": no group `" get(r, "group") "`")
    one_of(r, "asked", "yes")
    one_of(r, "once", "second last")
    if (get(r, "read") !~ /^[a-z][a-z0-9_]*$/) bad_at(line_of[r], "source " id_of[r] ": read is no function of C")
    if ((r, "prom") in col && split(col[r, "prom"], words, "*") != 2)
        bad_at(line_of[r], "source " id_of[r] ": prom has one *, for the key")
    any_asked += (r, "asked") in col
}
function check_dimension(r,    m) {
    if (++n_checked == 1 && name_of[r] != "none") bad_at(line_of[r], "the first dimension is not none")
    if (name_of[r] != "none" && (get(r, "json") == "" || get(r, "label") == "" || get(r, "sort") == ""))
        bad_at(line_of[r], "dimension " name_of[r] ": json, label and sort are needed")
    m = get(r, "sort")
    if (m == "") return
    if (get(r, "title") == "" || !(("section", get(r, "section")) in row_of))
        bad_at(line_of[r], "dimension " name_of[r] ": title and section are needed")
    one_of(r, "in_order", "yes")
    one_of(r, "largest", "yes")
    if (!(("metric", m) in row_of)) { bad_at(line_of[r], "dimension " name_of[r] ": no metric `" m "`"); return }
    m = dim_of(row_of["metric", m])
    if (m != name_of[r] && !(m == "pmc" && get(r, "pmc") != ""))
        bad_at(line_of[r], "dimension " name_of[r] ": sort: the dimension lacks this metric")
}
function known_metric(r, m) {
    if (!(m in name_of_id)) bad_at(line_of[r], kind_of[r] " " id_of[r] ": no metric `" m "`")
}
# Items of a line of the screen, as C initializers.
function line_items(r,    n, item, i, m, s) {
    n = split(get(r, "items"), item, ", ")
    if (n > 7) bad_at(line_of[r], "line " id_of[r] ": more than 7 items")
    for (i = 1; i <= n; i++) {
        m = item[i]
        sub(/.* /, "", m)
        known_metric(r, m)
        s = s (i > 1 ? ", " : "") "{ " c_string(substr(item[i], 1, length(item[i]) - length(m))) ", M_" m " }"
    }
    return s
}
function check_screen(r,    n, i) {
    if (kind_of[r] == "line" && get(r, "past") != "") known_metric(r, get(r, "past"))
    if (kind_of[r] == "line" && get(r, "of") != "") known_metric(r, get(r, "of"))
    n = split(get(r, "groups"), words, ",")
    for (i = 1; i <= n; i++) if (!(words[i] in group)) bad_at(line_of[r], "section " id_of[r] ": no group `" words[i] "`")
    line_c[r] = line_items(r)
}
function dim_of(r) { return (r, "of") in col ? col[r, "of"] : "none" }
function ends_in(s, ending) { return substr(s, length(s) - length(ending) + 1) == ending }
function name_in_prom(r,    s, key) { # for a source with the metric names of node_exporter
    key = get(r, "key")
    if (!(("source", toupper(get(r, "source"))) in row_of)) return
    s = get(row_of["source", toupper(get(r, "source"))], "prom")
    if (kind_of[r] != "metric" || s == "" || key == "" || ends_in(key, "*") || (r, "prom") in col) return
    gsub(/ /, "_", key)
    sub(/[*]/, key, s)
    col[r, "prom"] = s
    from_key[r] = 1
}
function unit_of(r, name) { return get(row_of["unit", toupper(get(r, "unit"))], name) }
function prom_base(r,    s) { # the Prometheus name, without labels
    s = (r, "prom") in col ? col[r, "prom"] : name_of[r] unit_of(r, "prom")
    sub(/[{].*/, "", s)
    return s
}
function check_family(r,    base, whole) {
    base = prom_base(r)
    whole = base "{" get(r, "prom")
    if (whole in exposed) bad_at(line_of[r], id_of[r] ": " exposed[whole] " has this name in Prometheus, too")
    exposed[whole] = id_of[r]
    if (get(r, "prom") ~ /[{]/) {
        if (get(r, "prom") !~ /[{]([a-z]+="[^"]+",?)+[}]$/) bad_at(line_of[r], id_of[r] ": prom: NAME{LABEL=\"VALUE\"}")
        if (!(("family", toupper(base)) in row_of)) bad_at(line_of[r], id_of[r] ": no family `" base "`")
    }
    if (base in family_unit && base != last_base) bad_at(line_of[r], id_of[r] ": not next to the other metrics named " base)
    if (base in family_unit && family_unit[base] != get(r, "unit"))
        bad_at(line_of[r], id_of[r] ": its unit differs from the other metrics named " base)
    if (base in family_unit && !(("family", toupper(base)) in row_of))
        bad_at(line_of[r], id_of[r] ": another metric has the name " base " in Prometheus")
    if (kind_of[r] == "metric" && !(r in from_key) && ends_in(base, "_total") != (unit_of(r, "counter") != ""))
        bad_at(line_of[r], id_of[r] ": in Prometheus, counters end in _total, and only counters")
    family_unit[base] = get(r, "unit")
    last_base = base
}
function check_metric(r,    w, i) {
    refers(r, "source", "source")
    refers(r, "unit", "unit")
    if (dim_of(r) != "pmc") refers(r, "of", "dimension")
    one_of(r, "all", "sum mean")
    one_of(r, "bits", "32")
    one_of(r, "aside", "yes")
    if (((r, "unusual") in col) != ((r, "bad") in col) || ((r, "max_unusual") in col) != ((r, "max_bad") in col))
        bad_at(line_of[r], id_of[r] ": unusual and bad go together")
    if ((r, "lack") in col && (r, "none") in col) bad_at(line_of[r], id_of[r] ": lack and none exclude each other")
    if (get(r, "make") != "" && (split(get(r, "make"), w, " ") != 3 || w[1] !~ /^(SUM|LESS|DIV|MUL|REST|LEFT|MOST|SHARE)$/))
        bad_at(line_of[r], id_of[r] ": make: OP A B")
    for (i = 2; i <= split(get(r, "make"), w, " "); i++) {
        known_metric(r, w[i])
        if (dim_of(row_of["metric", w[i]]) != dim_of(r)) bad_at(line_of[r], id_of[r] ": make: metrics of another dimension")
    }
    if ((r, "column") in col && get(r, "column") !~ /^[1-9][0-9]* ./) bad_at(line_of[r], id_of[r] ": column: N NAME")
    stands_alone(r, text[r])
    if (name_of[r] in named) bad_at(line_of[r], "the name " name_of[r] " appears twice")
    named[name_of[r]] = 1
    if ((r, "wire") in col && col[r, "wire"] !~ /^[A-Za-z][A-Za-z0-9_]*$/) bad_at(line_of[r], id_of[r] ": wire is no name of C")
    if ((r, "wire") in col && ((get(r, "source"), col[r, "wire"]) in wired))
        bad_at(line_of[r], id_of[r] ": wire appears twice")
    wired[get(r, "source"), get(r, "wire")] = 1
    if ((r, "octaves") in col && (split(col[r, "octaves"], w, "-") != 2 || w[1] + 0 >= w[2] + 0 || w[2] > 64))
        bad_at(line_of[r], id_of[r] ": octaves A-B, up to 64")
    check_family(r)
}

# --- content of metrics.h ---

function rows(what, name, n, row,    i) { # rows of a table of kvis.c
    printf "\n/* %s */\n#define %s", what, name
    for (i = 1; i <= n; i++) printf "%s \\\n    %s", (i > 1 ? "," : ""), row[i]
    print ""
}
function numbers(name, prefix, n, id, last,    i) { # an enum of the IDs
    printf "\nenum %s{\n", name
    for (i = 1; i <= n; i++) print "    " prefix id[i] ","
    print "    " last "\n};"
}
function maybe(s) { return s == "" ? "NULL" : c_string(s) }
function truth(s) { return s != "" ? "true" : "false" }
function prom_of(r,    s) { # as C strings: the Prometheus name, and its labels without the closing brace, because more labels may follow
    s = get(r, "prom")
    sub(/[}]$/, "", s)
    return c_string(prom_base(r)) ", " maybe(index(s, "{") ? substr(s, index(s, "{")) : "")
}
function type_of(r) { # in Prometheus; a counter with the name of a gauge is untyped
    return "PROM_" (unit_of(r, "counter") == "" ? "GAUGE" : ends_in(prom_base(r), "_total") ? "COUNTER" : "UNTYPED")
}
function family_help(r,    f) {
    f = "family" SUBSEP toupper(prom_base(r))
    return f in row_of ? text[row_of[f]] : text[r]
}
function in_set(r, m) {
    if (!((r, "set") in col)) return
    if (!(col[r, "set"] in set)) set_name[++n_sets] = col[r, "set"]
    set[col[r, "set"]] = set[col[r, "set"]] (set[col[r, "set"]] == "" ? "" : ", ") "M_" m
}
function made_of(r,    w) { return split(get(r, "make"), w, " ") ? w[1] ", M_" w[2] ", M_" w[3] : "NONE, 0, 0" }
function add_metric(r, id, name, prom, prom_help) {
    metric[++n_metrics] = "{ " c_string(name) ", " c_string(get(r, "key")) ", " prom ", SRC_" get(r, "source_id") ", F_" \
        toupper(get(r, "unit")) ", DIM_" toupper(dim_of(r)) ", MET_" toupper((r, "all") in col ? col[r, "all"] : "alone") ", " \
        truth(get(r, "bits")) ", " truth(get(r, "none")) ", OP_" made_of(r) ", " maybe(get(r, "lack") get(r, "none")) ", \\\n      " \
        c_string(text[r]) ", \\\n      " c_string(prom_help) " }"
    metric_id[n_metrics] = id
    if (!count_of[get(r, "source_id")]++) first_of[get(r, "source_id")] = n_metrics - 1
    last_of[get(r, "source_id")] = n_metrics
    in_set(r, id)
    if (list == "list") print name unit_of(r, "json")
    if (list == "prom" && kind_of[r] == "metric") print "kvis_" prom_base(r)
}
# How the screen shows a metric; metrics with a column come first.
function add_look(r, id, column, unusual, worse,    n) {
    if (column == "" && unusual == "") return
    n = column == "" ? 0 : column + 0
    sub(/^[0-9]+ /, "", column)
    last_look = n > last_look ? n : last_look
    look[n, ++n_look[n]] = "{ M_" id ", " maybe(column) ", " \
        (unusual == "" ? "INFINITY, INFINITY" : "(float)" unusual ", (float)" worse) ", " truth(get(r, "aside")) " }"
}
function add_wire(r, s) {
    if (!((r, "wire") in col)) return
    s = get(r, "source") (kind_of[r] == "metric" ? "" : " histograms")
    if (!(s in wire)) wire_name[++n_wires] = s
    wire[s] = wire[s] (col[r, "wire"] ~ /^[a-z]/ ? " \\\n    X(M_" id_of[r] ", " col[r, "wire"] ")" : \
                       (wire[s] == "" ? "" : ", ") "\\\n    [" col[r, "wire"] "] = " (kind_of[r] == "metric" ? "M_" : "HIST_") id_of[r])
}
function add_distribution(r,    part, n, i, parts, octave) {
    n = split("p50 p90 p99 max", part, " ")
    for (i = 1; i <= n; i++) {
        add_metric(r, id_of[r] "_" toupper(part[i]), name_of[r] "_" part[i], "NULL, NULL, PROM_GAUGE", text[r])
        parts = parts ", M_" id_of[r] "_" toupper(part[i])
    }
    split(col[r, "octaves"], octave, "-")
    if (list == "prom") print "kvis_" prom_base(r) "_bucket"
    dist_id[++n_dists] = id_of[r]
    dist[n_dists] = "[HIST_" id_of[r] "] = { " c_string(name_of[r]) ", " c_string(get(r, "counts")) ", " prom_of(r) ", \\\n      " \
        c_string(family_help(r)) ", " (get(r, "unit") == "ns" ? "1e-9" : "1") ", \\\n      { " substr(parts, 3) " }, SRC_" \
        toupper(get(r, "source")) ", F_" toupper(get(r, "unit")) ", " octave[1] ", " octave[2] " }"
}
function add_key(r,    key, sent, n, i) {
    key = length(id_of[r]) == 1 ? "\x27" id_of[r] "\x27" : "KEY_" toupper(id_of[r])
    keys[++n_keys] = "{ " key ", " (get(r, "arg") == "" ? "0" : get(r, "arg")) ", " get(r, "do") " }"
    if (length(id_of[r]) > 1) key_name[++n_key_names] = toupper(id_of[r]) " = " (get(r, "code") == "" ? 256 + n_key_names : get(r, "code"))
    n = split(get(r, "sends"), sent, " ")
    for (i = 1; i <= n; i++)
        sequence[++n_sequences] = "{ \x27" substr(sent[i], 1, 1) "\x27, " substr(sent[i], 2) + 0 ", " key " }"
}
function number_section(r,    n, i) { # numbers sections from 0; the last section has the groups that no section names
    section_of[id_of[r]] = last_section = n_sections++
    n = split(get(r, "groups"), words, ",")
    for (i = 1; i <= n; i++) section_of[words[i]] = last_section
}
function section_of_source(r) { return get(r, "group") in section_of ? section_of[get(r, "group")] : last_section }
function add(r) {
    if (kind_of[r] == "unit") {
        unit_id[++n_units] = id_of[r]
        unit[n_units] = "[F_" id_of[r] "] = { " truth(get(r, "counter")) ", U_" toupper(get(r, "shown")) ", " c_string(get(r, "json")) ", " \
            get(r, "scale") " }"
    } else if (kind_of[r] == "shown") {
        shown_id[++n_shown] = id_of[r]
        suffix[n_shown] = "[U_" id_of[r] "] = " c_string(get(r, "suffix"))
    } else if (kind_of[r] == "operation") {
        operation_id[++n_operations] = id_of[r]
        formula[n_operations] = "[OP_" id_of[r] "] = " c_string(get(r, "formula"))
    } else if (kind_of[r] == "dimension") {
        dim_id[++n_dims] = id_of[r]
        dim[n_dims] = "[DIM_" id_of[r] "] = { " maybe(get(r, "json")) ", " maybe(get(r, "label")) ", " maybe(get(r, "info")) ", " maybe(get(r, "facts")) ", " \
            (get(r, "pmc") == "-" ? "\"\"" : maybe(get(r, "pmc"))) ", " (get(r, "sort") == "" ? "N_METRICS" : "M_" get(r, "sort")) ", " \
            maybe(get(r, "title")) ", " (section_of[get(r, "section")] + 0) ", " (get(r, "share") + 0) ", " truth(get(r, "in_order")) ", " truth(get(r, "largest")) " }"
    } else if (kind_of[r] == "section")
        part[++n_parts] = "{ \x27" id_of[r] "\x27, " c_string(name_of[r]) ", " (sources_of[n_parts - 1] == "" ? "0" : sources_of[n_parts - 1]) " }"
    else if (kind_of[r] == "line")
        line[++n_lines] = "{ " c_string(id_of[r]) ", " (get(r, "past") == "" ? "0" : "M_" get(r, "past")) ", " (get(r, "of") == "" ? "0" : "M_" get(r, "of")) ", " \
            truth(get(r, "past") == "" ? "yes" : "") ", { " line_c[r] " } }"
    else if (kind_of[r] == "source") {
        source_id[++n_sources] = id_of[r]
        source[n_sources] = "[SRC_" id_of[r] "] = { " c_string(get(r, "group")) ", " c_string(name_of[r]) ", \\\n      " c_string(text[r]) ", " \
            section_of_source(r)
        read_by[n_sources] = "[SRC_" id_of[r] "] = " get(r, "read")
        i = get(r, "once")
        once[i] = once[i] (once[i] == "" ? "" : " | ") "1ull << SRC_" id_of[r]
        if (get(r, "asked") != "") asked = asked (asked == "" ? "" : " | ") "1ull << SRC_" id_of[r]
    } else if (kind_of[r] == "self") {
        self_id[++n_selves] = id_of[r]
        self[n_selves] = "[SELF_" id_of[r] "] = { " c_string(name_of[r]) ", " (get(r, "counter") == "" ? "\"gauge\"" : "\"counter\"") \
            ", " c_string(text[r]) " }"
    } else if (kind_of[r] == "key")
        add_key(r)
    else if (kind_of[r] == "function")
        function_row[++n_functions] = "{ " c_string(name_of[r]) ", PROG_VQ_" toupper(get(r, "entry")) ", " \
            (get(r, "back") == "" ? "0" : "PROG_VQ_" toupper(get(r, "back"))) " }"
    else if (kind_of[r] == "handler")
        handler[++n_handlers] = "{ " c_string(name_of[r]) ", VH_" toupper(get(r, "device")) ", " \
            (get(r, "queue") == "" ? "VH_UNKNOWN" : get(r, "queue") + 0) ", " truth(get(r, "kick")) ", " truth(get(r, "gaps")) " }"
    else if (kind_of[r] != "family") {
        col[r, "source_id"] = toupper(get(r, "source"))
        add_wire(r)
        if (kind_of[r] == "metric") add_look(r, id_of[r], get(r, "column"), get(r, "unusual"), get(r, "bad"))
        else add_look(r, id_of[r] "_P99", get(r, "column"), get(r, "unusual"), get(r, "bad"))
        if (kind_of[r] != "metric") add_look(r, id_of[r] "_MAX", "", get(r, "max_unusual"), get(r, "max_bad"))
        if (kind_of[r] == "metric") add_metric(r, id_of[r], name_of[r], prom_of(r) ", " type_of(r), family_help(r))
        else add_distribution(r)
    }
}
END {
    for (r = 1; r <= n_rows; r++) {
        name_in_prom(r)
        if (kind_of[r] == "section") number_section(r)
    }
    for (r = 1; r <= n_rows; r++) {
        if (kind_of[r] == "metric") name_of_id[id_of[r]] = 1
        n = kind_of[r] == "distribution" ? split("_P50 _P90 _P99 _MAX", words, " ") : 0
        for (i = 1; i <= n; i++) name_of_id[id_of[r] words[i]] = 1
        if (text[r] == "" && kind_of[r] !~ /^(section|line|key|function|handler|shown|operation)$/) bad_at(line_of[r], kind_of[r] " " id_of[r] ": no text")
        if (kind_of[r] ~ /^(metric|distribution)$/) measured[toupper(get(r, "source"))] = 1
    }
    for (r = 1; r <= n_rows; r++) {
        if (kind_of[r] == "source") check_source(r)
        else if (kind_of[r] == "dimension") check_dimension(r)
        else if (kind_of[r] ~ /^(section|line)$/) check_screen(r)
        else if (kind_of[r] == "unit") {
            refers(r, "shown", "shown")
            one_of(r, "counter", "yes")
            if (get(r, "scale") !~ /^[0-9]+([.][0-9]+)?(e-?[0-9]+)?$/ || get(r, "scale") + 0 <= 0)
                bad_at(line_of[r], "unit " name_of[r] ": scale is no number over 0")
        } else if (kind_of[r] == "self")
            one_of(r, "counter", "yes")
        else if (kind_of[r] == "key") {
            if (get(r, "sends") !~ /^(([A-Z]|~[0-9]+)( |$))*$/) bad_at(line_of[r], "key " id_of[r] ": sends is neither FINAL nor ~N")
            if (get(r, "code") !~ /^[0-9]*$/) bad_at(line_of[r], "key " id_of[r] ": code is no number")
        } else if (kind_of[r] ~ /^(function|handler)$/) {
            if (get(r, "queue") !~ /^[0-9]*$/) bad_at(line_of[r], kind_of[r] " " name_of[r] ": queue is no number")
            one_of(r, "device", "net vsock scsi")
            one_of(r, "kick", "yes")
            one_of(r, "gaps", "yes")
        } else if (kind_of[r] !~ /^(family|shown|operation)$/) check_metric(r)
    }
    for (r = 1; r <= n_rows; r++)
        if (kind_of[r] == "family" && !(name_of[r] in family_unit)) bad_at(line_of[r], "family " name_of[r] ": no metric has this name")
    if (!any_asked) bad_at(FNR, "no source is asked=yes: MET_ASKED would be empty")
    if (failed) exit 1
    for (r = 1; r <= n_rows; r++) if (kind_of[r] == "source") {
        i = section_of_source(r)
        sources_of[i] = sources_of[i] (sources_of[i] == "" ? "" : " | ") "1ull << SRC_" id_of[r]
    }
    for (r = 1; r <= n_rows; r++) add(r)
    if (list != "") exit 0
    for (i = 1; i <= n_sources; i++) source[i] = source[i] ", " first_of[source_id[i]] ", " last_of[source_id[i]] ", " count_of[source_id[i]] " }"
    print "/*\n * Generated by gen/metrics.sh from gen/tables/metrics.tbl. Do not edit: change the table and run it.\n */"
    print "\n/* Groups of sources, for -c. */\n#define MET_GROUPS \"" groups "\""
    print "\n/* How the sum of a dimension gets its value: from the source, or as a sum or mean of instances. */"
    print "enum met_all { MET_ALONE, MET_SUM, MET_MEAN };"
    print "\n/* Types of Prometheus metrics. */\nenum { PROM_GAUGE, PROM_COUNTER, PROM_UNTYPED };"
    print "#define MET_PROM_TYPES \"gauge\", \"counter\", \"untyped\""
    print "\n/* Sources that are on only if -c names them. */\n#define MET_ASKED (" asked ")"
    print "\n/* Sources that kvis diagnose reads once: in its second sample, in the last one. */"
    print "#define MET_SECOND (" once["second"] ")\n#define MET_LAST (" once["last"] ")"
    for (i = 1; i <= n_sets; i++) print "#define MET_SET_" toupper(set_name[i]) " " set[set_name[i]]
    for (i = 1; i <= n_wires; i++) {
        if (wire_name[i] ~ / /) print "#define MET_HISTS_" toupper(substr(wire_name[i], 1, index(wire_name[i], " ") - 1)) " " wire[wire_name[i]]
        else print "#define MET_WIRE_" toupper(wire_name[i]) (wire[wire_name[i]] ~ /X[(]/ ? "(X)" : " ") wire[wire_name[i]]
    }
    numbers("met_src ", "SRC_", n_sources, source_id, "N_SRC")
    numbers("met_dim ", "DIM_", n_dims, dim_id, "N_DIM,\n    DIM_PMC /* all dimensions whose member pmc is set */")
    numbers("met_unit ", "U_", n_shown, shown_id, "N_SHOWN")
    numbers("met_op ", "OP_", n_operations, operation_id, "N_OP")
    numbers("met_form ", "F_", n_units, unit_id, "N_FORM")
    numbers("", "M_", n_metrics, metric_id, "N_METRICS")
    numbers("met_hist_id ", "HIST_", n_dists, dist_id, "N_HIST")
    numbers("met_self ", "SELF_", n_selves, self_id, "N_SELF")
    numbers("met_key_code ", "KEY_", n_key_names, key_name, "N_KEYS")
    rows("name of the unit", "MET_SUFFIXES", n_shown, suffix)
    rows("formula", "MET_FORMULAS", n_operations, formula)
    rows("counter, shown as, suffix in JSON, scale", "MET_UNITS", n_units, unit)
    rows("JSON key, label, label of the info, Prometheus metric with the info, prefix of pmc metrics, sort metric, title, section, share, in order, largest", \
         "MET_DIMENSIONS", n_dims, dim)
    rows("group, name, why it may be missing, section, first metric, last metric + 1, number of metrics", "MET_SOURCES", n_sources, source)
    rows("function", "MET_READS", n_sources, read_by)
    rows("name, key, Prometheus name, labels and type, source, unit, dimension, over all instances, 32 bits, nothing to measure, operation and its two metrics, why it may be missing, help, help of the Prometheus name", \
         "MET_ROWS", n_metrics, metric)
    rows("name, BPF programs for the entry and the return", "MET_FUNCTIONS", n_functions, function_row)
    rows("name, device, queue, kick, gaps", "MET_HANDLERS", n_handlers, handler)
    rows("key, name, sources", "MET_SECTIONS", n_parts, part)
    rows("name, type, help", "MET_SELF", n_selves, self)
    rows("key, argument, function", "MET_KEYS", n_keys, keys)
    rows("final byte, number, key", "MET_SEQUENCES", n_sequences, sequence)
    rows("name, past, of, each CPU, items", "MET_LINES", n_lines, line)
    for (n = 1; n <= last_look + 1; n++)
        for (i = 1; i <= n_look[n % (last_look + 1)]; i++) looks[++n_looks] = look[n % (last_look + 1), i]
    rows("metric, column title, unusual, bad, aside", "MET_LOOKS", n_looks, looks)
    rows("name, what is counted, Prometheus name and labels, help, scale, four metrics, source, unit, octaves", \
         "MET_DISTRIBUTIONS", n_dists, dist)
}' "$gen/tables/metrics.tbl" > "$tmp/metrics.h"
end "${1-}"
