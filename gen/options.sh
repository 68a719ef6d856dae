#!/bin/sh
# Makes out/options.h, the commands and options of kvis, from options.tbl, and checks the table.
#
#   gen/options.sh             options.tbl -> out/options.h
#   gen/options.sh check       only checks options.tbl
# Exit status: 0 done, 1 the table is wrong, 2 usage.

. "$(dirname -- "$0")/lib.sh"
begin "check" "$@"

awk "$awk_common"'
function bad(msg) { bad_at(at ? at : FNR, msg) }
function has(c) { return (at, c) in col }
function string_of(c) { return has(c) ? string(col[at, c]) : "NULL" }
function need(c) {
    if (!has(c)) { bad(row ": no " c); return "-" }
    return col[at, c]
}
function put(s, word, by,    i) { # s with `word` replaced by `by`
    i = index(s, word)
    return i ? substr(s, 1, i - 1) by substr(s, i + length(word)) : s
}
function string(s,    head, tail, name) { # s as a C string; {MACRO} becomes the macro
    if (s ~ /\\/) bad(row ": a backslash")
    gsub(/"/, "\\\"", s)
    while (match(s, /[{][A-Z][A-Z_]*[}]/)) {
        name = substr(s, RSTART + 1, RLENGTH - 2)
        head = substr(s, 1, RSTART - 1)
        tail = substr(s, RSTART + RLENGTH)
        s = head "\" " name " \"" tail
    }
    return "\"" s "\""
}
function stands_alone(s,    w) {
    if (s ~ /[^.]\.$/) bad(row ": a full stop at the end of the help")
    if (needs_another(s)) bad(row ": help that needs another row to make sense")
    if (s !~ /^[A-Za-z"]/) bad(row ": help that does not begin with a word")
    if (split(s, w, / /) < 2) bad(row ": help of one word")
}
function end_command(    takes, main) {
    takes = need("takes")
    main = has("page") ? col[at, "page"] : name
    if (index(" command recordings commands nothing ", " " takes " ") == 0) bad(row ": unknown kind `" takes "` in takes")
    stands_alone(need("help"))
    cmd_row[++n_cmds] = sprintf("    { %s, %s, %s, \\\n      %s, \\\n      %s, IN_%s, TAKES_%s, cmd_%s }", string(name), string_of("link"),
        string("kvis-" main), string(need("usage")), string(need("help")), toupper(name), toupper(takes), main)
}
function spelling(s,    rest) { # sets letter, long, arg, maybe
    letter = long = arg = ""
    rest = s
    if (rest ~ /^-[A-Za-z]/) {
        letter = substr(rest, 2, 1)
        rest = substr(rest, 3)
        if (rest ~ /^, --/) rest = substr(rest, 3)
    }
    if (rest ~ /^--/) {
        match(rest, /^--[a-z.-]*/)
        long = substr(rest, 3, RLENGTH - 2)
        rest = substr(rest, RLENGTH + 1)
    }
    maybe = rest ~ /^\[=.*\]$/
    if (maybe) arg = substr(rest, 3, length(rest) - 3)
    else if (rest ~ (long != "" ? "^=." : "^ .")) arg = substr(rest, 2)
    else if (rest != "") bad(row ": unknown spelling")
    if (letter long == "") bad(row ": neither a letter nor a name")
    if (arg != "" && long == "") bad(row ": an argument without a long name")
    if (arg != "" && !(arg in argument)) bad(row ": no argument is called `" arg "`")
}
function commands(s,    w, n, i, out) { # the mask of the commands that have the option
    n = split(s == "all" ? all : s, w, " ")
    for (i = 1; i <= n; i++) {
        if (!(w[i] in command)) bad(row ": no command `" w[i] "`")
        if (letter != "" && (w[i], letter) in taken) bad(row ": " w[i] " has a -" letter " already")
        if (long != "" && (w[i], long) in taken) bad(row ": " w[i] " has a --" long " already")
        taken[w[i], letter] = taken[w[i], long] = 1
        out = out (i > 1 ? " | " : "") "IN_" toupper(w[i])
    }
    return s == "all" ? "IN_ALL" : out
}
function destination(s,    w, n, kind, range, ends) { # how the value is stored, and its range
    n = split(s, w, " ")
    kind = w[1]
    range = "0, 0"
    if (index(" flag count set number seconds string output call nothing ", " " kind " ") == 0) bad(row ": unknown kind `" kind "` in sets")
    if (n != (kind == "nothing" ? 1 : kind ~ /^(set|number)$/ ? 3 : 2)) bad(row ": wrong number of words in sets")
    if (arg == "" && kind ~ /^(number|seconds|string|output)$/) bad(row ": a " kind " without an argument")
    if (arg != "" && kind ~ /^(flag|count|set|nothing)$/) bad(row ": sets " kind ", with an argument")
    if (maybe && kind !~ /^(call|output)$/) bad(row ": only call and output take an optional argument")
    if (kind != "nothing" && w[2] !~ (kind == "call" ? "^[a-z_]+$" : "^[a-z_]+([.][a-z_]+)?$")) bad(row ": cannot set `" w[2] "`")
    if (kind == "set" && w[3] !~ /^([A-Z_]+|\047[a-z]\047)$/) bad(row ": `" w[3] "` is not a constant")
    if (kind == "number") {
        if (w[3] !~ /^[0-9]+[.][.][0-9]+$/) bad(row ": `" w[3] "` is not a range")
        split(w[3], ends, /[.][.]/)
        if (ends[1] + 0 > ends[2] + 0 || ends[2] + 0 > 4294967295) bad(row ": `" w[3] "` is not a range")
        range = ends[1] ", " ends[2]
    }
    if (kind == "set") range = w[3] ", 0"
    return sprintf("OPT_%s, { %s }, %s", toupper(kind), kind == "nothing" ? "NULL" \
        : "." (kind == "output" ? "string" : kind) " = " (kind == "call" ? "" : "&") w[2], range)
}
function allowed(s) { # the allowed values as C
    if (arg == "") bad(row ": values without an argument")
    if (s !~ /^[a-z0-9-]+([|][a-z0-9-]+)+$/) bad(row ": values are A|B|C")
    return string(s)
}
function end_option(    help, of, sets, values) {
    spelling(name)
    help = need("help")
    if (has("also") && col[at, "also"] !~ /^[a-z-]+( [a-z-]+)*$/) bad(row ": also WORD...")
    gsub(/ /, "|", col[at, "also"])
    if (has("needs") && col[at, "needs"] != "command") bad(row ": needs is not `command`")
    if (has("values") != (index(help, "{values}") > 0)) bad(row ": values and {values} in the help need each other")
    stands_alone(put(help, "{values}", "values"))
    of = commands(need("of"))
    sets = destination(need("sets"))
    values = has("values") ? allowed(col[at, "values"]) : "NULL"
    opt_row[++n_opts] = sprintf("    { %s, %s, %s, %s, %s, %s, \\\n      %s, \\\n      %s, %s, %s, \\\n      %s }", of,
        letter == "" ? "0" : "\047" letter "\047", long == "" ? "NULL" : string(long), arg == "" ? "NULL" : string(arg),
        maybe ? "true" : "false", has("needs") ? "true" : "false", sets, values,
        has("also") ? string(col[at, "also"]) : "NULL", string((letter == "" ? "    " : "") name), string(put(help, "{values}", col[at, "values"])))
}
function verdicts(c,    w, n, i, out) { # a mask of subcommands
    n = has(c) ? split(col[at, c], w, " ") : 0
    for (i = 1; i <= n; i++) {
        if (!(w[i] in verdict)) bad(row ": " c ": no verdict on `" w[i] "`")
        out = out (i > 1 ? " | " : "") "CHECK_" toupper(w[i])
    }
    return n ? out : "0"
}
function end_check(    tries) {
    tries = has("tries") ? col[at, "tries"] : ""
    if (tries !~ /^(|check_[a-z_]+|[A-Z][A-Z0-9_]*)$/) bad(row ": tries is neither a function check_NAME nor a source")
    if (has("bpf") && col[at, "bpf"] != "yes") bad(row ": bpf is not `yes`")
    check_row[++n_checks] = sprintf("    { %s, %s, %s, %s, %s, %s, %s, \\\n      %s, %s, \\\n      %s }", string(name), verdicts("needed_by"),
        verdicts("useful_for"), verdicts("verdict"), has("bpf") ? "true" : "false", tries ~ /^c/ ? tries : "NULL",
        tries ~ /^[A-Z]/ ? "SRC_" tries : "0", string_of("works"), string_of("without"), string_of("fix"))
}
function end_row() {
    if (kind == "command") end_command()
    if (kind == "option") end_option()
    if (kind == "check") end_check()
    kind = ""
}
BEGIN {
    columns["command"] = " takes usage link page help "
    columns["option"] = " of sets values also needs help "
    columns["check"] = " needed_by useful_for verdict bpf tries works without fix "
}
/^[ \t]*#/ || NF == 0 { next }
$1 == "argument" && NF == 3 {
    if ($3 !~ /^(files|directories|processes|users|words)$/) bad("argument " $2 ": no kind `" $3 "`")
    if ($2 in argument) bad("argument " $2 " appears twice")
    argument[$2] = $3
    next
}
/^verdict / {
    end_row()
    at = FNR
    row = "verdict " $2
    if (NF == 2) {
        verdict[$2] = 1
        verdict_id[++n_verdicts] = toupper($2)
    } else if (NF != 3 || !($3 in verdict)) bad("verdict NAME, or verdict NAME OTHER")
    word_row[++n_words] = sprintf("    { %s, CHECK_%s, %s }", string($2), toupper($NF), NF == 2 ? "true" : "false")
    at = 0
    next
}
/^(command|option|check) / {
    end_row()
    kind = $1
    at = FNR
    name = from_word(2)
    row = kind " " name
    if (kind == "command") {
        if (NF != 2 || name !~ /^[a-z]+$/) bad("command NAME")
        if (name in command) bad(row ": appears twice")
        command[name] = 1
        all = all " " name
        bit[++n_bits] = name
    }
    if (kind == "check" && (NF != 2 || name !~ /^[a-z_]+$/)) bad("check NAME")
    next
}
/^[ \t]/ && kind != "" {
    if (index(columns[kind], " " $1 " ") == 0) bad(row ": no column `" $1 "`")
    else if (has($1)) bad(row ": " $1 " appears twice")
    else if (NF < 2) bad(row ": " $1 " is empty")
    else col[at, $1] = from_word(2)
    next
}
{ at = FNR; bad("`" $1 "` is unknown") }
function rows(type, name, row, n,    i) {
    printf "\n/* %s each */\n#define %s", type, name
    for (i = 1; i <= n; i++) printf " \\\n%s%s", row[i], i < n ? "," : "\n"
}
END {
    end_row()
    if (failed) exit 1
    print "/*\n * Generated by gen/options.sh from gen/tables/options.tbl. Do not edit: change the table and run it.\n */"
    print "\n/* The commands that have an option: bits. */\nenum {"
    for (i = 1; i <= n_bits; i++) printf "    IN_%s = 1 << %d,\n", toupper(bit[i]), i - 1
    printf "    IN_ALL = (1 << %d) - 1\n};\n", n_bits
    printf "\n/* Verdicts of kvis check: bits. */\nenum {\n"
    for (i = 1; i <= n_verdicts; i++) printf "    CHECK_%s = 1 << %d,\n", verdict_id[i], i - 1
    print "};"
    rows("struct check_command", "CHECK_VERDICTS", word_row, n_words)
    rows("struct cmd", "OPT_COMMANDS", cmd_row, n_cmds)
    rows("struct opt_row", "OPT_ROWS", opt_row, n_opts)
    rows("struct check_row", "CHECK_ROWS", check_row, n_checks)
}' "$gen/tables/options.tbl" > "$tmp/options.h"
end "${1-}"
