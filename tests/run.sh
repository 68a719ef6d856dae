#!/bin/sh
# run.sh [--tier TIER] [--list] [NAME...]: runs the tests; --help tells more. Without arguments it
# runs the tier gate, as `make test` does. Environment: KVIS names another binary; NO_APT=1 installs nothing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { apt-get update -qq && apt-get install -qq -y python3; } || exit 1
# The distribution's Python starts in 40 ms; others may load packages of their own at each start, and a case starts many.
[ -x /usr/bin/python3 ] && exec /usr/bin/python3 "$here/lib/runner.py" "$@"
exec python3 "$here/lib/runner.py" "$@"
