# uring: kvis trace shows the requests that a program makes through io_uring.
# kernels: all
# timeout: 60
. /tests/lib.sh

t_needs_hybrid
for scene in basic polled slow many; do
    t_scene $scene trace uring $scene || exit 0
    t_hasnt "$scene: no trouble" err '^kvis: io_uring'
    cd ..
done
