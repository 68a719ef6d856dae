# truth: the programs of tests/progs under kvis trace: the trace contains everything that they report about themselves.
# kernels: arm64
# timeout: 400
. /tests/lib.sh
# (On x86_64 the cases run these scenes on the host, without an emulator. `vm.sh x86-5.10 truth` runs them there.)

# The scenes open these, and /etc is empty.
touch /etc/passwd /etc/group
trap 'st=$?; rm -f /etc/passwd /etc/group; t_end $st' EXIT

rounds() { case "$1 $2" in "ptr cmsg") echo 300 ;; esac; } # all 3000 take a minute and a half on the newest kernel

options() { # options PROG SCENE: with which kvis sees what the scene wants
    case "$1 $2" in
    "mem faults" | "mem many") echo -v --faults ;;
    "mem total") echo -v --page-faults ;;
    "shapes "*) echo -v -s 4096 ;;
    "proc clone_untraced") echo "--trace=openat,getppid,write" ;;
    *) echo "-v" ;;
    esac
}

# alone PROG SCENE: does it come to its end without kvis?
alone() { mkdir alone && (cd alone && "$BIN/$1" "$2" $(rounds "$1" "$2")) >alone.out 2>&1; }

# A scene that does not end (the slowest takes 15 s under emulation, on a machine that has nothing else to do):
# what each task waits for is written down, and kvis is killed.
tasks() {
    for t in /proc/[0-9]*/task/*; do
        [ "$(cat "$t/maps")" ] || continue # a thread of the kernel
        sed -n 's/^State:.\(.\).*/\1/p; /^TracerPid\|^S[a-z]*Pnd:.*[1-9a-f]/p' "$t/status" |
            cat "$t/comm" - "$t/wchan" "$t/syscall" | tr '\t\n' '  '
        echo "${t#/proc/};"
    done 2>/dev/null
}
watch_scenes() { # watch_scenes FILE: it holds the scene that runs
    since=0 was=
    while sleep 5; do
        since=$((since + 5))
        [ "$(cat "$1")" = "$was" ] || { was=$(cat "$1") since=0; }
        [ $since -ge 150 ] || continue
        tasks >"$1.stuck"
        kill -9 $(pidof kvis || sed 's/ .*//; s/^/pidof /' "$1" | sh)
        since=0
    done
}

# Exit status 77: the machine cannot do it.
scene() { # scene HOW PROG SCENE
    [ -x "$BIN/$2" ] || return 0
    if [ "$1" = same ]; then
        echo "$2 $3 alone" >../now
        t_run "$BIN/$2" "$3" $(rounds "$2" "$3")
        mv out native
        native=$st
    else
        native=0
    fi
    echo "$2 $3" >../now
    t_run kvis trace $(options "$2" "$3") --json=json -- "$BIN/$2" "$3" $(rounds "$2" "$3")
    mv out facts
    if [ -e ../now.stuck ]; then
        t_not_ok "$2 $3: it did not end"
        sed 's/^/# /' ../now.stuck
        rm ../now.stuck
    fi
    [ $st = 99 ] && ! alone "$2" "$3" && { t_skip "$2 $3" "not without kvis: $(tail -n 2 alone.out | head -n 1)"; return; }
    [ $st = 77 ] && { t_skip "$2 $3" "$(tail -n 1 facts)"; return; }
    t_is "$2 $3: exit status" "$native" "$st" || { tail -n 3 facts; tail -n 3 err; } | sed 's/^/# /'
    [ "$1" = truth ] || t_is "$2 $3: what it says" "$(grep -v '^want ' native)" "$(grep -v '^want ' facts)"
    ! grep -q '^want ' facts || t_facts "$2 $3: facts" json facts
}

watch_scenes "$PWD/now" &
watcher=$!
while read -r how prog name; do
    mkdir "$prog.$name"
    cd "$prog.$name" || exit
    scene "$how" "$prog" "$name"
    rm -f native out err
    cd ..
done </tests/scenes
kill $watcher
