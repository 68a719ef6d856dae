#!/bin/sh
# Used by make check and the cases lint and adding.
# lint.sh [FILE]: the structure of kvis.c, in awk. Without FILE: kvis.c, after a test of the lint itself.
#  - the map in the opening comment (` *  4 out_  text, JSON`) lists the banners (`/* == 4 out_  ... */`) in order
#  - a function in a section starts with a prefix that the section's banner names (u_ also has b_, x..., die)
#  - a function stands above its callers: no declaration of a function; variables are static (functions: -Wmissing-prototypes)
#  - die() and the x... that die are called only where the map's line ends in [die], or in the
#    functions it names: [die: tr_start tr_args]
#  - a static struct with a descriptor (a member fd, a struct writer) is initialised with -1: 0 is standard input
#  - no line over 100 columns, no tab; functions: median <= 15 lines, 90 % <= 50
set -u
cd "$(dirname "$0")/../.." || exit 1

lint() { # lint FILE
    awk '
    function bad(what) { printf "%s:%d: %s\n", FILENAME, NR, what; errors++ }
    function key(s,    w, n, i, out) { # "4 out_ json_  text, JSON" -> "4 out_ json_"; no prefix: "2 types"
        n = split(s, w, /[ :,*]+/)
        out = w[1]
        for (i = 2; i <= n && w[i] ~ /_$/; i++) out = out " " w[i]
        return i == 2 && n > 1 ? out " " w[2] : out
    }
    function prefixed(name,    w, n, i) {
        n = split(section, w, " ")
        for (i = 2; i <= n; i++) {
            if (w[i] ~ /_$/ && index(name, w[i]) == 1) return 1
            if (w[i] == "u_" && name ~ /^(b_|x|die$|die_)/) return 1
        }
        return name == "main"
    }
    function name_of(sig) { # the identifier before the argument list; attributes and MACROS() do not count
        gsub(/__attribute__\(\([^)]*(\([^)]*\))?[^)]*\)\)/, "", sig)
        gsub(/[A-Z][A-Z0-9_]*\([^()]*\)/, "", sig)
        return match(sig, /[A-Za-z_][A-Za-z0-9_]*\(/) ? substr(sig, RSTART, RLENGTH - 1) : ""
    }
    function define(sig, lines,    name) {
        fname = name = name_of(sig)
        if (!prefixed(name)) bad(name ": no prefix of its section, \"" section "\"")
        if (lines) len[nfn++] = lines
        else start = sigline
    }
    function may_die() { return section ~ /(^| )u_/ || dies[section] == "all" || index(dies[section], " " fname " ") }

    length($0) > 100 && !/^ *\/\/ http/ { bad("longer than 100 columns") }
    /\t/ { bad("a tab") }
    /[ \t]$/ { bad("blanks at the end") }

    # The opening comment and its map.
    NR < 5 && !section && /^\/\*/ { head = 1 }
    head && /^ \*  *[0-9]+ / {
        line = $0
        sub(/^ \*  */, "", line); sub(/ *\*\/$/, "", line)
        k = key(line)
        map[++nmap] = k
        if (match(line, /\[die[^]]*\]/)) {
            dies[k] = substr(line, RSTART + 5, RLENGTH - 6)
            sub(/^:? */, " ", dies[k])
            dies[k] = dies[k] == " " ? "all" : dies[k] " "
        }
    }
    head { if (/\*\//) head = 0; next }

    /^\/\* ==/ {
        line = $0
        sub(/^\/\* ==* */, "", line); sub(/ *=*( *\*\/)?$/, "", line)
        section = key(line)
        if (map[++nsection] != section) bad("banner \"" section "\": the map has \"" map[nsection] "\"")
    }

    # Comments, strings and preprocessor lines hold no code.
    {
        code = $0
        gsub(/\\./, "", code); gsub(/"[^"]*"/, "\"\"", code); gsub(/\/\*.*\*\//, "", code); sub(/\/\/.*/, "", code)
    }
    comment { if (!/\*\//) next; sub(/^.*\*\//, "", code); comment = 0 }
    code ~ /\/\*/ { comment = 1; sub(/\/\*.*/, "", code) }
    { sub(/ *$/, "", code) }
    directive || code ~ /^#/ { directive = $0 ~ /\\$/; next }

    body && /^[}]/ { len[nfn++] = NR - start + 1; body = 0; sig = ""; next }
    body {
        if (match(code, /(^|[^A-Za-z0-9_])(die|die_[a-z]+|x(malloc|calloc|realloc|strdup|[a-z]*alloc|[a-z]*dup|open|pipe))\(/) && !may_die())
            bad(fname ": die or its kin in a section that must not: " substr(code, RSTART, RLENGTH))
        next
    }
    # A struct, union, enum or table: to its closing brace.
    table ~ /^static struct/ && code ~ /^    (int .*fd[,;]|struct writer )/ { descriptor = 1 }
    table && /^[}]/ && descriptor { if (code !~ /-1/) bad("a descriptor that is 0 at first: " code); descriptor = 0 }
    table && /^[}]/ { if (code ~ /^[}] *[A-Za-z_]/ && code !~ /^[}] *__attribute__/ && table !~ /^(static|typedef)/) bad("not static: " code); table = ""; next }
    table { next }
    code ~ /^[A-Za-z_]/ && sig == "" && (code ~ /(=|\)) *[{]$/ || code ~ /^(static |const |typedef )*(struct|union|enum)[^()]*[{]$/) && code !~ /\) *[{]$/ { table = code; next }

    # Whatever else begins at column 0 is a signature or a declaration.
    sig == "" && code ~ /^[A-Za-z_]/ { sigline = NR }
    sig != "" || code ~ /^[A-Za-z_]/ {
        if (code ~ /^[{]$/) { define(sig, 0); body = 1; next }
        sig = sig code
        if (sig ~ /\) *[{].*[}]$/) { define(sig, NR - sigline + 1); sig = "" }
        else if (sig ~ /[{]$/) { define(sig, 0); body = 1 }
        else if (sig ~ /[;}]$/) {
            if (sig !~ /^(typedef|_Static_assert)/ && sig !~ /=/ && sig !~ /^[^(]*\(\*/ && name_of(sig) != "")
                bad(name_of(sig) ": declared; define it above its callers")
            else if (sig !~ /^(static|typedef|extern|struct|union|enum|_Static_assert)/ && sig ~ /[A-Za-z]/)
                bad("not static: " sig)
            sig = ""
        }
    }
    END {
        for (i = nsection + 1; i <= nmap; i++) bad("the map has \"" map[i] "\", which has no banner")
        if (!nmap) bad("no map in the opening comment")
        for (i = 1; i < nfn; i++) # insertion sort: awk has none of its own
            for (j = i; j && len[j - 1] > len[j]; j--) { t = len[j]; len[j] = len[j - 1]; len[j - 1] = t }
        med = len[int((nfn - 1) / 2)]; p90 = len[int((nfn - 1) * 0.9)]
        printf "%s: %d lines, %d sections, %d functions: median %d, 90 %% <= %d, longest %d lines\n", \
            FILENAME, NR, nsection, nfn, med, p90, len[nfn - 1]
        if (med > 15) bad("median function length over 15")
        if (p90 > 50) bad("more than 10 % of the functions are over 50 lines")
        exit errors > 0
    }' "$1"
}

# The lint must find what it is for: each line breaks one rule of a good file (by a sed script).
self_test() {
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    cat >"$dir/good.c" <<'END'
/* kvis: example
 *   1 headers
 *   2 u_     errors [die]
 *   3 tr_ fd_  ptrace  [die: tr_init]
 *   4 main
 */
/* == 1 headers ================ */
#include <stdio.h>
/* == 2 u_  errors ============= */
static void __attribute__((noreturn)) PRINTF_LIKE(2, 3) die(int code, const char *fmt, ...)
{
    exit(code);
}
/* == 3 tr_ fd_  ptrace ======== */
static struct {
    int fd, n;
} fd = { .fd = -1 };
static int tr_count;
static void tr_init(void)
{
    die(1, "x");
}
static int fd_get(int a)
{
    return a;
}
/* == 4 main =================== */
int main(void)
{
    return fd_get(0);
}
END
    lint "$dir/good.c" >"$dir/out" || { cat "$dir/out"; echo "lint: refuses a good file"; return 1; }
    n=0
    while read -r want script; do
        sed "$script" "$dir/good.c" >"$dir/bad.c"
        n=$((n + 1))
        lint "$dir/bad.c" >"$dir/out" && { echo "lint: does not see: $script"; return 1; }
        grep -q "$(echo "$want" | tr _ ' ')" "$dir/out" || { cat "$dir/out"; echo "lint: wants '$want' for: $script"; return 1; }
    done <<'END'
the_map_has /== 2/s/2/5/
the_map_has /== 2/d
no_banner s,^ .   4 main,&\n *   5 more_,
no_map 1,6d
no_prefix s/fd_get/get/
no_prefix s/tr_init(void)/ptr_init(void)/
declared s/^static int tr_count.*/&\nstatic int fd_get(int a, int b);/
declared s/^static int tr_count.*/&\nstatic int fd_get(int a,\n  int b);/
not_static s/^static int tr_count/int tr_count/
not_static s/^static struct {/struct fd {/
is_0_at_first s/ = { .fd = -1 }//
must_not s/return a/die(1, "x");&/
must_not s/ . die: tr_init.//;s/\[die: tr_init\]//
100_columns s,^#include.*,&/*.........1.........2.........3.........4.........5.........6.........7.........8.........9.........10 */,
a_tab s/^    return/\treturn/
blanks_at s/;$/; /
median s/return a.*/&\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n/;s/exit(code);/&\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n/;s/return fd_get.*/&\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n/
END
    echo "lint: finds $n of $n broken rules"
}

[ $# -gt 0 ] && { lint "$1"; exit; }
self_test && lint kvis.c
