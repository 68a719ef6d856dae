#!/bin/sh
# gen/out/options.h is what gen/options.sh makes from gen/tables/options.tbl, and options.sh refuses a table with a mistake.
# tier: quick
# timeout: 30
# needs: no-kvis python3
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/tables.sh"
table=$TESTS/../gen/tables/options.tbl
copy_generator options
is_committed options.h

finds_mistakes options options.h <<'LIST'
s/^option -i, --interval=SECS/option -v, --interval=SECS/~trace has a -v already
s/^option -i, --interval=SECS/option -i, --verbose=SECS/~trace has a --verbose already
s/^option -i, --interval=SECS/option --interval=SECONDS/~no argument is called .SECONDS
s/^option -i, --interval=SECS/option interval=SECS/~neither a letter nor a name
s/^option -i, --interval=SECS/option -i, --interval SECS/~how is that spelled
s/^argument SECS .*//~no argument is called .SECS
s/^argument SECS .*/argument SECS seconds/~no kind .seconds
s/^argument TID /argument PID /~argument PID stands twice
s/^\(  help    \)print only the summary; -qq: not even the summary/\1/~help is empty
s/^\(  help    \)print only the summary; -qq: not even the summary/\1summary/~help of one word
s/^\(  help    \)print only the summary; -qq: not even the summary/\1the same as -C/~needs another row to make sense
s/^\(  help    \)print only the summary; -qq: not even the summary/\1(always)/~does not begin with a word
s/^\(  help    \)print only the summary; -qq: not even the summary/\1print only the summary./~a full stop
s/^\(  help    \)print only the summary; -qq: not even the summary/\1the \\ summary/~a backslash
s/^  help    print only the summary; -qq: not even the summary//~option -q, --quiet: no help
s/^\(  sets    \)count opt.quiet/\1bool opt.quiet/~sets what kind: .bool
s/^\(  sets    \)count opt.quiet/\1number opt.quiet 1..2/~a number without an argument
s/^\(  sets    \)count opt.quiet/\1flag/~sets flag, and what of it
s/^\(  sets    \)count opt.quiet/\1flag \&opt.quiet/~cannot set .&opt.quiet
s/^\(  sets    \)number opt.interval_s.*/\1flag opt.interval_s/~sets flag, with an argument
s/CALL_SUCCESSFUL/call()/~is no constant
s/^\(  sets    \)set opt.status CALL_SUCCESSFUL/\1set opt.status/~sets set, and what of it
s/opt.interval_s 1..86400/opt.interval_s 86400..1/~is no range
s/opt.interval_s 1..86400/opt.interval_s 1-86400/~is no range
s/opt.interval_s 1..86400/opt.interval_s 1..4294967296/~is no range
s/^\(  sets    \)call opt_json/\1string opt.json_file/~an argument that can be left out is for a call
s/^  values  auto.ptrace.hybrid//~values are listed by
s/how calls are recorded: {values}/how calls are recorded/~values are listed by
s/^\(  values  \)auto.ptrace.hybrid/\1auto, ptrace, hybrid/~values A.B.C
s/^\(  of      \)diff$/\1dif/~no command .dif
s/^command diff/command replay/~command replay: stands twice
s/^command diff/command Diff/~command NAME
s/^\(  takes   \)commands/\1words/~takes nothing like .words
s/^  usage   .*A.kvis B.kvis//~command diff: no usage
s/^  takes   recordings/  of      trace/~a column of options
s/^  of      diff/  usage   diff/~a column of commands
s/^  of      diff/  for     diff/~no column .for
s/^option --by=pid/options --by=pid/~.options. is unknown
LIST

# A destination of another type than the row says does not compile.
[ -n "$(command -v gcc)" ] || exit 0
mkdir src && cp -r "$TESTS/../kvis.c" "$TESTS/../gen" "$TESTS/../bpf_insns" src
sed 's/count opt.quiet/flag opt.interval_s/' "$table" >gen/tables/options.tbl
sh gen/options.sh || fail "options.sh"
cp gen/out/options.h src/gen/out
gcc -std=gnu11 -pthread -fsyntax-only -Werror src/kvis.c >out 2>err && fail "a u32 is taken for a bool"
has err 'options.h.*incompatible pointer'
