#!/bin/sh
# Makes out/structs.h, the layouts and formats of the structures of system calls, from structs.tbl.
#
#   gen/structs.sh           tables/structs.tbl -> out/structs.h
#   gen/structs.sh check     only checks the table
#   gen/structs.sh list      the names of the structures, for tables.sh and the tests; followed by `array`
#                            if an array can consist of them: at most 64 bytes in every ABI
#   gen/structs.sh assert    CLAIM_ABI(type, member, offset, size) lines, for the case generators
# Exit status: 0 done, 1 the table is wrong, 2 usage.

. "$(dirname -- "$0")/lib.sh"
begin "check list assert" "$@"

awk -v mode="${1-}" "$awk_common"'
function bad(msg) { bad_at(FNR, msg) }
function number(s) { return s ~ /^(0|[1-9][0-9]*|0x[0-9a-f]+)$/ }
function abi_mask(s,    w, n, i, mask) {
    n = split(s, w, ",")
    for (i = 1; i <= n; i++) {
        if (!(w[i] in abi)) bad("no ABI `" w[i] "`")
        if ((name, w[i]) in has) bad("two layouts of " name " in " w[i])
        has[name, w[i]] = 1
        mask = mask (i > 1 ? " | " : "") "1 << " abi[w[i]]
    }
    return mask
}
function begin_struct(    i, k, v) {
    name = $2
    rows = 0
    end = 0
    split("", place)
    split("", seen)
    split("", used)
    col["size"] = col["default"] = ""
    col["abi"] = col["family"] = col["least"] = ""
    col["is"] = "struct:" name
    if (name !~ /^[a-z][a-z0-9_]*$/) bad("expected: struct NAME COLUMN=VALUE...")
    for (i = 3; i <= NF; i++) {
        k = $i
        sub(/=.*/, "", k)
        v = substr($i, length(k) + 2)
        if (!(k in col)) bad("no column `" k "`")
        if (v == "") bad(k ": empty")
        col[k] = v
    }
    abis = abi_mask(col["abi"] == "" ? "x86_64,i386,x32,arm64,arm,riscv64" : col["abi"])
    if (col["abi"] == "") abis = "DEC_ANY_ABI"
    if (col["size"] !~ /^([1-9][0-9]*|next|union|\.[a-z_]+)$/) bad("size=N, size=next, size=.MEMBER or size=union")
    if (col["is"] !~ /^(struct|union):[a-z_0-9]+(\.[a-z_]+)?$/) bad("is=struct:NAME or is=union:NAME")
    if (col["default"] != "" && col["size"] !~ /^\./) bad("a default without a size=.MEMBER")
    if (col["family"] != "" && (col["family"] !~ /^AF_[A-Z0-9]+$/ || col["size"] !~ /^[0-9]+$/)) bad("family=AF_NAME, with size=N")
    if (col["least"] != "" && (col["family"] == "" || col["least"] !~ /^[0-9]+$/)) bad("least=N, with family=AF_NAME")
    if (col["family"] != "")
        addresses = addresses sprintf("    [%s] = { ST_%s, %d },\n", col["family"], name, col["least"] == "" ? col["size"] : col["least"])
    row[++n_layouts] = ""
    of[n_layouts] = name
    if (!(name in first)) order[++n_structs] = name
    first[name] = first[name] " " n_layouts
}
function condition(s,    op, m, v) { # MEMBER=N and similar
    if (!match(s, /(!=|!&|=|>|&)/)) { bad("`" s "`: nonzero, verbose, answer or MEMBER=N"); return }
    m = substr(s, 1, RSTART - 1)
    op = substr(s, RSTART, RLENGTH)
    v = substr(s, RSTART + RLENGTH)
    if (!number(v)) bad("`" v "` is not a number")
    of_member[++n_conds] = m # the member may be defined later
    cond[n_conds] = "DEC_" oper[op] ", " v " }, /* " name ": " s " */"
    return n_conds
}
function end_conditions(    at_size) {
    for (; done < n_conds; done++) {
        if (!(of_member[done + 1] in place)) bad(name ": no member `" of_member[done + 1] "`")
        split(place[of_member[done + 1]], at_size, " ")
        cond[done + 1] = sprintf("    { %d, %d, %s", at_size[1], at_size[2], cond[done + 1])
    }
}
function add_member(    i, at, size, how, fam, only, c) {
    at = $2 + 0
    size = $3 + 0
    how = $4
    fam = 0
    only = ""
    c = 0
    if (NF < 4) { bad("expected: MEMBER OFFSET SIZE SHOWN [ONLY...]"); return }
    if ($1 !~ /^[a-z_][a-z0-9_]*(\[[0-9]\])?$/) bad("`" $1 "` is not a name of a member")
    if (!number($2) || !number($3) || !size) { bad("offset and size are numbers"); return }
    if (how ~ /^[ef]:/) {
        if (!(substr(how, 3) in family)) bad("flags.tbl has no family `" substr(how, 3) "`")
        fam = "FAM_" substr(how, 3)
        how = how ~ /^e/ ? "value" : "flags"
    }
    if (how ~ /^bits:[0-9]+:[0-9]+$/) {
        split(how, part, ":")
        if (part[2] + part[3] > 8 * size || part[3] > 32) bad(how " does not fit " size " bytes")
        fam = part[2] " << 8 | " part[3]
        how = "bits"
    }
    if (!(how in shown)) bad("unknown kind `" how "`")
    else if (index(" " shown[how] " ", " " size " ") == 0) bad($1 ": " how " of " size " bytes")
    for (i = 5; i <= NF; i++) {
        if ($i ~ /^(nonzero|verbose|answer)$/) only = only (only == "" ? "" : " | ") "DEC_" toupper($i)
        else if (c) bad("two conditions")
        else c = condition($i)
    }
    if (col["size"] ~ /^[0-9]/ && at + size > col["size"] + 0) bad($1 " ends after the structure, at " at + size)
    if (at + size > 512) bad($1 " ends after the 512 bytes of a structure that kvis reads")
    for (i = at; i < at + size; i++) {
        if (i in used && !(c && cond_at[i]) && !(how == "bits" && bits_at[i])) bad($1 " overlaps " used[i])
        used[i] = $1
        cond_at[i] = c
        bits_at[i] = how == "bits"
    }
    if ($1 in seen && !(c && seen[$1] > 0)) bad($1 " occurs twice")
    seen[$1] = c ? 1 : -1
    place[$1] = at " " size
    if (at + size > end) end = at + size
    if (how != "bits") claim[++n_claims] = claim_of(at, size) # bit-fields have no offsetof
    rows++
    row[n_layouts] = row[n_layouts] sprintf("    { \"%s\", %d, %d, DV_%s, %s, %s, %d },\n",
        $1, at, size, toupper(how), fam, only == "" ? 0 : only, c)
}
# Prints the claim about a member that a compiler for x86_64 or arm64 can check.
function claim_of(at, size,    type, sub_, on) {
    type = col["is"]
    sub(/:/, " ", type)
    if (match(type, /\..*/)) {
        sub_ = substr(type, RSTART + 1) "."
        type = substr(type, 1, RSTART - 1)
    }
    on = abis == "DEC_ANY_ABI" ? "ANY" : abis ~ /X86_64/ ? "X86_64" : abis ~ /ARM64/ ? "ARM64" : "NEITHER"
    return sprintf("CLAIM_%s(%s, %s, %d, %d)", on, type, sub_ $1, at, size)
}
function end_struct(    form, at, m) {
    if (name == "") return
    if (!rows) bad(name " has no members")
    end_conditions()
    m = col["size"]
    form = m == "next" ? "NEXT" : m == "union" ? "UNION" : m ~ /^\./ ? "OWN" : "FIXED"
    at = 0
    if (form == "OWN") {
        if (!(substr(m, 2) in place)) bad("no member `" substr(m, 2) "`")
        else if (place[substr(m, 2)] !~ / 4$/) bad("a size of other than 4 bytes")
        else if ((at = place[substr(m, 2)] + 0) > 60) bad("a size after the first 64 bytes")
    }
    if (form == "FIXED" && m + 0 <= 64) element[name] += col["abi"] == "" ? n_abis : split(col["abi"], part, ",")
    layout[n_layouts] = sprintf("%d, %d, DEC_SIZE_%s, %d, %d, %s", rows, form == "FIXED" ? m : end, form, at, col["default"], abis)
}
BEGIN {
    n = split("x86_64 ABI_X86_64 i386 ABI_I386 x32 ABI_X32 arm64 ABI_ARM64 arm ABI_ARM32 riscv64 ABI_RISCV64", w, " ")
    for (i = 1; i < n; i += 2) abi[w[i]] = w[i + 1]
    n_abis = n / 2
    n = split("= EQUAL != OTHER > ABOVE & SOME !& NONE", w, " ")
    for (i = 1; i < n; i += 2) oper[w[i]] = w[i + 1]
    # formats of a member, and the sizes that they allow
    n = split("int uint hex flags value bits", w, " ")
    for (i = 1; i <= n; i++) {
        formats[++n_formats] = w[i]
        shown[w[i]] = "1 2 4 8"
    }
    n = split("mode:2,4,8 dev:8 id:4 ptr:4,8 str:8 limit:8 fd:4 sig:4,8 inet:4 ts:8,16 tv:8,16 chars:14,16,64,65 net:2,4 inet6:16 mask:4 sigset:8 sigsetp:4,8 handler:8", w, " ")
    for (i = 1; i <= n; i++) {
        split(w[i], part, ":")
        formats[++n_formats] = part[1]
        gsub(/,/, " ", part[2])
        shown[part[1]] = part[2]
    }
}
{ sub(/#.*/, "") }
NF == 0 { next }
FILENAME == ARGV[1] { if ($1 == "family") family[$2] = 1; next }
/^struct[ \t]/ { end_struct(); begin_struct(); next }
!/^[ \t]/ { bad("expected `struct NAME` or an indented member"); next }
name == "" { bad("a member before the first structure"); next }
{ add_member() }
END {
    end_struct()
    if (failed) exit 1
    for (i = 1; mode == "list" && i <= n_structs; i++) print order[i], (element[order[i]] == n_abis ? "array" : "")
    for (i = 1; mode == "assert" && i <= n_claims; i++) print claim[i]
    if (mode != "") exit 0
    print "/*\n * Generated by gen/structs.sh from gen/tables/structs.tbl. Do not edit: change the table and run it.\n */\n"
    printf "/* Formats of members. */\nenum dec_shown {\n"
    for (i = 1; i <= n_formats; i++) print "    DV_" toupper(formats[i]) ","
    print "    DV_DIRFD,\n    DV_NONE\n}; /* the last two only as @kind of syscalls.tbl */\n"
    print "/* Conditions: offset and size of another member, comparison, value. */"
    print "static const struct dec_condition dec_conditions[] = {\n    { 0, 0, 0, 0 }, /* none */"
    for (i = 1; i <= n_conds; i++) print cond[i]
    print "};"
    for (i = 1; i <= n_layouts; i++)
        printf "\nstatic const struct dec_member dec_members_%d[] = { /* %s */\n%s};\n", i, of[i], row[i]
    print "\n/* ST_name is the index of the first layout of a structure; those of other ABIs follow. */\nenum {"
    print "    ST_NONE,"
    at = 1
    for (i = 1; i <= n_structs; i++) {
        print "    ST_" order[i] " = " at ","
        at += split(first[order[i]], w, " ")
    }
    print "};\n"
    print "static const struct dec_layout dec_layouts[] = {\n    [ST_NONE] = { NULL, 0, 0, 0, 0, 0, 0, 0 },"
    for (i = 1; i <= n_structs; i++) {
        n = split(first[order[i]], w, " ")
        for (k = 1; k <= n; k++)
            printf "    { dec_members_%d, %s, %d }, /* %s */\n", w[k], layout[w[k]], n - k, order[i]
    }
    print "};\n\n/* The structures of socket addresses, and their least sizes, by family. */"
    printf "static const struct { unsigned char st, least; } dec_addresses[] = {\n%s};\n", addresses
}' "$gen/tables/flags.tbl" "$gen/tables/structs.tbl" > "$tmp/structs.h"
end "${1-}"
