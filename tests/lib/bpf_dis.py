#!/usr/bin/env python3
"""Used by the case insngen.
Compares the arrays of a header with llvm-objdump, which shares no code with insngen.

bpf_dis.py HEADER WORDS [OBJECT]: WORDS is an object with the words of the compiled HEADER. The pseudo-C of HEADER says what
llvm-objdump says of WORDS, and the words are those of OBJECT, which insngen read, except for the addresses of maps."""
import re
import subprocess
import sys


def helpers():
    """Helpers by number, from the system's header: not from ours."""
    text = open('/usr/include/linux/bpf.h').read()
    old = re.search(r'define __BPF_FUNC_MAPPER\(FN\)(.*?)/\* \*/', text, re.S)
    if old and 'FN(unspec)' in old.group(1):
        return dict(enumerate(re.findall(r'FN\((\w+)\)', old.group(1))))
    return {int(n): name for name, n in re.findall(r'FN\((\w+), (\d+),', text)}


def dump(path):
    """{program: {slot: (bytes, text)}} of an object; jumps and calls as insngen writes them."""
    said = subprocess.run(['llvm-objdump', '-d', path], check=True, capture_output=True, text=True).stdout
    names, progs = helpers(), {}
    for line in said.splitlines():
        begin = re.match(r'[0-9a-f]+ <(?!LBB)(\w+)>:$', line)
        insn = re.match(r' +(\d+):\t([0-9a-f ]+)\t(.*)$', line)
        if begin:
            words, first = progs.setdefault(begin[1], {}), None
        elif insn:
            first = int(insn[1]) if first is None else first
            slot, text = int(insn[1]) - first, re.sub(r' <[^<>]*>$', '', insn[3])
            text = re.sub(r'goto ([+-]\d+)$', lambda m: f'goto L{slot + 1 + int(m[1])}', text)
            text = re.sub(r'^call (\d+)$', lambda m: 'call ' + names[int(m[1])], text)
            text = re.sub(r'^(lock \*\(u32 .*) r(\d)$', r'\1 w\2', text)  # half a register, which -mcpu=v2 does not name
            words[slot] = (insn[2].split(), text)
    return progs


def header(path):
    """{program: ({slot: pseudo-C}, {slot: (kind, name)}, {labels})} of the text."""
    progs = {}
    for line in open(path):
        begin = re.match(r'/\* begin program (\w+)', line)
        insn = re.match(r' {4}/\* +(\d+) \*/ (I_\w+\(.*\)), +/\* (.*?)(?:  \[(.*)\])? \*/$', line)
        label = re.match(r' {4}/\* L(\d+): \*/$', line)
        patch = re.match(r' {4}\{ (\d+), (PATCH_\w+), \d+, "(.*)" \},$', line)
        if begin:
            text, patches, labels = progs[begin.group(1)] = {}, {}, set()
        elif insn:
            text[int(insn.group(1))] = (insn.group(3), insn.group(4))
        elif label:
            labels.add(int(label.group(1)))
        elif patch:
            patches[int(patch.group(1))] = (patch.group(2), patch.group(3))
    return progs


def check(path, progs, object_=None):
    texts, n = header(path), 0
    assert set(progs) == set(texts), (set(progs), set(texts))
    for name, words in progs.items():
        text, patches, labels = texts[name]
        jumps = {int(m[1]) for _, t in words.values() for m in [re.search(r'goto L(\d+)$', t)] if m}
        assert labels == jumps, (name, 'labels', labels ^ jumps)
        assert set(words) == set(text), (name, 'slots', set(words) ^ set(text))
        for i, (word, want) in words.items():
            got, field = text[i]
            kind, patch = patches.get(i, ('', ''))
            if kind in ('PATCH_MAP', 'PATCH_CONST'):
                want = f'r{int(word[1][1], 16)} = ' + ('map ' if kind == 'PATCH_MAP' else '') + patch
            assert got == want, f'{name} {i}: the header has "{got}", its word is "{want}"'
            assert field is None or field == patch, (name, i, field, patch)
            if object_:
                if kind == 'PATCH_MAP':  # its register of the source is 1 here, 0 there
                    word[1] = '0' + word[1][1]
                assert word == object_[name][i][0], f'{name} {i}: {word}, the object has {object_[name][i][0]}'
            n += 1
    print(f'{path}: {n} instructions of {len(progs)} programs say what they do')


check(sys.argv[1], dump(sys.argv[2]), dump(sys.argv[3]) if sys.argv[3:] else None)
