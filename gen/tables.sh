#!/bin/sh
# Makes the tables of system calls and flag names that kvis.c includes.
#
#   gen/tables.sh                    syscalls.tbl, commands.tbl -> out/syscalls.h, flags.tbl -> out/flags.h
#   gen/tables.sh check HEADERDIR    compare the numbers in syscalls.tbl with the kernel's headers
#   gen/tables.sh update HEADERDIR   put the headers' numbers into syscalls.tbl, append new calls
#
# HEADERDIR is an include directory as installed by linux-libc-dev or `make headers_install`:
# asm/ or TRIPLET/asm/ with unistd_64.h, unistd_32.h and unistd_x32.h (x86), unistd_64.h or
# asm-generic/unistd.h (arm64, riscv64), unistd-eabi.h (arm). An ABI without headers is reported and skipped.
# Exit status: 0 done, 1 the tables are wrong or differ from the headers, 2 usage.

. "$(dirname -- "$0")/lib.sh"
abis='x86_64 i386 x32 arm64 arm riscv64'   # the order of the number columns in syscalls.tbl

die() {
    echo "tables.sh: $*" >&2
    exit 2
}

# Checks flags.tbl and prints it as lines `FAMILY CONSTANT VALUE ARM64VALUE`. Writes $tmp/parts and $tmp/signals, the rows of
# FL_PARTS and FL_SIGNALS.
read_flags() {
    : > "$tmp/parts"
    : > "$tmp/signals"
    awk -v part_file="$tmp/parts" -v signal_file="$tmp/signals" "$awk_common"'
    function bad(msg) { bad_at(FNR, msg) }
    function number(s) { return s ~ /^-?(0[0-7]*|[1-9][0-9]*|0[xX][0-9a-fA-F]+)$/ }
    function fits(s) { # struct flag: 40 bits with a sign
        if (s ~ /^0[xX]/) return length(s) < 12 || length(s) == 12 && s ~ /^..[0-7]/
        return length(s) < 11
    }
    function add_part(s,    w, n) {
        n = split(substr(s, index(s, "=") + 1), w, ":")
        if (s ~ /^part=(named|signal|octal|huge):(0x)?[0-9a-f]+(:[a-z0-9_]+)?$/)
            print "{ FAM_" fam ", DEC_" toupper(w[1]) ", " w[2] ", " (n < 3 ? 0 : w[1] == "named" ? "FAM_" w[3] : w[3]) " }," > part_file
        else if (s ~ /^signal=SIG[A-Z]+:[a-z_]+$/) print "[" w[1] "] = { FAM_" fam ", ST_" w[2] " }," > signal_file
        else bad("`" s "`: part=HOW:MASK[:ARG] or signal=NAME:STRUCT")
    }
    function close_family() { if (fam != "" && !rows) bad("family " fam " has no rows") }
    { sub(/#.*/, "") }
    NF == 0 { next }
    /^family[ \t]/ {
        close_family()
        if (NF < 2 || $2 !~ /^[a-z_][a-z0-9_]*$/) bad("expected: family NAME [part=...] [signal=...]")
        if ($2 in seen) bad("family " $2 " occurs twice")
        fam = $2; seen[fam] = 1; rows = 0
        for (i = 3; i <= NF; i++) add_part($i)
        next
    }
    !/^[ \t]/ { bad("expected `family NAME` or an indented `CONSTANT VALUE`"); next }
    fam == "" { bad("a constant before the first family"); next }
    {
        rows++
        arm = $3
        if (NF < 2 || NF > 3) { bad("expected: CONSTANT VALUE [arm64=VALUE]"); next }
        others = ""
        if (fam == "ioctl" && sub(/^or=/, "", $3)) {
            if ($3 !~ /^0x[0-9a-f]+(,0x[0-9a-f]+)*$/) bad("`or=" $3 "`: hexadecimal numbers with commas")
            others = $3
            NF = 2
        }
        if (NF == 3 && !sub(/^arm64=/, "", arm)) bad("unknown column `" $3 "`")
        if (NF == 2) arm = $2
        if ($1 !~ /^[A-Za-z_][A-Za-z0-9_]*$/) bad("`" $1 "` is not a name of a constant")
        if (!number($2)) bad("`" $2 "` is not a number")
        if (arm != $2 && !number(arm)) bad("`" arm "` is not a number")
        if (!fits($2) || !fits(arm)) bad("`" $2 "` does not fit struct flag")
        if ((fam, $1) in seen) bad($1 " occurs twice in family " fam)
        seen[fam, $1] = 1
        print fam, $1, $2, arm, others
    }
    END { close_family(); exit failed }
    ' "$gen/tables/flags.tbl" > "$tmp/flags"
    grep -v '^ioctl' "$tmp/flags" > "$tmp/values"
}

# Checks syscalls.tbl and commands.tbl. Writes $tmp/calls: syscalls.tbl without comments, sorted by
# name, as lines `ID NAME CLASSES X86_64 I386 X32 ARM64 ARM RISCV64 RESULT COMMANDS ARG...`, where CLASSES is
# a C expression and RESULT and COMMANDS are indices; and $tmp/kinds, $tmp/model and $tmp/commands.h.
read_calls() {
    sh "$gen/structs.sh" list > "$tmp/structs"
    : > "$tmp/kinds"
    : > "$tmp/model"
    awk -v abis="$abis" -v kind_file="$tmp/kinds" -v model_file="$tmp/model" \
        -v command_file="$tmp/commands.h" "$awk_common"'
    function bad(msg) { bad_at(FNR, msg) }
    function classes(s,    i, c, expr, had) {
        if (s == "-") return 0
        for (i = 1; i <= length(s); i++) {
            c = substr(s, i, 1)
            if (!(c in class)) bad("unknown class letter `" c "`")
            if (c in had) bad("class letter `" c "` occurs twice")
            had[c] = 1
            expr = expr (i > 1 ? "|" : "") class[c]
        }
        return expr
    }
    function add_class(    i, bits) {
        bits = $3 == "-" ? classes($2) : $3
        gsub(/\|/, " | ", bits)
        if ($3 != "-") {
            class[$2] = $3
            class_bits = class_bits sprintf("    %s = 1 << %d,\n", $3, n_classes++)
        }
        for (i = 4; i <= NF; i++) class_names = class_names sprintf(" \\\n    { %s, \"%s\" },", bits, $i)
    }
    function check_number(a, n) {
        if (n == "-") return 0
        if (n !~ /^(0|[1-9][0-9]*)$/ || n + 0 > 1023) {
            bad("`" n "` is not a number of a system call")
            return 1
        }
        if ((a, n) in owner) bad(abi[a] " number " n " is also that of " owner[a, n])
        if ((a, $1) in where) bad($1 " has two numbers in " abi[a])
        owner[a, n] = $1
        where[a, $1] = 1
        return 1
    }
    # The column MEMORY of a kind as the values of struct hy_kind: nest, count, mul, plus, max, short, early, model.
    function memory(s,    w, n, i, nest, count, mul, plus, max, flag, known) {
        nest = "NONE"
        mul = plus = max = flag["short"] = flag["early"] = flag["model"] = 0
        n = split(s, w, ",")
        if (match(w[1], /^(iov|msg|mmsg):/)) {
            nest = toupper(substr(w[1], 1, RLENGTH - 1))
            w[1] = substr(w[1], RLENGTH + 1)
        }
        known = "^(-|stop|string|pointed|command|bits|sizeof:[a-z]+|[0-9]+|(next|previous|first|result)(\\*[0-9]+)?(\\+[0-9]+)?)$"
        if (w[1] !~ known) bad("`" w[1] "`: -, stop, BYTES, string, next ...: see MEMORY above")
        count = w[1] == "-" ? "plain" : w[1] == "stop" ? "nests" : w[1]
        if (match(count, /\+/)) { plus = substr(count, RSTART + 1); count = substr(count, 1, RSTART - 1) }
        if (count ~ /^(next|previous|first|result)/) mul = 1
        if (match(count, /\*/)) { mul = substr(count, RSTART + 1); count = substr(count, 1, RSTART - 1) }
        if (count ~ /^[0-9]/) { mul = count; count = "one" }
        if (count ~ /^sizeof/) { mul = "sizeof(struct~" substr(count, 8) ")"; count = "one" }
        for (i = 2; i <= n; i++)
            if (w[i] ~ /^max=([0-9]+|part)$/) max = w[i] == "max=part" ? "CALL_PART_MAX" : substr(w[i], 5)
            else if (w[i] in flag) flag[w[i]] = 1
            else bad("`" w[i] "`: short, early, model or max=N")
        return nest "," toupper(count) "," mul "," plus "," max "," flag["short"] "," flag["early"] "," flag["model"]
    }
    # A kind as `NAME WHEN FUNCTION STRUCTURE SHOWN SIZE MEMORY` for $tmp/kinds.
    function add_kind(    f, st, n, w, how, size) {
        if (NF != 5) bad("expected: @kind NAME WHEN HOW MEMORY")
        if ($2 in kinds) bad("kind " $2 " occurs twice")
        kinds[$2] = 1
        if ($3 !~ /^(in|out|late|both)$/) bad("`" $3 "`: in, out, late or both")
        n = split($4, w, ":")
        f = w[1]
        st = "NONE"
        how = "UINT"
        size = "DEC_LONG"
        if (f ~ /^(struct|array)$/ && n == 2) {
            st = w[2]
            if (!(st in structs)) bad("structs.tbl has no `" st "`")
            else if (f == "array" && structs[st] != "array") bad("no array of `" st "`: see structs.sh list")
        } else if (f ~ /^(value|pointed|counted|gids|inout|left|filetimes)$/ && n > 1) {
            how = toupper(w[2])
            if (w[2] !~ /^(int|uint|hex|ptr|str|mode|dev|id|sig|ts|tv|fd|dirfd|none)$/) bad("`" w[2] "`: no value is shown so")
            if (n > 2) size = w[3] == "word" ? "DEC_WORD" : w[3]
            if (n > 3 || size !~ /^(DEC_LONG|DEC_WORD|2|4|8|16)$/) bad("`" $4 "`: a size of 2, 4, 8 or 16 bytes, or word")
        } else if (n > 1) bad("`" f "`: struct, array, value, pointed, counted, gids, inout, left or filetimes")
        if (f !~ /^[a-z][a-z0-9_]*$/) bad("`" f "` is not a name of a function")
        print $2, $3, f, st, how, size, memory($5) > kind_file
    }
    function add_stop(    name) {
        if (NF < 3) bad("expected: @stop NAME WHY")
        name = $2
        sub(/^@stop[ \t]+[^ \t]+[ \t]+/, "")
        reasons[++n_reasons] = name
        why[name] = $0
    }
    # The family in f:FAMILY and similar kinds, or "".
    function family_of(kind) { return kind ~ /^(f|f64|e|e64):/ ? substr(kind, index(kind, ":") + 1) : "" }
    function c_kind(kind,    f) {
        f = family_of(kind)
        if (f == "" && !(kind in kinds)) bad("unknown kind `" kind "`")
        if (f != "" && !(f in family)) bad("flags.tbl has no family `" f "`")
        if (f == "") return "K_" toupper(kind)
        return (kind ~ /^f:/ ? "K_BITS" : kind ~ /^e:/ ? "K_ENUM" : kind ~ /^f64/ ? "K_BITS64" : "K_ENUM64") "(FAM_" f ")"
    }
    function c_arg(arg,    i) {
        i = index(arg, ":")
        if (substr(arg, 1, i - 1) !~ /^[a-z_][a-z0-9_]*$/) bad("`" arg "`: an argument is NAME:KIND")
        return "A(" substr(arg, 1, i - 1) ", " c_kind(substr(arg, i + 1)) ")"
    }
    # Returns the index of the argument with this name ($9 and later of a row of syscalls.tbl); sets arg_kind to its kind.
    function arg_named(name, text,    f, n, i) {
        n = split(text, f, " ")
        for (i = 9; i <= n && f[i] != "->"; i++)
            if (index(f[i], name ":") == 1) {
                arg_kind = substr(f[i], length(name) + 2)
                return i - 9
            }
        bad("no argument `" name "`")
        return 0
    }
    # Converts ARG&CONSTANT|CONSTANT to `.WHAT_arg = 1, .WHAT = bits`; ARG!& is the opposite.
    function bits(what, s, text,    op, fam, w, n, i, out) {
        if (!match(s, /!?&/)) { bad("`" s "`: ARG&CONSTANT"); return "" }
        op = substr(s, RSTART, RLENGTH)
        out = ", ." what "_arg = " arg_named(substr(s, 1, RSTART - 1), text)
        fam = family_of(arg_kind)
        n = split(substr(s, RSTART + RLENGTH), w, "|")
        for (i = 1; i <= n; i++) {
            if (!((fam, w[i]) in value)) { bad("family `" fam "` has no `" w[i] "`"); return "" }
            if (differs[fam, w[i]]) bad(w[i] " differs between ABIs")
            out = out (i == 1 ? ", ." what " = " : " | ") value[fam, w[i]]
        }
        return out (op == "!&" ? ", ." what "_not = true" : "")
    }
    # Converts the words of $0 from word i on to the index of a row of sc_results[]; text: the row of the call.
    function result(i, text,    form, out, fam) {
        form = $i
        fam = family_of(form)
        if (form ~ /^fd:[a-z]+$/) out = "RET_FD, .opens = FK_" toupper(substr(form, 4))
        else if (form in forms) out = "RET_" toupper(form)
        else if (form == "-") out = "RET_NUMBER"
        else if (fam != "" && fam in family) out = (form ~ /^e/ ? "RET_VALUE" : "RET_BITS") ", .fam = FAM_" fam
        else bad("no result `" form "`")
        for (i++; i <= NF; i++) {
            if ($i ~ /^label=[a-z]+$/) out = out ", .label = \"" substr($i, 7) " \""
            else if ($i == "cloexec=always") out = out ", .cloexec_always = true"
            else if ($i ~ /^cloexec=/) out = out bits("cloexec", substr($i, 9), text)
            else if ($i ~ /^if=/) out = out bits("only", substr($i, 4), text)
            else bad("`" $i "`: label=, cloexec= or if=")
        }
        out = "    { .form = " out " },"
        if (!(out in result_index)) {
            result_index[out] = ++n_results
            result_row[n_results] = out
        }
        return result_index[out]
    }
    # The descriptor that file= or socket= names, as a number for kvis.c.
    function described(s) {
        return s == "" ? 0 : s == "result" ? "FILE_OF_RESULT" : s == "cwd" ? "FILE_OF_CWD" : 1 + arg_named(s, $0)
    }
    # Removes stops=, file= and socket= from the end of a row. Sets stops, and keeps the others for write_recorded.
    function take_recorded(    value, key, i) {
        value["stops"] = value["file"] = value["socket"] = ""
        while (match($0, /[ \t](stops|file|socket)=[a-z_0-9]+[ \t]*$/)) {
            i = index(substr($0, RSTART), "=")
            key = substr($0, RSTART + 1, i - 2)
            value[key] = substr($0, RSTART + i)
            sub(/[ \t]+$/, "", value[key])
            $0 = substr($0, 1, RSTART - 1)
        }
        if (value["stops"] != "" && !(value["stops"] in why)) bad("no @stop `" value["stops"] "`")
        if (value["stops"] != "" && ($1 in rows_of)) bad($1 ": stops= belongs in its first row")
        stops = value["stops"]
        stop_used[stops] = 1
        if (value["file"] value["socket"] != "")
            described_files = described_files sprintf(" \\\n    X(%s, %s, %s)", $1, described(value["file"]), described(value["socket"]))
    }
    function write_recorded(    i) {
        for (i = 1; i <= n_reasons; i++)
            if (!(reasons[i] in stop_used)) bad("no call stops for `" reasons[i] "`")
        printf "/* X(call, file that its record describes, socket that its record describes). */\n" > command_file
        printf "#define SC_FILES(X)%s\n\n", described_files > command_file
    }
    # Removes model= and enter= from the end of a row, and writes `NAME NEED FUNCTION FUNCTION KIND OK` to $tmp/model.
    function take_model(    n, w, value, enter, ok) {
        enter = "NULL"
        while (match($0, /[ \t](model|enter)=[^ \t]+[ \t]*$/)) {
            value = substr($0, RSTART + 7)
            if (value !~ /^[a-z_]+(:[a-z_]+\??(:[A-Z]+)?)?[ \t]*$/) bad("`" value "`: model=NEED[:FUNCTION[?][:KIND]] or enter=FUNCTION")
            sub(/[ \t]+$/, "", value)
            if (substr($0, RSTART + 1, 5) == "enter") enter = "md_" value
            else n = split(value, w, ":")
            $0 = substr($0, 1, RSTART - 1)
        }
        if (n && w[1] !~ /^(no|event|memory|fds|always)$/) bad("model=" w[1] ": no, event, memory, fds or always")
        if (n && ($1 in rows_of)) bad($1 ": model= belongs in its first row")
        if (!n && enter != "NULL") bad("enter= without model=")
        ok = n > 1 && sub(/\?$/, "", w[2])
        value = (n > 1 ? "md_" w[2] : "NULL") " " (n > 2 ? "EK_" w[3] : 0) " " ok
        if (n) print $1, toupper(w[1]), enter, value > model_file
    }
    function add_call(    i, n, args, res, cls) {
        take_recorded()
        take_model()
        if ($1 !~ /^[a-z_][a-z0-9_]*$/) { bad("`" $1 "` is not a name of a system call"); return }
        if (NF < 8) { bad("expected: NAME CLASS X86_64 I386 X32 ARM64 ARM RISCV64 [ARG:KIND]... [-> RESULT] [model=...] [stops=...]"); return }
        for (i = 1; i <= 6; i++) n += check_number(i, $(i + 2))
        if (!n) bad($1 " has no number in any ABI")
        for (i = 9; i <= NF && $i != "->"; i++) args = args " " c_arg($i)
        if (i > 15) bad("more than 6 arguments")
        if (i == NF) bad("-> and no result")
        res = i < NF ? result(i + 1, $0) : 0
        text_of[$1] = $0
        rows_of[$1] = rows_of[$1] " " ++n_calls
        of_call[n_calls] = $1
        gsub(/, /, ",", args)
        cls = classes($2)
        if (stops != "") cls = (cls == "0" ? "" : cls "|") "CLS_STOPS"
        head[n_calls] = NR " " $1 " " cls " " $3 " " $4 " " $5 " " $6 " " $7 " " $8 " " res
        tail[n_calls] = args
        whole[n_calls] = $0
    }
    function begin_commands(    i, k, n, w, by, mask) {
        mask = "0xffffffff"
        fam = names = ""
        n_sets++
        sets[n_sets] = ""
        set_size[n_sets] = 0
        for (i = 2; i <= NF && $i != "by"; i++) names = names " " $i
        by = $(i + 1)
        if (i >= NF || names == "") { bad("expected: call NAME... by ARG[&MASK] [family=FAMILY]"); return }
        if ($(i + 2) ~ /^family=/) fam = substr($(i + 2), 8)
        if (match(by, /&/)) {
            mask = substr(by, RSTART + 1)
            by = substr(by, 1, RSTART - 1)
            if (mask !~ /^0x[0-9a-f]+$/) bad("`" mask "` is not a mask")
        }
        n = split(names, w, " ")
        for (i = 1; i <= n; i++) {
            if (!(w[i] in rows_of)) { bad("syscalls.tbl has no call `" w[i] "`"); continue }
            if (w[i] in set_of) bad(w[i] " has commands already")
            set_of[w[i]] = n_sets
            call = text_of[w[i]]
            by_index = arg_named(by, call)
            for (k in whole) if (of_call[k] == w[i] && arg_named(by, whole[k]) != by_index) bad(by ": at another place in " w[i])
            if (fam == "") fam = family_of(arg_kind)
        }
        set_head[n_sets] = ".by = " by_index ", .mask = " mask
    }
    # The value of a constant of a family, or a number.
    function number_of(s, fam) {
        if ((fam, s) in value) {
            if (differs[fam, s]) bad(s " differs between ABIs")
            return value[fam, s]
        }
        if (s !~ /^([0-9]+|0x[0-9a-f]+)$/) bad(fam == "" ? "no family for `" s "`: family=FAMILY" : "family `" fam "` has no `" s "`")
        return s
    }
    function add_command(    i, v, k, out, n) {
        v = number_of($1, fam)
        if ((n_sets, v) in had) bad($1 " occurs twice")
        had[n_sets, v] = 1
        split(call, k, " ")
        for (i = 2; i <= NF && $i != "->"; i++) {
            if (!((by_index + 9 + i - 1) in k) || k[by_index + 9 + i - 1] == "->") bad("more arguments than the call has")
            out = out (i > 2 ? ", " : "") ($i == "=" ? "K_SAME" : c_kind($i))
        }
        if (i > 6) bad("more than 4 arguments")
        if (i == NF) bad("-> and no result")
        n = by_index + i - 1
        sets[n_sets] = sets[n_sets] sprintf("    { %s, %d, %d, { %s } }, /* %s */\n", v, n, i < NF ? result(i + 1, call) : 0,
            out == "" ? 0 : out, $1)
        set_size[n_sets]++
    }
    function add_level() {
        if (NF != 3) bad("expected: sockopt LEVEL FAMILY")
        level = number_of($2, "sol")
        fam = $3
        if (!(fam in family)) bad("flags.tbl has no family `" fam "`")
        levels = levels sprintf("    { %s, FAM_%s },\n", level, fam)
    }
    function add_option(    f) {
        f = family_of($2)
        if (NF != 2) bad("expected: OPTION HOW")
        if ($2 ~ /^struct:/ && (substr($2, 8) in structs)) f = "OPT_STRUCT, ST_" substr($2, 8)
        else if ($2 ~ /^e:/ && (f in family)) f = "OPT_VALUE, FAM_" f
        else if ($2 ~ /^(text|error)$/) f = "OPT_" toupper($2) ", 0"
        else bad("`" $2 "`: struct:NAME, e:FAMILY, text or error")
        options = options sprintf("    { %s, %s, %s }, /* %s */\n", level, number_of($1, fam), f, $1)
    }
    function write_commands(    i) {
        class_bits = class_bits sprintf("    CLS_STOPS = 1 << %d, /* stops=: the call stops its thread */\n", n_classes)
        printf "/* Classes of calls, and their bits and names. */\nenum {\n%s};\n", class_bits > command_file
        printf "#define SC_CLASSES%s\n\n", class_names > command_file
        printf "enum {\n    RET_NUMBER,\n" > command_file
        for (i = 1; i <= n_forms; i++) printf "    RET_%s,\n", toupper(form_names[i]) > command_file
        print "    RET_BITS,\n    RET_VALUE\n};\n" > command_file
        print "static const struct sc_result sc_results[] = {\n    { .form = RET_NUMBER }," > command_file
        for (i = 1; i <= n_results; i++) print result_row[i] > command_file
        print "};\n" > command_file
        for (i = 1; i <= n_sets; i++)
            printf "static const struct sc_command sc_command_rows_%d[] = {\n%s};\n\n", i, sets[i] > command_file
        print "static const struct sc_commands sc_commands[] = {\n    { .n = 0 }," > command_file
        for (i = 1; i <= n_sets; i++)
            printf "    { sc_command_rows_%d, %d, %s },\n", i, set_size[i], set_head[i] > command_file
        printf "};\n\nstatic const struct sc_level sc_levels[] = {\n%s};\n\n", levels > command_file
        printf "static const struct sc_option sc_options[] = {\n%s};\n\n", options > command_file
    }
    BEGIN {
        split(abis, abi, " ")
        n_forms = split("fd addr octal sig pid child poll select", form_names, " ")
        for (i = 1; i <= n_forms; i++) forms[form_names[i]] = 1
    }
    FILENAME == ARGV[1] {
        family[$1] = 1
        value[$1, $2] = $3
        differs[$1, $2] = $3 != $4
        next
    }
    FILENAME == ARGV[2] { structs[$1] = $2; next }
    { sub(/#.*/, "") }
    NF == 0 { next }
    FILENAME == ARGV[3] && $1 == "@class" { add_class(); next }
    FILENAME == ARGV[3] && $1 == "@kind" { add_kind(); next }
    FILENAME == ARGV[3] && $1 == "@stop" { add_stop(); next }
    FILENAME == ARGV[3] { add_call(); next }
    /^call[ \t]/ { options_follow = 0; begin_commands(); next }
    /^sockopt[ \t]/ { options_follow = 1; add_level(); next }
    !/^[ \t]/ || !n_sets { bad("expected `call`, `sockopt` or an indented row"); next }
    options_follow { add_option(); next }
    { add_command() }
    END {
        for (i = 1; i <= n_calls; i++) print head[i], set_of[of_call[i]] + 0 tail[i]
        write_commands()
        write_recorded()
        exit failed
    }
    ' "$tmp/flags" "$tmp/structs" "$gen/tables/syscalls.tbl" "$gen/tables/commands.tbl" > "$tmp/unsorted"
    sort -k 2,2 -k 1,1n "$tmp/unsorted" | awk -v abis="$abis" '
    BEGIN { split(abis, abi, " ") }
    {
        for (i = 4; $i == "-"; i++) ;
        $1 = "SC_" $2 ($2 == last ? "_" abi[i - 3] : "")
        last = $2
        print
    }' > "$tmp/calls"
}

# Prints words for the list macro of a pool of names, as lines `    X(word) X(word) \`.
write_list() {
    awk '
    function flush() { if (line != "") printf "%s \\\n", line; line = "   " }
    BEGIN { line = "   " }
    {
        word = " X(" $1 ")"
        if (length(line word) > 97) flush()
        line = line word
    }
    END { print line }'
}

# The rows of sc_rows[].
write_rows() {
    awk '
    function add(s) {
        if (length(line) + length(s) > 99) {
            print line
            line = "       "
        }
        line = line " " s
    }
    {
        gsub(/\|/, " | ", $3)
        line = sprintf("    [%s] = SC(%s, %s, %d, %d, %d,", $1, $2, $3, $10, $11, NF - 11)
        if (NF == 11) { print line " 0),"; next }
        for (i = 12; i <= NF; i++) {
            sub(/,/, ", ", $i)
            add($i (i == NF ? ")," : ","))
        }
        print line
    }' "$tmp/calls"
}

# The kinds of arguments: K_name, and the row of kinds[] of each;
# and X(K_name, only after success, MEMORY).
write_kinds() {
    echo 'enum dec_kinds {'
    awk '{ print "    K_" toupper($1) "," }' "$tmp/kinds"
    printf '    N_KINDS\n};\n#define DEC_KINDS'
    awk '{ printf " \\\n    [K_%s] = { dec_k_%s, DEC_%s, ST_%s, DV_%s, %s },", toupper($1), $3, toupper($2), $4, $5, $6 }' "$tmp/kinds"
    printf '\n\n#define DEC_MEMORY(X)'
    awk '{
        gsub(/,/, ", ", $7)
        sub(/~/, " ", $7)
        printf " \\\n    X(%s, %d, %s)", toupper($1), $2 ~ /^(out|late)$/, $7
    }' "$tmp/kinds"
    printf '\n\n'
}

# The model functions of calls.
write_model() {
    printf '/* X(call, MD_need, function at its entry, function at its end, EK_kind or 0, only for successful calls). */\n#define MD_CALLS(X)'
    awk '{ printf " \\\n    X(%s, %s, %s, %s, %s, %s)", $1, $2, $3, $4, $5, $6 }' "$tmp/model"
    printf '\n\n'
}

# One ABI: number -> row. $1 its name, $2 its column in the sorted table.
write_numbers() {
    echo
    echo "static const unsigned short sc_nr_$1[] = {"
    awk -v col="$2" '$col != "-" { print $col, $1 }' "$tmp/calls" | sort -n |
        awk '{ printf "    [%d] = %s + 1,\n", $1, $2 }'
    echo '};'
}

write_syscalls() {
    cat <<'EOF'
/*
 * Generated by gen/tables.sh from gen/tables/syscalls.tbl and commands.tbl. Do not edit: change a
 * table and run it.
 *
 * sc_rows[]: every system call by name, with its classes and arguments. SC_name is the index of
 * its row; where ABIs differ in arguments the further rows are SC_name_abi. sc_numbers[abi].row[number]
 * is that index + 1, and 0 where the ABI has no such call (x32: number without bit 30).
 * SC(name, classes, row of sc_results[], row of sc_commands[], number of arguments, arguments);
 * A(name, kind): nothing prints that name.
 * DEC_KINDS: function, when, structure, how shown, size of each kind of argument.
 * DEC_MEMORY: X(kind, written by the call, nest, count, mul, plus, max, short, early, model): struct hy_kind of kvis.c.
 */

EOF
    write_kinds
    echo 'enum {'
    awk '{ print "    " $1 "," }' "$tmp/calls"
    cat <<'EOF'
};

EOF
    cat "$tmp/commands.h"
    write_model
    cat <<'EOF'
#define SC(name, cls, result, commands, n, ...) {#name, n, cls, {__VA_ARGS__}, result, commands}
#define A(name, kind) kind
static const struct sc_row sc_rows[] = {
EOF
    write_rows
    printf '};\n#undef SC\n#undef A\n'
    col=4
    for abi in $abis; do
        write_numbers "$abi" $col
        col=$((col + 1))
    done
    printf '\nstatic const struct { const unsigned short *row; unsigned n; } sc_numbers[N_ABI] = {\n'
    for abi in $abis; do
        printf '    [ABI_%s] = { sc_nr_%s, sizeof sc_nr_%s / sizeof *sc_nr_%s },\n' \
            "$(echo "$abi" | sed 's/^arm$/arm32/' | tr '[:lower:]' '[:upper:]')" "$abi" "$abi" "$abi"
    done
    echo '};'
}

# Prints the rows of flags.tbl as `FAMILY PREFIX REST VALUE ARM64VALUE`, with - for no PREFIX. A prefix ends
# in _ and is shared by at least six names; the longest one is used.
split_names() {
    awk '
    function prefix(name, least,    i, p) {
        for (i = 2; i < length(name); i++)
            if (substr(name, i, 1) == "_" && (!least || uses[substr(name, 1, i)] >= least))
                least ? p = substr(name, 1, i) : uses[substr(name, 1, i)]++
        return p
    }
    { name[NR] = $2; rest[NR] = $3 " " $4; fam[NR] = $1 }
    !($2 in seen) { seen[$2] = 1; prefix($2) }
    END {
        for (k = 1; k <= NR; k++) {
            p = prefix(name[k], 6)
            print fam[k], p == "" ? "-" : p, substr(name[k], length(p) + 1), rest[k]
        }
    }' "$tmp/values" > "$tmp/split"
}

# The strings of flags: prefixes and the rest of the names, each once.
write_flag_names() {
    printf '#define FL_PREFIXES(X) \\\n'
    awk '$2 != "-" { print $2 }' "$tmp/split" | sort -u | write_list
    printf '#define FL_NAMES(X) \\\n'
    awk '{ print $3 }' "$tmp/split" | sort -u | write_list
    cat <<'EOF'
static const struct fl_names {
    char none[1];
#define X(prefix) char p_##prefix[sizeof #prefix];
    FL_PREFIXES(X)
#undef X
#define X(name) char n_##name[sizeof #name];
    FL_NAMES(X)
#undef X
#define X(name) #name,
} fl_names = { "", FL_PREFIXES(X) FL_NAMES(X) };
#undef X
_Static_assert(sizeof fl_names <= 0x10000, "flag.name is too narrow");

enum {
    FLP_, /* no prefix */
#define X(prefix) FLP_##prefix,
    FL_PREFIXES(X)
#undef X
    N_FLP
};
_Static_assert(N_FLP <= 0x100, "flag.prefix is too narrow");

static const unsigned short fl_prefixes[N_FLP] = {
#define X(prefix) [FLP_##prefix] = offsetof(struct fl_names, p_##prefix),
    FL_PREFIXES(X)
#undef X
};
EOF
}

# The bits of a flag word that are not flags: see flags.tbl.
write_parts() {
    printf '/* family of a word, how its part is shown, mask, argument */\n#define FL_PARTS'
    awk '{ printf " \\\n    %s", $0 }' "$tmp/parts"
    printf '\n\n/* by signal: family of its si_code, what follows in siginfo_t */\n#define FL_SIGNALS'
    awk '{ printf " \\\n    %s", $0 }' "$tmp/signals"
    printf '\n\n'
}

# FAM_name is the index of a family, FL_name that of its first row.
write_families() {
    printf '/* X(family, how many rows) */\n#define FL_FAMILIES(X) \\\n'
    cut -d ' ' -f 1 "$tmp/values" | uniq -c |
        awk 'NR > 1 { print last " \\" } { last = "    X(" $2 ", " $1 ")" } END { print last }'
    cat <<'EOF'
enum {
#define X(family, n) FAM_##family,
    FL_FAMILIES(X)
#undef X
};
enum {
#define X(family, n) FL_##family, FL_##family##_last = FL_##family + n - 1,
    FL_FAMILIES(X)
#undef X
};
static const struct family families[] = {
#define X(family, n) [FAM_##family] = {FL_##family, n},
    FL_FAMILIES(X)
#undef X
};

EOF
}

# All rows, family by family.
write_flag_rows() {
    cat <<'EOF'

/* F(value, prefix of the name, its rest) */
#define FL_ROWS(F) \
EOF
    awk '
    function ull(v) { return v ~ /^-/ ? v "LL" : v }
    $1 != fam { if (line != "") print line " \\"; line = ""; fam = $1; printf "    /* %s */ \\\n", fam }
    {
        v = $4 == $5 ? ull($4) : "FL_ARCH(" ull($4) ", " ull($5) ")"
        if (line != "") print line " \\"
        line = sprintf("    F(%s, %s, %s)", v, $2 == "-" ? "" : $2, $3)
    }
    END { print line }' "$tmp/split" | sed 's/, ,/,,/'
    cat <<'EOF'
#define F(v, prefix, name) { (unsigned)(v), offsetof(struct fl_names, n_##name), FLP_##prefix, (signed char)((unsigned long long)(v) >> 32) },
static const struct flag fl_rows[] = { FL_ROWS(F) };
#undef F
EOF
}

# Frequent parts of the names of ioctl(2) commands. In fl_ioctls[], a byte of 128 or more is such a part. The first one found in
# a name is replaced first, so the order matters. Any list is correct; a good one saves 10 KB.
ioctl_words='ET_ RE INFO _IOCTL ER AT _S IO EN E_ ET IN ST DE MA IT CO LOC LE PARAM AD CT OR AN RO TIMEOUT UN _CMD AR US AL BUF
    D_ CH ES T_ FLAGS IS NFIG MO ID TR AS AP M_ EX UT YNC ME AB QUE IC IRQ LO S_ Y_ P_ EV IZE AC TI NE DR _P'

# The commands of ioctl(2), in groups by their second byte (the driver). Rows are sorted by name, because a name begins with a
# part of the name before it; in reverse, because that puts the better known of two names first (TCSETS, FS_IOC_...).
write_ioctls() {
    cat <<'EOF'

/* Commands of ioctl(2), packed. fl_ioctls[] has groups of commands with the same second byte. A group is that byte, the size
 * of its rows in two bytes, and the rows. A row is:
 * 1 byte   how many bytes the name shares with the previous name
 * 1 byte   lowest byte of the command
 * 2 bytes  upper half of the command; IOCTL_SIZE of kvis.c in it means any size
 * text     rest of the name, up to the next byte below '0'; a byte of 128 or more stands for a word; '~' ends the name of a
 *          macro that takes the size */
EOF
    awk '$1 ~ /^ioctl/ {
        n = split($3 ($5 == "" ? "" : "," $5), v, ",")
        for (i = 1; i <= n; i++) {
            x = substr(v[i], 3)
            while (length(x) < 8) x = "0" x
            if ($1 != "ioctl") x = (x ~ /^[89a-b]/ ? "b" : x ~ /^[c-f]/ ? "f" : x ~ /^[4-7]/ ? "7" : "3") "fff" substr(x, 5)
            print substr(x, 5, 2), $2 ($1 == "ioctlof" ? "~" : ""), substr(x, 7), substr(x, 1, 4)
        }
    }' "$tmp/flags" | LC_ALL=C sort -k1,1 -k2,2r -k3 | awk -v words="$ioctl_words" '
    function packed(s,    i, at) {
        for (i = 1; i <= n_words; i++)
            while ((at = index(s, word[i])) != 0)
                s = substr(s, 1, at - 1) sprintf("\\%o", 127 + i) substr(s, at + length(word[i]))
        return s
    }
    function flush() {
        if (type == "") return
        printf "    \"\\x%s\\x%02x\\x%02x\"\n%s", type, size % 256, int(size / 256), rows
        total += size + 3
    }
    BEGIN {
        n_words = split(words, word)
        print "static const char fl_ioctl_words[][9] = {"
        for (i = 1; i <= n_words; i++) printf "    \"%s\",\n", word[i]
        print "};\nstatic const unsigned char fl_ioctls[] ="
    }
    $1 "" != type { flush(); type = $1 ""; rows = last = ""; size = 0 }
    {
        for (same = 0; same < 47 && same < length($2) && substr($2, same + 1, 1) == substr(last, same + 1, 1); same++) ;
        rest = packed(substr($2, same + 1))
        last = $2
        rows = rows sprintf("    \"\\x%02x\\x%s\\x%s\\x%s\" \"%s\" /* %s */\n", same, $3, substr($4, 3), substr($4, 1, 2), rest, $2)
        gsub(/\\[0-7][0-7][0-7]/, "x", rest)
        size += 4 + length(rest)
        if (length($2) > longest) longest = length($2)
    }
    END {
        flush()
        printf ";\nenum { FL_IOCTL_NAME = %d }; /* length of the longest name */\n", longest
    }'
}

write_flags() {
    cat <<'EOF'
/*
 * Generated by gen/tables.sh from gen/tables/flags.tbl. Do not edit: change the table and run it.
 * With KVIS_CHECK_FLAGS no tables but assertions of the values (tests/lib/flags_check.sh).
 */

#if defined(__aarch64__) || defined(__arm__)
#define FL_ARCH(x86, arm64) arm64
#else
#define FL_ARCH(x86, arm64) x86
#endif

#ifndef KVIS_CHECK_FLAGS
EOF
    write_families
    write_parts
    split_names
    write_flag_names
    write_flag_rows
    write_ioctls
    printf '\n#else /* KVIS_CHECK_FLAGS */\n'
    awk '{
        v = $3 == $4 ? $3 : "FL_ARCH(" $3 ", " $4 ")"
        test = "_Static_assert(" $2 " == " v ","
        text = "\"" $2 "\");"
        sep = length(test text) < 100 ? " " : "\n    "
        printf "#ifdef %s\n%s%s%s\n#endif\n", $2, test, sep, text
    }' "$tmp/values"
    echo '#endif'
}

# Prints `ABI NAME NUMBER` from a header with plain #defines; x32 numbers include __X32_SYSCALL_BIT, arm numbers
# __NR_SYSCALL_BASE, which is 0 in EABI.
plain_header() {
    awk -v abi="$1" '
    $1 != "#define" || $2 !~ /^__NR_[a-z_]/ || $2 == "__NR_syscalls" { next }
    {
        name = $2
        sub(/^__NR_/, "", name)
        sub(/^#define[ \t]+[^ \t]+[ \t]+/, "")
        sub(/(__X32_SYSCALL_BIT|__NR_SYSCALL_BASE)[ \t]*\+/, "")
        gsub(/[() \t]/, "")
        if ($0 ~ /^[0-9]+$/) print abi, name, $0
    }' "$2"
}

# generic_header ABI HEADER [WITHOUT]: the same from asm-generic/unistd.h, the common header of newer architectures, with #ifs.
# 64-bit architectures define all __ARCH_WANT_ macros except SYNC_FILE_RANGE2 (arch/arm64/include/uapi/asm/unistd.h) and
# WITHOUT. __NR3264_x is a number that two names share.
generic_header() {
    awk -v abi="$1" -v without="${3-SYNC_FILE_RANGE2}" '
    function truth(line) {
        if (line ~ "^#ifdef __ARCH_WANT_(SYNC_FILE_RANGE2|" without ")") return 0
        if (line ~ /__BITS_PER_LONG == 32/ && line !~ /__ARCH_WANT_TIME32/) return 0
        return 1
    }
    /^#[ \t]*if/ { depth++; on[depth] = truth($0) && (depth == 1 || on[depth - 1]); next }
    /^#[ \t]*else/ { on[depth] = !on[depth] && (depth == 1 || on[depth - 1]); next }
    /^#[ \t]*endif/ { depth--; next }
    $1 != "#define" || (depth && !on[depth]) { next }
    $2 ~ /^__NR3264_/ { shared[$2] = $3; next }
    $2 !~ /^__NR_[a-z_]/ || $2 ~ /^__NR_(syscalls|arch_specific_syscall)$/ { next }
    {
        v = ($3 in shared) ? shared[$3] : $3
        if (v ~ /^[0-9]+$/) print abi, substr($2, 6), v
    }' "$2"
}

x86_headers() {
    for d in "$1"/asm "$1"/x86_64-*/asm "$1"/i?86-*/asm; do
        [ -f "$d/unistd_x32.h" ] || continue
        plain_header x86_64 "$d/unistd_64.h"
        plain_header i386 "$d/unistd_32.h"
        plain_header x32 "$d/unistd_x32.h"
        return
    done
}

# A directory with unistd_32.h belongs to another architecture.
arm64_headers() {
    for d in "$1"/aarch64-*/asm "$1"/asm; do
        if [ -f "$d/unistd_64.h" ] && [ ! -f "$d/unistd_32.h" ] && [ ! -f "$d/hwprobe.h" ]; then
            plain_header arm64 "$d/unistd_64.h"
            return
        fi
    done
    [ ! -f "$1/asm-generic/unistd.h" ] || generic_header arm64 "$1/asm-generic/unistd.h"
}

# Newer headers have the numbers in unistd_64.h; arch/riscv/include/uapi/asm/unistd.h.
riscv64_headers() {
    for d in "$1"/riscv64-*/asm "$1"/asm; do
        if [ -f "$d/unistd_64.h" ] && [ -f "$d/hwprobe.h" ]; then
            plain_header riscv64 "$d/unistd_64.h"
            return
        fi
    done
    [ ! -f "$1/asm-generic/unistd.h" ] || generic_header riscv64 "$1/asm-generic/unistd.h" RENAMEAT
}

# Arm-specific calls begin at 0x0f0000 (__ARM_NR_BASE, asm/unistd.h): see syscalls.tbl.
arm_headers() {
    for d in "$1"/asm "$1"/arm-*/asm; do
        [ -f "$d/unistd-eabi.h" ] || continue
        plain_header arm "$d/unistd-eabi.h"
        awk '$2 ~ /^__ARM_NR_[a-z]/ && match($0, /\+[0-9]+\)/) {
            print "arm", substr($2, 10), 1000 + substr($0, RSTART + 1, RLENGTH - 2)
        }' "$d/unistd.h"
        return
    done
}

# Writes all numbers below the directory $1 to $tmp/headers.
read_headers() {
    [ -d "$1" ] || die "$1: no such directory"
    { x86_headers "$1"; arm64_headers "$1"; arm_headers "$1"; riscv64_headers "$1"; } > "$tmp/headers"
    [ -s "$tmp/headers" ] || die "$1: no asm/unistd*.h and no asm-generic/unistd.h"
    for abi in $abis; do
        grep -q "^$abi " "$tmp/headers" || echo "$abi: not checked, no headers of it in $1" >&2
    done
}

check() {
    awk -v abis="$abis" '
    BEGIN { n = split(abis, abi, " ") }
    FILENAME == ARGV[1] {
        for (i = 1; i <= n; i++) if ($(i + 3) != "-") have[abi[i], $2] = $(i + 3)
        next
    }
    ($1, $2) in have && have[$1, $2] == $3 { same[$1]++; next }
    { printf "%s: %s is %d in the headers, %s in syscalls.tbl\n", $1, $2, $3,
      ($1, $2) in have ? have[$1, $2] : "missing"; failed = 1 }
    END {
        for (i = 1; i <= n; i++) if (abi[i] in same) print abi[i] ": " same[abi[i]] " calls agree"
        exit failed
    }' "$tmp/calls" "$tmp/headers"
}

# Rewrites only rows whose numbers change. A new number for a call with several rows goes into the first
# row, and is reported: a person must decide which row fits.
update() {
    awk -v abis="$abis" '
    function note(msg) { print msg | "cat >&2" }
    function row(call, cls, n1, n2, n3, n4, n5, n6, rest,    text) {
        text = sprintf("%-28s %-5s %6s %5s %5s %5s %5s %5s  %s", call, cls, n1, n2, n3, n4, n5, n6, rest)
        sub(/ +$/, "", text)
        return text
    }
    BEGIN {
        n = split(abis, abi, " ")
        unknown = "arg1:hex arg2:hex arg3:hex arg4:hex arg5:hex arg6:hex"
    }
    FILENAME == ARGV[1] {
        num[$1, $2] = $3
        if (!($2 in known)) order[++calls] = $2
        known[$2] = 1
        next
    }
    { line[++lines] = $0 }
    /^[a-z_]/ {
        rows[$1]++
        for (i = 1; i <= n; i++) if ($(i + 2) != "-") placed[abi[i], $1] = lines
        if (!($1 in first)) first[$1] = lines
    }
    END {
        for (k = 1; k <= lines; k++) print (line[k] ~ /^[a-z_]/ ? renumber(line[k], k) : line[k])
        for (c = 1; c <= calls; c++) if (!(order[c] in first)) print added(order[c])
    }
    function renumber(text, k,    f, i, v, changed, rest) {
        split(text, f, " ")
        for (i = 1; i <= n; i++) {
            if (!((abi[i], f[1]) in num)) continue
            v = num[abi[i], f[1]]
            if (f[i + 2] == v) continue
            if ((abi[i], f[1]) in placed ? placed[abi[i], f[1]] != k : first[f[1]] != k) continue
            if (rows[f[1]] > 1) note(f[1] ": has several rows, check where " abi[i] " " v " went")
            f[i + 2] = v
            changed = 1
        }
        if (!changed) return text
        rest = text
        for (i = 1; i <= 8; i++) sub(/^[^ \t]+[ \t]*/, "", rest)
        return row(f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], rest)
    }
    function at(a, call) { return (a, call) in num ? num[a, call] : "-" }
    function added(call) {
        note(call ": new, its arguments and class are to be filled in")
        return row(call, "-", at(abi[1], call), at(abi[2], call), at(abi[3], call),
                   at(abi[4], call), at(abi[5], call), at(abi[6], call), unknown "  # new: arguments unknown")
    }
    ' "$tmp/headers" "$gen/tables/syscalls.tbl" > "$tmp/syscalls.tbl"
    cat "$tmp/syscalls.tbl" > "$gen/tables/syscalls.tbl"
}

generate() {
    write_syscalls > "$tmp/syscalls.h"
    write_flags > "$tmp/flags.h"
    cat "$tmp/syscalls.h" > "$gen/out/syscalls.h"
    cat "$tmp/flags.h" > "$gen/out/flags.h"
}

case $#:${1-} in
0: | 2:check | 2:update) ;;
*) die 'usage: tables.sh | tables.sh check HEADERDIR | tables.sh update HEADERDIR' ;;
esac

read_flags
read_calls
if [ $# = 2 ]; then
    read_headers "$2"
    "$1"
    [ "$1" = check ] || read_calls
else
    generate
fi
