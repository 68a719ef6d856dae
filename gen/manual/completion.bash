# bash completion for kvis; kvis completion bash
_kvis_value() # COMMAND OPTION: $v, its value; '=...': only after a =
{
    v=
    case $1:$2 in
{{bash_values}}
    esac
}
_kvis_words() # COMMAND: $opts, and $v: its words
{
    opts= v=
    case $1 in
{{bash_words}}
    help) opts=--man v='{{choices}}' ;;
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
        COMPREPLY=($(compgen -W '--help --version help completion {{commands}}' -- "$cur"))
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
