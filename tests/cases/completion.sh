#!/bin/sh
# Completions work in real bash, zsh and fish shells: commands, options, values, files, and a command's words.
# tier: quick
# timeout: 240
# needs: bash zsh fish python3
. "$TESTS/lib/lib.sh"
for s in bash zsh fish; do
    "$KVIS" completion $s >kvis.$s || fail "completion $s: $?"
    $s -n kvis.$s 2>err || fail "$s -n"
done
touch run1.kvis file1
mkdir dir1 bin
printf '#!/bin/sh\n' >bin/kvprog1
chmod +x bin/kvprog1
PATH=$PWD/bin:$PATH
# The typed words, and the completed line (or, after +, the list below it).
cat >cases <<'END'
kvis mon	kvis monitor 
kvis exi	kvis exitsnoop 
kvis trace --until	kvis trace --until-exit 
kvis trace --color=a	always +auto
kvis trace --color=n	--color=never 
kvis trace --backend h	--backend hybrid 
kvis proc -f js	-f json 
kvis trace --att	--attach=
kvis replay run	replay run1.kvis 
kvis diff run1.kvis run	diff run1.kvis run1.kvis 
kvis trace -o fi	-o file1 
kvis trace --json=fi	--json=file1 
kvis monitor --path.procfs=di	procfs=dir1/
kvis trace -- kvpro	trace -- kvprog1 
kvis trace -v -o x kvpro	trace -v -o x kvprog1 
kvis check mon	check monitor 
kvis help rep	help replay 
kvis completion z	completion zsh 
opensnoop --exten	opensnoop --extended-fields 
END
for s in bash zsh; do
    python3 "$TESTS/lib/complete.py" $s ./kvis.$s <cases >out 2>err || fail "$s"
    eq "$s: lines" "$(wc -l <cases)" "$(wc -l <out)"
done
{ echo 'source kvis.fish'; cut -f1 cases | sed "s/.*/echo '= &'; complete -C '&'/"; } >ask.fish
HOME=$PWD fish --no-config ask.fish >out 2>err || fail "fish"
[ ! -s err ] || fail "fish complains"
python3 - >&9 <<'END' || fail "fish"
asked = [line.rstrip("\n").split("\t") for line in open("cases")]
answers = [[a.split("\t")[0] for a in part.split("\n")[1:] if a] for part in ("\n" + open("out").read()).split("\n= ")[1:]]
assert len(asked) == len(answers)
for (typed, want), got in zip(asked, answers):
    if "+" in want:
        assert set(w.rpartition("=")[2] for w in got) >= set(want.split(" +")), (typed, got)
    else: # the last word of the line
        assert [w.rstrip("/=") for w in got] == [want.split()[-1].rstrip("/=").split("procfs=")[-1]] or \
            [w.partition("procfs=")[2].rstrip("/") for w in got] == ["dir1"], (typed, got)
END
