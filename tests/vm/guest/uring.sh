# uring: kvis trace shows the requests that a program makes through io_uring.
# kernels: all
# timeout: 60
# covers: P40
. /tests/lib.sh

t_needs_hybrid
for scene in basic polled slow many; do
    mkdir $scene
    cd $scene || exit
    t_run kvis trace --json=json -- "$BIN/uring" $scene
    mv out facts
    [ $st != 77 ] || { t_skip $scene "$(tail -n 1 facts)"; exit 0; }
    t_is "$scene: exit status" 0 "$st" || { t_show err; tail -n 3 facts; }
    t_facts "$scene: facts" json facts
    t_hasnt "$scene: no trouble" err '^kvis: io_uring'
    cd ..
done
