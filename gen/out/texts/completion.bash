# bash completion for kvis; kvis completion bash
_kvis_value() # COMMAND OPTION: $v, its value; '=...': only after a =
{
    v=
    case $1:$2 in
    trace:-p|trace:--attach) v='PID' ;;
    trace:--cgroup) v='FILE' ;;
    trace:-i|trace:--interval) v='WORD' ;;
    trace:--by) v='WORD' ;;
    trace:-S|trace:--summary-sort-by) v='time|calls|errors|name|avg-time|p50|p99|max' ;;
    trace:-e|trace:--trace) v='WORD' ;;
    trace:-P|trace:--trace-path) v='FILE' ;;
    trace:--min-duration) v='WORD' ;;
    trace:-s|trace:--string-limit) v='WORD' ;;
    trace:--json) v='=FILE' ;;
    trace:-o|trace:--output) v='FILE' ;;
    trace:-w|trace:--write) v='FILE' ;;
    trace:--report) v='=FILE' ;;
    trace:--max-report-events) v='WORD' ;;
    trace:--perfetto) v='FILE' ;;
    trace:--folded) v='FILE' ;;
    trace:--color) v='auto|always|never' ;;
    trace:-u|trace:--user) v='USER' ;;
    trace:-E|trace:--env) v='WORD' ;;
    trace:-d|trace:--duration) v='WORD' ;;
    trace:--backend) v='auto|ptrace|hybrid|observe' ;;
    trace:--min-sched-delay) v='WORD' ;;
    trace:--ring) v='WORD' ;;
    open:--backend) v='auto|bpf|ptrace' ;;
    open:-p|open:--pid) v='PID' ;;
    open:-t|open:--tid) v='PID' ;;
    open:-u|open:--uid) v='WORD' ;;
    open:-n|open:--name) v='WORD' ;;
    open:-f|open:--flag-filter) v='WORD' ;;
    open:-P|open:--path) v='FILE' ;;
    open:-d|open:--duration) v='WORD' ;;
    open:--json) v='=FILE' ;;
    open:-o|open:--output) v='FILE' ;;
    open:--ring) v='WORD' ;;
    replay:--by) v='WORD' ;;
    replay:-S|replay:--summary-sort-by) v='time|calls|errors|name|avg-time|p50|p99|max' ;;
    replay:-e|replay:--trace) v='WORD' ;;
    replay:-P|replay:--trace-path) v='FILE' ;;
    replay:--min-duration) v='WORD' ;;
    replay:--json) v='=FILE' ;;
    replay:-o|replay:--output) v='FILE' ;;
    replay:-w|replay:--write) v='FILE' ;;
    replay:--report) v='=FILE' ;;
    replay:--max-report-events) v='WORD' ;;
    replay:--perfetto) v='FILE' ;;
    replay:--folded) v='FILE' ;;
    replay:--color) v='auto|always|never' ;;
    replay:--min-sched-delay) v='WORD' ;;
    diff:--json) v='=FILE' ;;
    diff:-o|diff:--output) v='FILE' ;;
    diff:--report) v='=FILE' ;;
    diff:--by) v='program|line' ;;
    diff:--fail-above) v='WORD' ;;
    proc:-w|proc:--write) v='FILE' ;;
    proc:--report) v='=FILE' ;;
    proc:--max-report-events) v='WORD' ;;
    proc:--perfetto) v='FILE' ;;
    proc:--folded) v='FILE' ;;
    proc:--backend) v='auto|bpf|ptrace' ;;
    proc:-d|proc:--duration) v='WORD' ;;
    proc:--json) v='=FILE' ;;
    proc:-o|proc:--output) v='FILE' ;;
    proc:-p|proc:--pid) v='PID' ;;
    proc:-u|proc:--uid) v='WORD' ;;
    proc:-n|proc:--name) v='WORD' ;;
    proc:-l|proc:--line) v='WORD' ;;
    proc:--min-duration) v='WORD' ;;
    proc:--cgroup) v='FILE' ;;
    proc:-f|proc:--format) v='text|json|execsnoop|exitsnoop' ;;
    proc:--env) v='WORD' ;;
    proc:--gantt) v='FILE' ;;
    proc:--ring) v='WORD' ;;
    execsnoop:-d|execsnoop:--duration) v='WORD' ;;
    execsnoop:-o|execsnoop:--output) v='FILE' ;;
    execsnoop:--max-args) v='WORD' ;;
    execsnoop:-u|execsnoop:--uid) v='WORD' ;;
    execsnoop:-n|execsnoop:--name) v='WORD' ;;
    execsnoop:-l|execsnoop:--line) v='WORD' ;;
    execsnoop:-c|execsnoop:--cgroup) v='FILE' ;;
    execsnoop:--ring) v='WORD' ;;
    exitsnoop:-d|exitsnoop:--duration) v='WORD' ;;
    exitsnoop:-o|exitsnoop:--output) v='FILE' ;;
    exitsnoop:-p|exitsnoop:--pid) v='PID' ;;
    exitsnoop:-u|exitsnoop:--uid) v='WORD' ;;
    exitsnoop:-n|exitsnoop:--name) v='WORD' ;;
    exitsnoop:-c|exitsnoop:--cgroup) v='FILE' ;;
    exitsnoop:--ring) v='WORD' ;;
    monitor:-i|monitor:--interval) v='WORD' ;;
    monitor:-n|monitor:--count) v='WORD' ;;
    monitor:-d|monitor:--duration) v='WORD' ;;
    monitor:-c|monitor:--collectors) v='WORD' ;;
    monitor:-p|monitor:--pid) v='PID' ;;
    monitor:-e|monitor:--event) v='WORD' ;;
    monitor:--cgroup) v='FILE' ;;
    monitor:--json) v='=FILE' ;;
    monitor:--csv) v='=FILE' ;;
    monitor:--report) v='=FILE' ;;
    monitor:--prometheus) v='FILE' ;;
    monitor:--listen) v='WORD' ;;
    monitor:-o|monitor:--output) v='FILE' ;;
    monitor:--path.procfs) v='DIR' ;;
    monitor:--path.sysfs) v='DIR' ;;
    monitor:--path.rootfs) v='DIR' ;;
    diagnose:-d|diagnose:--duration) v='WORD' ;;
    diagnose:--rules) v='FILE' ;;
    diagnose:--threshold) v='WORD' ;;
    diagnose:-p|diagnose:--pid) v='PID' ;;
    diagnose:--cgroup) v='FILE' ;;
    diagnose:--json) v='=FILE' ;;
    diagnose:--report) v='=FILE' ;;
    diagnose:-o|diagnose:--output) v='FILE' ;;
    diagnose:--path.procfs) v='DIR' ;;
    diagnose:--path.sysfs) v='DIR' ;;
    diagnose:--path.rootfs) v='DIR' ;;
    check:--json) v='=FILE' ;;
    check:--path.procfs) v='DIR' ;;
    check:--path.sysfs) v='DIR' ;;
    check:--path.rootfs) v='DIR' ;;
    esac
}
_kvis_words() # COMMAND: $opts, and $v: its words
{
    opts= v=
    case $1 in
    trace) opts='-p --attach= --all --cgroup= -v --verbose -q --quiet -c --summary-only -C --summary -i --interval= --by= -S --summary-sort-by= -e --trace= -P --trace-path= -z --successful-only -Z --failed-only --min-duration= -x -s --string-limit= -t --absolute-timestamps -r --relative-timestamps --json -o --output= -w --write= --report --max-report-events= --perfetto= --folded= --faults --page-faults --no-filter --color= -u --user= -E --env= -d --duration= --until-exit --kill-on-exit --no-accel --no-follow --same-cpu --backend= --no-ebpf --min-sched-delay= --ring= -f --follow-forks -y --decode-fds -T --syscall-times -h --help ' v='COMMAND' ;;
    open) opts='--backend= -T --timestamp -U --print-uid -x --failed -p --pid= -t --tid= -u --uid= -n --name= -f --flag-filter= -P --path= -e --extended-fields -F --full-path -d --duration= -c --command --json -o --output= --no-exec --ring= -h --help ' v='COMMAND' ;;
    replay) opts='-v --verbose -q --quiet -c --summary-only -C --summary --by= -S --summary-sort-by= -e --trace= -P --trace-path= -z --successful-only -Z --failed-only --min-duration= -x -t --absolute-timestamps -r --relative-timestamps --json -o --output= -w --write= --report --max-report-events= --perfetto= --folded= --no-filter --color= --min-sched-delay= --tree -h --help ' v='FILE' ;;
    diff) opts='--json -o --output= --report --by= --fail-above= --no-filter -h --help ' v='FILE' ;;
    proc) opts='-w --write= --report --max-report-events= --perfetto= --folded= --backend= -d --duration= --json -o --output= --tree --live -x --failed --forks -T --threads -p --pid= -u --uid= -n --name= -l --line= --min-duration= --cgroup= -f --format= --env= --gantt= --ring= -h --help ' v='COMMAND' ;;
    execsnoop) opts='-d --duration= -o --output= -T --time -t --timestamp -U --print-uid -x --fails -q --quote --max-args= -u --uid= -n --name= -l --line= -c --cgroup= --ring= -h --help ' v='' ;;
    exitsnoop) opts='-d --duration= -o --output= -t --timestamp -x --failed -T --threaded -p --pid= -u --uid= -n --name= -c --cgroup= --ring= -h --help ' v='' ;;
    monitor) opts='-i --interval= -n --count= -d --duration= -c --collectors= -p --pid= -e --event= --list-events --cgroup= --per-cpu --histogram --json --csv --report --prometheus= --listen= --grafana -o --output= --path.procfs= --path.sysfs= --path.rootfs= -h --help ' v='COMMAND' ;;
    diagnose) opts='-d --duration= -v --verbose --rules= --threshold= -p --pid= --cgroup= --virtio --json --report -o --output= --path.procfs= --path.sysfs= --path.rootfs= -h --help ' v='COMMAND' ;;
    check) opts='-v --verbose --json --path.procfs= --path.sysfs= --path.rootfs= -h --help ' v='trace|open|replay|diff|proc|execsnoop|exitsnoop|monitor|diagnose|check|' ;;
    help) opts=--man v='trace|open|replay|diff|proc|execsnoop|exitsnoop|monitor|diagnose|check|' ;;
    completion) v='bash|zsh|fish' ;;
    esac
}
_kvis_reply() # KIND
{
    case $1 in
    FILE)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    DIR)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    COMMAND) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
    USER) mapfile -t COMPREPLY < <(compgen -u -- "$cur") ;;
    PID) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")) ;;
    *'|'*) COMPREPLY=($(compgen -W "${1//|/ }" -- "$cur")) ;;
    esac
}
_kvis()
{
    local cur cmd opts v w k glue= n=-1 i=0 words=() at=()
    for ((k = 1; k <= COMP_CWORD; k++)); do
        w=${COMP_WORDS[k]}
        if [[ $glue || ( $n -ge 0 && $w == = && ${words[n]} == --* ) ]]; then
            words[n]+=$w glue=; [[ $w == = ]] && glue=1
        else
            ((++n)); words[n]=$w at[n]=$k
        fi
    done
    COMPREPLY=() cur=${words[n]} cmd=${1##*/}
    case $cmd in
    opensnoop) cmd=open ;;
    execsnoop|exitsnoop) ;;
    *) cmd=${words[0]} i=1 ;;
    esac
    if ((n < i)); then
        COMPREPLY=($(compgen -W '--help --version help completion trace open replay diff proc execsnoop exitsnoop monitor diagnose check ' -- "$cur"))
        return
    fi
    v= w=
    for (( ; i < n; i++)); do
        w=${words[i]}
        if [[ $v ]]; then v=; continue; fi
        case $w in
        --) ((i++)); break ;;
        --*=*) ;;
        -*) _kvis_value $cmd "$w"; [[ $v == =* ]] && v= ;;
        *) _kvis_words $cmd; [[ $v == COMMAND ]] && break; v= ;;
        esac
    done
    if ((i < n)); then
        if declare -F _command_offset >/dev/null; then
            _command_offset ${at[i]}
        else
            _kvis_reply FILE
        fi
    elif [[ $v ]]; then
        _kvis_reply "$v"
    elif [[ $cur == --*=* ]]; then
        _kvis_value $cmd "${cur%%=*}"
        cur=${cur#*=}
        _kvis_reply "${v#=}"
    else
        _kvis_words $cmd
        if [[ $cur == -* && $w != -- ]]; then
            COMPREPLY=($(compgen -W "$opts" -- "$cur"))
            [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
        else
            _kvis_reply "$v"
        fi
    fi
}
complete -F _kvis kvis opensnoop execsnoop exitsnoop
