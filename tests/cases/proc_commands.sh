#!/bin/sh
# timeout: 60
# needs: root
# covers: E13 E18 O1
# Commands of all sorts, whole: arguments, paths, parents, ends, and what wait4 says that they used.
. "$TESTS/proc.sh"
each commands ends usage crowd args no_args chain threads ways daemons failed forks
PROC_OPT=--perf-rings
each commands ends args chain threads failed
