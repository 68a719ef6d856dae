#!/bin/sh
# Makes out/rules.h, what kvis diagnose looks for, from rules.tbl, and checks that each text stands alone.
#
#   gen/rules.sh             rules.tbl -> out/rules.h
#   gen/rules.sh check       only checks rules.tbl
#   gen/rules.sh list        NAME RESOURCE of each rule, for the tests
# Exit status: 0 done, 1 the table is wrong, 2 usage.

. "$(dirname -- "$0")/lib.sh"
begin "check list" "$@"

awk -v list="${1-}" "$awk_common"'
function bad(msg) { bad_at(FNR, msg) }
function text(s, what) { # checks a text and returns it as a C string
    if (s !~ /[A-Za-z%#]/) bad(what ": empty")
    if (s ~ /["\\]/) bad(what ": a quote or a backslash")
    if (s ~ /\.$/) bad(what ": a full stop at the end")
    return "\"" s "\""
}
function stands_alone(s, what) {
    if (s !~ /^[A-Z]/) bad(what ": does not begin with a capital")
    if (needs_another(s)) bad(what ": begins with a pronoun")
    if (split(s, w, /[ ]+/) < 4) bad(what ": fewer than four words")
    if (s in said) bad(what ": another rule says the same")
    said[s] = 1
}
function code(n) { # a number as C
    if (n == "-") return "X_NONE"
    if (n !~ /^[A-Z][A-Z0-9_]*$/) bad("`" n "` is no name of a number")
    used[n] = FNR
    return (n in number ? "X_" : "M_") n
}
function told(n) { if (n != "-" && !(n in words)) bad(n " has no words") }
function no_rules(s,    w, n, i, out) { # s without rule names; the rule is stored in unless_rule
    unless_rule = "NULL"
    n = split(s, w, " ")
    for (i = 1; i <= n; i++) {
        if (w[i] !~ /^[a-z]/) { out = out (out == "" ? "" : " ") w[i]; continue }
        if (unless_rule != "NULL") bad("rule " rule ": unless more than one rule")
        if (!(w[i] in seen)) bad("rule " rule ": no rule `" w[i] "` before this one")
        unless_rule = "\"" w[i] "\""
    }
    return out
}
function ids(s,    w, n, i, out) { # resources as a mask
    n = split(s, w, " ")
    for (i = 1; i <= n; i++) {
        if (!(w[i] in resource)) bad("no resource `" w[i] "`")
        out = out (i > 1 ? " | " : "") "DG_R(" w[i] ")"
    }
    return n ? out : "0"
}
function compare(op, limit) {
    if (op != ">=" && op != "<=") bad("`" op "` is neither >= nor <=")
    if (limit !~ /^[0-9][0-9.]*(e-?[0-9]+)?$/) bad("`" limit "` is no limit")
    return (op == "<=" ? "true" : "false") ", " limit
}
function add_words(n, s) {
    if (n in words) bad(n " has words already")
    words[n] = text(s, "words of " n)
    if (gsub(/[%#]/, "", s) != 1) bad("words of " n ": want one % or #")
    word_row[++n_words] = n
}
function may(c) { return (rule, c) in col ? col[rule, c] : "" }
function need(c) {
    if (may(c) == "") bad("rule " rule ": no " c)
    return may(c)
}
function one_of(v, what, allowed) {
    if (index(" " allowed " ", " " v " ") == 0) bad("rule " rule ": " what " `" v "` is none of: " allowed)
    return v
}
function end_rule(    unless, below, limit, cost, factor, w, n, each, who, next_, alone, g, i, finding, value, whose) {
    if (rule == "") return
    each = one_of(may("tried"), "tried", "each ") == "each"
    n = split(need("when"), w, " ")
    if (n != 3) bad("rule " rule ": when NUMBER >= LIMIT")
    told(w[1])
    value = code(w[1])
    split(compare(w[2], w[3]), w, ", ")
    below = w[1]
    limit = w[2]
    for (i = 1; i <= guards; i++) {
        if (split(guard[i], w, " ") != 4) bad("rule " rule ": and SCOPE NUMBER >= LIMIT")
        one_of(w[1], "scope", scopes)
        if (w[1] != "all" && !each) bad("rule " rule ": " w[1] " of one machine")
        told(w[2])
        g = g (i > 1 ? ", \\\n        " : "") "{ " code(w[2]) ", DG_" toupper(w[1]) ", " maybe[i] ", " compare(w[3], w[4]) " }"
    }
    n = split(may("cost"), w, " ")
    if (n && (n != 2 || w[2] !~ /^[0-9.]+$/)) bad("rule " rule ": cost NUMBER FACTOR")
    cost = code(n ? w[1] : "-")
    factor = n ? w[2] : 0
    n = split(may("blames"), w, " ")
    who = n ? one_of(w[1], "blames", blames) : "nobody"
    if (who ~ /^(members|cpu|device|self)$/ && !each) bad("rule " rule ": " who " of one machine")
    if (n && n != 2) bad("rule " rule ": blames SCOPE NUMBER")
    whose = n ? w[2] : "-"
    told(whose)
    finding = need("finding")
    stands_alone(finding, "rule " rule ": finding")
    if (each != (finding ~ /%t/)) bad("rule " rule ": " (each ? "the sentence lacks %t" : "%t of one machine"))
    next_ = need("next")
    alone = may("alone")
    if (!each && next_ alone ~ /%t/) bad("rule " rule ": next: %t of one machine")
    if (next_ ~ /%p/ && who == "nobody") bad("rule " rule ": next: nobody is blamed")
    if ((next_ ~ /%p/ && who != "self") != (alone != "")) bad("rule " rule ": alone is for where next has a %p")
    if (alone ~ /%p/) bad("rule " rule ": alone has a %p")
    if (!(need("resource") in resource)) bad("rule " rule ": no such resource")
    unless = ids(no_rules(may("unless")))
    row[++n_rules] = sprintf("    { .name = \"%s\", .res = RES_%s, .kind = DG_%s, .each = %s, .log = %s, \\\n" \
        "      .value = %s, .below = %s, .limit = (float)%s, \\\n      %s.cost = %s, .factor = (float)%s, \\\n" \
        "      .who = DG_BY_%s, .whose = %s, \\\n      .unless = %s, .unless_rule = %s, .before = %s, \\\n" \
        "      .finding = %s, \\\n      .source = %s, \\\n      .next = %s, .alone = %s },", rule, need("resource"),
        toupper(one_of(need("kind"), "kind", kinds)), each ? "true" : "false",
        code(may("log") == "" ? "-" : may("log")), value, below, limit,
        g == "" ? "" : ".guard = { " g " }, \\\n      ",
        cost, factor, toupper(who), code(whose), unless, unless_rule, ids(may("before")),
        text(finding, "rule " rule ": finding"), text(need("source"), "rule " rule ": source"),
        text(next_, "rule " rule ": next"), alone == "" ? "\"\"" : text(alone, "rule " rule ": alone"))
    if (list == "list") print rule, need("resource")
}
BEGIN { kinds = "utilization saturation error"
        scopes = "this others all"
        blames = "all members cpu device self"
        n = split("resource kind tried when and and? unless cost blames log before finding source next alone", w, " ")
        for (i = 1; i <= n; i++) column[w[i]] = 1 }
/^[ \t]*#/ || NF == 0 { next }
$1 == "words" { add_words($2, from_word(3)); next }
$1 == "number" {
    if ($3 !~ /^(sum|div|mul|rest|left|most|share|first)$/) bad("no operation `" $3 "`")
    num_row[++n_numbers] = sprintf("{ \"%s\", %s, %s, M_%s, OP_%s }", $2, code($4), code($5), $6, toupper($3))
    num_id[n_numbers] = "X_" $2
    number[$2] = 1
    add_words($2, from_word(7))
    next
}
$1 == "resource" && /^r/ {
    for (i = 3; i <= 5; i++) told($i)
    resource[$2] = ++n_resources
    res_row[n_resources] = sprintf("{ \"%s\", %s, { %s, %s, %s } }", $2, text(from_word(6), "name of " $2), code($3), code($4), code($5))
    res_id[n_resources] = "RES_" $2
    next
}
$1 == "busiest" {
    compare(">=", $3)
    busiest[++n_busiest] = "{ " code($2) ", (float)" $3 " }"
    next
}
$1 == "column" {
    if (NF != 4 || $3 !~ /^[0-9]+$/) bad("column NUMBER WIDTH HEAD")
    column_row[++n_columns] = "{ " code($2) ", " $3 ", \"" $4 "\" }"
    next
}
$1 == "member" { member[++n_members] = code($2); next }
$1 == "rule" {
    end_rule()
    rule = $2
    guards = 0
    if (NF != 2 || rule !~ /^[a-z][a-z0-9-]*$/) bad("rule NAME")
    if (rule in seen) bad("rule " rule " stands twice")
    seen[rule] = 1
    next
}
/^[ \t]/ && rule != "" {
    if (!($1 in column)) bad("no column `" $1 "`")
    else if ($1 ~ /^and/) {
        guard[++guards] = from_word(2)
        maybe[guards] = $1 == "and?" ? "true" : "false"
        if (guards > 3) bad("more than 3 guards")
    } else if ((rule, $1) in col) bad($1 " stands twice")
    else if (NF < 2) bad($1 ": empty")
    else col[rule, $1] = from_word(2)
    next
}
{ bad("`" $1 "` is unknown") }
function choices(name, prefix, list,    n, i, w, s) { # an enum of words, and the words
    n = split(list, w, " ")
    for (i = 1; i <= n; i++) s = s (i > 1 ? ", " : "") prefix (w[i] == "-" ? "NOBODY" : toupper(w[i]))
    printf "enum %s { %s };\n", name, s
    gsub(/ /, "|", list)
    printf "#define %s \"%s\"\n", toupper(name) "S", list
}
function rows(name, what, r, n,    i) {
    printf "\n/* %s */\n#define %s", what, name
    for (i = 1; i <= n; i++) printf "%s \\\n    %s", (i > 1 ? "," : ""), r[i]
    print ""
}
function numbers(name, start, n, id, last,    i) { # an enum of the IDs; start: the value of the first one
    printf "enum %s{\n", name
    for (i = 1; i <= n; i++) printf "    %s%s,\n", id[i], i == 1 && start != "" ? " = " start : ""
    print "    " last "\n};"
}
END {
    end_rule()
    for (i = 1; i <= n_words; i++) {
        w[i] = sprintf("[%s] = %s", code(word_row[i]), words[word_row[i]])
    }
    if (failed) exit 1
    if (list != "") exit 0
    print "/*\n * Generated by gen/rules.sh from gen/tables/rules.tbl. Do not edit: change the table and run it.\n */"
    print ""
    numbers("dg_resource ", "", n_resources, res_id, "N_RES")
    print "\n/* IDs of derived numbers; they continue the IDs of the metrics. */"
    numbers("", "N_METRICS", n_numbers, num_id, "X_END, X_NONE = 0xffff")
    rows("DG_NUMBERS", "id, two numbers, a metric of its unit, operation", num_row, n_numbers)
    rows("DG_WORDS", "how a sentence tells a number", w, n_words)
    printf "\n/* Number of rows of DG_BUSIEST_BY. */\nenum { DG_BUSIEST = %d };\n", n_busiest
    rows("DG_BUSIEST_BY", "number, lowest value", busiest, n_busiest)
    rows("DG_BUSIEST_COLUMNS", "number, width, head", column_row, n_columns)
    rows("DG_BUSIEST_MEMBERS", "number", member, n_members)
    print "\n/* Words of columns. */"
    choices("dg_kind", "DG_", kinds)
    choices("dg_scope", "DG_", scopes)
    choices("dg_blame", "DG_BY_", "- " blames)
    rows("DG_RESOURCES", "id, name, utilization, saturation, errors", res_row, n_resources)
    printf "\n/* Rows of dg_rules[] in kvis.c. */\n#define DG_RULES"
    for (i = 1; i <= n_rules; i++) printf " \\\n%s", row[i]
    print ""
}' "$gen/tables/rules.tbl" > "$tmp/rules.h"
end "${1-}"
