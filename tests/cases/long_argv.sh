#!/bin/sh
# kvis reads any argv, however long or hostile, in a bounded number of reads, and shows a normal argv completely.
# tier: quick
# timeout: 120
# needs: strace python3 prog:proc
. "$TESTS/lib/lib.sh"

# reads MAX KVIS_ARG...: kvis under strace (which does not follow the command) reads memory at most MAX times.
reads() {
    max=$1; shift
    say "\$ kvis trace $1 $2 $3 ..."
    strace -qq -e signal=none -e trace=process_vm_readv -o calls "$KVIS" trace --json=json "$@" >out 2>err 9>&-
    st=$?
    status 0
    n=$(wc -l <calls)
    [ "$n" -le "$max" ] || fail "$n reads of the program's memory, at most $max are enough"
}

seq 1 100000 >words
[ "$(id -u)" = 0 ] && backends="ptrace hybrid" || backends=ptrace
for backend in $backends; do
    # 100000 words are 144 pages, their pointers 195: as many reads, and a few for the rest.
    reads 1000 --backend="$backend" -- /bin/true $(cat words)
    js "print(*by('exec')[0]['argv'][1:], sep='\n')" >seen
    sed '$d' seen >seen.words
    cmp -s words seen.words || fail "$backend: another argv than the program's"
    want "not by('exec')[0].get('argv_truncated') and not by('exec')[0].get('argv_cut')"

    # No exec succeeds with this many: kvis stops reading where the kernel does.
    reads 2500 --backend="$backend" -- "$BIN/proc" argv 0 3000000
    want "[e for e in by('exec') if e['program'].endswith('/long')][0]['argv_cut']"
    want "[e for e in by('exec') if e['program'].endswith('/short')][0]['argv'] == ['one', 'two']"

    # Each string costs a read: there is a budget, and it is a new one at the next call.
    reads 34000 --backend="$backend" -- "$BIN/proc" argv 4096 3000000
    want "[e for e in by('exec') if e['program'].endswith('/long')][0]['argv_cut']"
    want "[e for e in by('exec') if e['program'].endswith('/short')][0]['argv'] == ['one', 'two']"
done

# The same of arrays of structures: one read of a page, not one a structure.
reads 200 --backend=ptrace -s 2000 -v -e trace=poll,ppoll -- \
    python3 -c 'import select; p = select.poll(); [p.register(1000 + i, 1) for i in range(1000)]; p.poll(0)'
want "len(by('syscall')[-1]['args'][0]) > 20000"
