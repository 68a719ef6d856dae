#!/bin/sh
# Makes out/pmu.h, the events of each CPU and their roles, from tables/pmu.tbl, and checks the table.
#
#   gen/pmu.sh             tables/pmu.tbl -> out/pmu.h
#   gen/pmu.sh check       only checks tables/pmu.tbl
# Exit status: 0 done, 1 the table is wrong, 2 usage.

. "$(dirname -- "$0")/lib.sh"
begin "check" "$@"

awk "$awk_common"'
function bad(msg) { bad_at(line, msg) }
function get(c) { # the value of the row for a column
    if (!((kind, row, c) in cell)) { bad(kind ": no column `" c "`"); return "-" }
    return cell[kind, row, c]
}
function once(what) { # checks that the name is unique in its table
    if (what in seen) bad(what ": appears twice")
    seen[what] = 1
}
function known(k, name) {
    if (!((k, name) in is)) bad("no " k " `" name "`")
    return toupper(name)
}
function of(c, choices,    v) { # the value, which must be one of choices
    v = get(c)
    if (index(" " choices " ", " " v " ") == 0) bad(c " `" v "` is none of: " choices)
    return v
}
function text(c,    v) {
    v = get(c)
    if (v ~ /["\\]/) bad(c ": a quote or a backslash")
    if (v == "-") bad(c ": empty")
    return "\"" v "\""
}
function number(c, most,    v) { # decimal; "-" is 0
    v = get(c)
    if (v == "-") return 0
    if (v !~ /^[0-9]+$/ || v + 0 > most) bad(c " `" v "` is no number up to " most)
    return v
}
function hex(s,    n, i, d) { # -1: not a number
    n = 0
    if (s == "") return -1
    for (i = 1; i <= length(s); i++) {
        d = index("0123456789abcdef", substr(s, i, 1)) - 1
        if (d < 0) return -1
        n = n * 16 + d
    }
    return n
}
function code(c, most,    v, n) { # "0x1a0"
    v = get(c)
    n = v ~ /^0x/ ? hex(substr(v, 3)) : -1
    if (n < 0 || n > most) bad(c " `" v "` is no hexadecimal number up to " most)
    return v
}
function cited(c) { # checks that the value cites a document and its section, file or event
    if (get(c) !~ /[a-z].*[,;\/(].*[A-Za-z]/) bad(c " `" get(c) "` names no document with its section or file")
}
function bits(v, n,    i, s) { # n bits as 32-bit words; v: the set, by number
    s = ""
    for (i = 0; i < n; i += 32) s = s (i ? ", " : "") word(v, i)
    return s
}
function word(v, from,    i, k, d, s) {
    s = "0x"
    for (i = 28; i >= 0; i -= 4) {
        d = 0
        for (k = 3; k >= 0; k--) d = d * 2 + ((from + i + k) in v)
        s = s substr("0123456789abcdef", d + 1, 1)
    }
    return s
}
function metric(c,    v) {
    v = get(c)
    if (v == "-") return "N_METRICS"
    if (v !~ /^[A-Z][A-Z0-9_]*$/) bad("`" v "` is no metric")
    once("metric " v)
    return "M_" v
}
function add(name, s) { out[name] = out[name] "    { " s " },\n" }
function id(name, prefix) { ids[name] = ids[name] "    " prefix ",\n" }

# --- each kind of row ---

function do_group(    n, i, w, g) {
    g = get("name")
    n = number("priority", 99)
    if (n in by_priority) bad("two groups of priority " n)
    by_priority[n] = g
    if (n > last_priority) last_priority = n
    n = split(get("members"), w, " ")
    if (n < 2 || n > 5) bad("members: 2 to 5 roles")
    for (i = 1; i <= n; i++) {
        member[g, w[i]] = 1
        members[g] = members[g] (i > 1 ? ", " : "") "PR_" known("role", w[i])
        if (i > 1 && w[i] in home) bad(w[i] ": in two groups, and not the first")
        if (i > 1) home[w[i]] = g
        else if (!(w[1] in first_in) || get("priority") + 0 < first_priority[w[1]]) {
            first_in[w[1]] = g
            first_priority[w[1]] = get("priority") + 0
        }
    }
}
function do_role(    g, p, n, w, generic) {
    g = get("name")
    if (!(g in home) && get("metric") != "-" && g in first_in) home[g] = first_in[g]
    if (!(g in home) && !(g in first_in)) bad(g ": in no group")
    g = g in home ? home[g] : "-"
    id("pmc_role", "PR_" toupper(get("name")))
    generic = "PERF_TYPE_MAX, 0"
    n = split(get("generic"), w, "/")
    if (w[1] == "HARDWARE" && n == 2) generic = "PERF_TYPE_HARDWARE, PERF_COUNT_HW_" w[2]
    else if (w[1] == "CACHE" && n == 3 && w[3] ~ /^(ACCESS|MISS)$/)
        generic = "PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_" w[2] " | PERF_COUNT_HW_CACHE_RESULT_" w[3] " << 16"
    else if (w[1] != "-") bad("generic `" get("generic") "` is neither HARDWARE/NAME nor CACHE/NAME/ACCESS or MISS")
    p = "PR_NONE, PR_NONE"
    if (get("parts") != "-") {
        if (split(get("parts"), w, " ") != 2) bad("parts: two roles")
        p = "PR_" known("role", w[1]) ", PR_" known("role", w[2])
        if (home[w[1]] != g || home[w[2]] != g) bad("parts: in another group")
    }
    out["pmc_roles"] = out["pmc_roles"] sprintf("    [PR_%s] = { \"%s\", PG_%s, %s, { %s }, %s,\n      %s },\n",
        toupper(get("name")), get("name"), g == "-" ? "NONE" : toupper(g), metric("metric"), p, generic,
        get("names") == "-" ? "\"\"" : text("names"))
}
function do_ratio(    g) {
    known("role", get("part"))
    if (get("of") == "-") { add("pmc_slots", sprintf("%s, PR_%s", metric("metric"), toupper(get("part")))); return }
    known("role", get("of"))
    if (!((home[get("part")], get("of")) in member)) bad(get("part") " and " get("of") " are in no one group")
    add("pmc_ratios", sprintf("%s, PR_%s, PR_%s, %d", metric("metric"), toupper(get("part")), toupper(get("of")), number("times", 1000)))
}
function do_list() {
    vendor[get("name")] = of("vendor", "Intel AMD")
    cited("source")
    bit[get("name")] = sprintf("0x%x", 2 ^ n_lists++)
    id("pmc_list", "PMC_" get("name") " = " bit[get("name")])
}
function do_core(    n, w, i, m, r, from, to, v, k) {
    known("list", get("list"))
    v = of("vendor", "GenuineIntel AuthenticAMD HygonGenuine")
    if ((v == "GenuineIntel") != (vendor[get("list")] == "Intel")) bad("the list " get("list") " belongs to another vendor")
    of("pmu", "cpu cpu_atom cpu_lowpower")
    split("", m)
    n = split(get("models"), w, " ")
    for (i = 1; i <= n; i++) {
        k = split(w[i], r, "-")
        from = hex(r[1])
        to = hex(r[k])
        if (k > 2 || from < 0 || to < from || to > 255) { bad("models `" w[i] "`"); continue }
        for (; from <= to; from++) {
            m[from] = 1
            if ((v, get("family"), get("pmu"), from) in core) bad(sprintf("model %x of family %s: two cores", from, get("family")))
            core[v, get("family"), get("pmu"), from] = 1
        }
    }
    add("pmc_cores", sprintf("PMC_%s, \"%s\", \"%s\", %d, %d, UW_%s,\n      { %s },\n      %s, %s", get("list"), v, get("pmu"),
        number("family", 255), number("slots", 16),
        get("memory") == "-" ? "NOWHERE" : toupper(of("memory", all_where)), bits(m, 256), text("name"), text("source")))
}
function do_event(    n, w, i, k, m, r, lists, amd, event, umask, terms) {
    n = split(get("lists"), w, " ")
    m = split(get("roles"), r, " ")
    for (i = 1; i <= n; i++) {
        known("list", w[i])
        lists = lists (i > 1 ? " | " : "") "PMC_" w[i]
        amd += vendor[w[i]] == "AMD"
    }
    if (amd != 0 && amd != n) bad("an event of Intel and AMD")
    event = code("event", amd ? 4095 : 255) # AMD: bits 0-7, 32-35; arch/x86/events/amd/core.c
    umask = code("umask", amd ? 255 : 65535) # Intel: 16 bits since Lion Cove; arch/x86/events/intel/core.c
    terms = "event=" event ",umask=" umask
    if (number("cmask", 255) > 0) terms = terms ",cmask=" get("cmask")
    for (k = 1; k <= m; k++) {
        known("role", r[k])
        for (i = 1; i <= n; i++) {
            if ((w[i], r[k]) in chosen) bad("the list " w[i] " has two events for " r[k])
            chosen[w[i], r[k]] = 1
        }
        add("pmc_events", sprintf("PR_%s, %s, \"%s\",\n      %s", toupper(r[k]), lists, terms, text("name")))
    }
}
function do_arm() {
    if (hex(get("implementer")) < 0 || length(get("implementer")) != 2) bad("implementer: two hexadecimal digits")
    if (hex(get("part")) < 0 || length(get("part")) != 3) bad("part: three hexadecimal digits")
    once("core " get("implementer") " " get("part"))
    add("pmc_arm", sprintf("0x%s, 0x%s, %s", get("implementer"), get("part"), text("name")))
}
function do_uncore(    n) {
    counts[get("name")] = of("counts", all_counts)
    n = get("preference") == "-" ? 0 : number("preference", 99)
    if ((n == 0) != (counts[get("name")] == "energy")) bad("preference: required for memory controllers, and only for them")
    if (n in preferred) bad("two of preference " n)
    cited("source")
    if (length(get("pmu")) >= 24) bad("pmu: more than 23 characters, which struct unc_class_row holds")
    preferred[n] = get("name")
    class[get("name")] = sprintf("%s, UN_%s", text("pmu"), toupper(counts[get("name")]))
    if (n > last_preferred) last_preferred = n
}
function do_counter(    u, r, c, terms) {
    u = get("uncore")
    known("uncore", u)
    r = of("role", all_roles)
    c = r ~ /^(read|write)$/ ? "bytes" : r == "both" ? "sum" : "energy"
    if (c != counts[u]) bad(r ": " u " counts " counts[u])
    once("counter " u " " get("event"))
    if (length(get("event")) >= 32) bad("event: more than 31 characters, which struct unc_row holds")
    if ((get("terms") == "-") != (get("on") == "-")) bad("terms and on: both or neither")
    if (get("terms") == "-") terms = "\"\""
    else {
        if (get("terms") !~ /^[a-z]+=0x[0-9a-f]+(,[a-z]+=0x[0-9a-f]+)*$/) bad("terms `" get("terms") "`")
        if (length(get("terms")) >= 24) bad("terms: more than 23 characters, which struct unc_row holds")
        terms = text("terms")
        cited("source")
    }
    if (r != "read" && get("lines") != "-") bad("lines: only for reads")
    add("unc_rows", sprintf("UC_%s, UR_%s, %d, UW_%s, %s, %s", toupper(u), toupper(r), number("lines", 255),
        get("on") == "-" ? "NOWHERE" : toupper(of("on", "any " all_where)), text("event"), terms))
}

# --- reading: all rows first, because they can refer to each other ---

BEGIN {
    FS = "  +"; n_rows = 0
    all_counts = "bytes sum energy"
    all_where = "subchannels fabric"
    all_roles = "read write both package cores gpu dram platform"
}
{ line = FNR; sub(/[ \t]+$/, "") }
/\t/ { bad("a tab") }
/^#/ || /^$/ { next }
$1 == "cite" { if (NF != 3 || $3 !~ /[,;(]/) bad("cite KIND DOCUMENT"); cites[$2] = 1; next }
$1 == "columns" {
    if ($2 in n_columns) bad("columns of " $2 ": stand twice")
    n_columns[$2] = NF - 2
    for (i = 3; i <= NF; i++) column[$2, i - 2] = $i
    next
}
{
    if (!($1 in n_columns)) { bad("`" $1 "` is no kind of row"); next }
    if (NF - 1 != n_columns[$1]) { bad($1 ": " NF - 1 " values for " n_columns[$1] " columns"); next }
    row_kind[++n_rows] = $1
    row_line[n_rows] = FNR
    for (i = 2; i <= NF; i++) {
        cell[$1, n_rows, column[$1, i - 1]] = $i
        if ($i == "") bad(column[$1, i - 1] ": empty")
        if (column[$1, i - 1] != "name" || $1 ~ /^(core|event|arm)$/) continue
        if ($i !~ /^[A-Za-z][A-Za-z0-9_]*$/) bad($1 ": `" $i "` is no name")
        if (($1, $i) in is) bad($1 " " $i ": appears twice")
        is[$1, $i] = 1
    }
}
function each(k) {
    kind = k
    if (!(k in n_columns)) bad("no rows of " k)
    for (row = 1; row <= n_rows; row++) {
        if (row_kind[row] != k) continue
        line = row_line[row]
        if (k == "group") do_group()
        else if (k == "role") do_role()
        else if (k == "ratio") do_ratio()
        else if (k == "list") do_list()
        else if (k == "core") do_core()
        else if (k == "event") do_event()
        else if (k == "arm") do_arm()
        else if (k == "uncore") do_uncore()
        else if (k == "counter") do_counter()
        else bad("`" k "` is no kind of row")
    }
}
function choices(name, prefix, list, last, what) {
    gsub(/ /, ", " prefix, list)
    printf "\n/* %s */\nenum %s { %s%s, %s };\n", what, name, prefix, toupper(list), last
}
function table(name, type, what) { printf "\n/* %s */\nstatic const %s %s = {\n%s};\n", what, type, name, out[name] }
END {
    last_priority = last_preferred = 0
    n = split("group role ratio list core event arm uncore counter", w, " ")
    for (i = 1; i <= n; i++) order[i] = w[i]
    for (i = 1; i <= n; i++) each(order[i])
    for (k in n_columns) if (index(" group role ratio list core event arm uncore counter ", " " k " ") == 0) bad("`" k "` is no kind of row")
    if (!("role" in cites)) bad("no cite of role")
    if (!("arm" in cites)) bad("no cite of arm")
    if (n_lists > 16) bad("more than 16 lists: pmc_event.lists")
    for (i = 1; i <= last_priority; i++) if (i in by_priority) {
        id("pmc_group", "PG_" toupper(by_priority[i]))
        out["pmc_groups"] = out["pmc_groups"] "    [PG_" toupper(by_priority[i]) "] = { " members[by_priority[i]] " },\n"
    }
    preferred[++last_preferred] = preferred[0]
    for (i = 1; i <= last_preferred; i++) if (i in preferred) {
        id("unc_class", "UC_" toupper(preferred[i]))
        out["unc_classes"] = out["unc_classes"] "    [UC_" toupper(preferred[i]) "] = { " class[preferred[i]] " },\n"
    }
    for (i = 1; i <= n_rows; i++) if (row_kind[i] == "list") {
        used = 0
        for (k = 1; k <= n_rows; k++) used += row_kind[k] == "core" && cell["core", k, "list"] == cell["list", i, "name"]
        line = row_line[i]
        if (!used) bad("no core has the list " cell["list", i, "name"])
    }
    if (failed) exit 1
    print "/*\n * Generated by gen/pmu.sh from gen/tables/pmu.tbl. Do not edit: change the table and run it.\n */"
    printf "\n/* What an event measures. */\nenum pmc_role {\n    PR_NONE,\n%s    N_PR\n};\n", ids["pmc_role"]
    printf "\n/* Groups of events that are counted together, in the order in which they get descriptors. */\n"
    printf "enum pmc_group {\n%s    N_PG, PG_NONE = N_PG\n};\n", ids["pmc_group"]
    printf "\n/* Lists of events, as bits. Several cores can share a list. */\nenum pmc_list {\n%s};\n", ids["pmc_list"]
    printf "\n/* Kinds of PMUs outside of the CPUs, in order of preference. */\n"
    printf "enum unc_class {\n%s    N_UC, UC_NONE = N_UC\n};\n", ids["unc_class"]
    choices("unc_role", "UR_", all_roles, "N_UR", "Roles of events: memory traffic and, from UR_PACKAGE on, energy.")
    choices("unc_counts", "UN_", all_counts, "N_UN", "UN_SUM: one event counts reads and writes.")
    choices("unc_where", "UW_", "nowhere any " all_where, "N_UW", "Cores for which pmu.tbl has an event that sysfs does not list.")
    out["pmc_groups[N_PG][PF_MEMBERS]"] = out["pmc_groups"]
    out["pmc_roles[N_PR]"] = out["pmc_roles"]
    out["pmc_ratios[]"] = out["pmc_ratios"]
    out["pmc_slots[]"] = out["pmc_slots"]
    out["pmc_cores[]"] = out["pmc_cores"]
    out["pmc_events[]"] = out["pmc_events"]
    out["pmc_arm[]"] = out["pmc_arm"]
    out["unc_classes[N_UC]"] = out["unc_classes"]
    out["unc_rows[]"] = out["unc_rows"]
    table("pmc_groups[N_PG][PF_MEMBERS]", "u8", "The first role is the divisor of the others.")
    table("pmc_roles[N_PR]", "struct pmc_role_row", "name, group, metric, the two parts of a sum, the generic event, names in sysfs")
    table("pmc_ratios[]", "struct pmc_ratio", "metric, part, of, times")
    table("pmc_slots[]", "struct { u16 metric; u8 role; }", "Level 1 of Topdown on Intel: shares of pipeline slots.")
    table("pmc_cores[]", "struct pmc_core", "list, vendor, PMU, family, slots, how memory is counted, models, name, source")
    table("pmc_events[]", "struct pmc_event", "role, lists, terms, name given by the vendor")
    table("pmc_arm[]", "struct pmc_arm_core", "implementer, part, name")
    table("unc_classes[N_UC]", "struct unc_class_row", "PMU, kind of counts")
    table("unc_rows[]", "struct unc_row", "class, role, data lines, cores on which the terms are valid, event, terms")
}' "$gen/tables/pmu.tbl" > "$tmp/pmu.h"
end "${1-}"
