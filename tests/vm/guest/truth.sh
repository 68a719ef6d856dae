# truth: the programs of tests/progs under kvis trace: the trace contains everything that they report about themselves.
# kernels: arm64
# timeout: 400
. /tests/lib.sh
# (On x86_64 the cases run these scenes on the host, without an emulator. `vm.sh x86-5.10 truth` runs them there.)

# The scenes open these, and /etc is empty.
touch /etc/passwd /etc/group
trap 'st=$?; rm -f /etc/passwd /etc/group; t_end $st' EXIT

rounds() { case "$1 $2" in "ptr cmsg") echo 300 ;; esac; } # all 3000 take a minute and a half on the newest kernel

options() { # options PROG SCENE: the options of kvis that the scene needs
    case "$1 $2" in
    "mem faults" | "mem many") echo -v --faults ;;
    "shapes "*) echo -v -s 4096 ;;
    "proc clone_untraced") echo "--trace=openat,getppid,write" ;;
    *) echo "-v" ;;
    esac
}

# alone PROG SCENE: whether it succeeds without kvis.
alone() { mkdir alone && (cd alone && "$BIN/$1" "$2" $(rounds "$1" "$2")) >alone.out 2>&1; }

scene() { # scene HOW PROG SCENE
    [ -x "$BIN/$2" ] || return 0
    native=0
    if [ "$1" = same ]; then
        t_run "$BIN/$2" "$3" $(rounds "$2" "$3")
        mv out native
        native=$st
    fi
    t_run kvis trace $(options "$2" "$3") --json=json -- "$BIN/$2" "$3" $(rounds "$2" "$3")
    mv out facts
    [ $st = 99 ] && ! alone "$2" "$3" && { t_skip "$2 $3" "not without kvis: $(tail -n 2 alone.out | head -n 1)"; return; }
    [ $st = 77 ] && { t_skip "$2 $3" "$(tail -n 1 facts)"; return; }
    t_is "$2 $3: exit status" "$native" "$st" || { tail -n 3 facts; tail -n 3 err; } | sed 's/^/# /'
    [ "$1" = truth ] || t_is "$2 $3: what it says" "$(grep -v '^want ' native)" "$(grep -v '^want ' facts)"
    ! grep -q '^want ' facts || t_facts "$2 $3: facts" json facts
    [ "$2" != opens ] || t_host traced "$2 $3: facts" json facts
}

while read -r how prog name; do
    mkdir "$prog.$name"
    cd "$prog.$name" || exit
    scene "$how" "$prog" "$name"
    rm -f native out err
    cd ..
done </tests/scenes
