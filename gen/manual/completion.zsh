#compdef kvis opensnoop execsnoop exitsnoop
_kvis() {
  local cmd=$service
  local -a cmds
  cmds=(
{{zsh_commands}}
  'help:the options of a command'
  'completion:completions for a shell'
  )
  case $cmd in
  opensnoop) cmd=open ;;
  execsnoop|exitsnoop) ;;
  *)
    if (( CURRENT == 2 )); then
      _describe -t commands command cmds
      return
    fi
    shift words
    (( CURRENT-- ))
    cmd=$words[1] ;;
  esac
  case $cmd in
{{zsh_options}}
  help) _arguments '--man' ':command:->commands' ;;
  completion) _arguments ':shell:(bash zsh fish)' ;;
  esac
  [[ $state != commands ]] || _describe -t commands command cmds
}
[[ $funcstack[1] = _kvis ]] && _kvis "$@" ||
  compdef _kvis \
    kvis opensnoop execsnoop exitsnoop
