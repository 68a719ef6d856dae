# shellcheck shell=sh
# Sourced by the generators that make out/NAME.h from tables or texts. Sets name (of the generator), gen (this directory)
# and tmp (a directory that is removed when the shell exits), and defines begin and end.
set -eu
LC_ALL=C
export LC_ALL
unset CDPATH
name=$(basename -- "$0" .sh)
gen=$(cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$gen/out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# begin "MODE MODE..." [ARGUMENT]: checks ARGUMENT, which must be missing or one of these modes.
begin() {
    modes=$1
    shift
    case "$# ${1-}" in
    '0 ') return ;;
    '1 '?*) case " $modes " in *" $1 "*) return ;; esac ;;
    esac
    echo "usage: $name.sh${modes:+ [$(echo "$modes" | sed 's/ / | /g')]}" >&2
    exit 2
}

# end MODE: called when $tmp/NAME.h is complete. Without a mode, moves it to gen/out/NAME.h; with a mode other than check, prints it.
end() {
    case $1 in
    '') cat "$tmp/$name.h" > "$gen/out/$name.h" ;;
    check) ;;
    *) cat "$tmp/$name.h" ;;
    esac
}

# Functions shared by the awk programs. A program that sets `failed` exits with it as its status.
# shellcheck disable=SC2034,SC2016 # used by the scripts that source this file; awk code
awk_common='
function bad_at(line, msg) {
    printf "%s:%d: %s\n", FILENAME, line, msg | "cat >&2"
    failed = 1
}
function from_word(n,    s, i) { # the line from its word n on
    s = $0
    sub(/^[ \t]+/, "", s)
    for (i = 1; i < n; i++) sub(/^[^ \t]+[ \t]*/, "", s)
    return s
}
function c_string(s) {
    gsub(/\\/, "&&", s)
    gsub(/"/, "\\\"", s)
    return "\"" s "\""
}
function needs_another(s) { # its first word refers to a previous text
    return s ~ /^([Tt]he same|It|Its|They|Their|Them|This|That|These|Those|He|She|Here|There|Same|As|What) /
}
'
