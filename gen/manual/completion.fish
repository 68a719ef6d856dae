# fish completion for kvis; kvis completion fish
complete -c kvis -f
function __kvis_is
    set -l w (commandline -opc)
    test (count $w) -gt 1; and contains -- $w[2] $argv
end
function __kvis_at
    complete -c kvis -n "__kvis_is $argv[1]" $argv[2..-1]
end
complete -c kvis -n __fish_use_subcommand -l version -d 'the version'
complete -c kvis -n __fish_use_subcommand -a completion -d 'completions for a shell'
complete -c kvis -n __fish_use_subcommand -a help -d 'the options of a command'
complete -c kvis -n '__kvis_is completion' -a 'bash zsh fish'
complete -c kvis -n '__kvis_is help' -l man
complete -c kvis -n '__kvis_is help' -a '{{commands}}'
{{fish_commands}}
{{fish_options}}
