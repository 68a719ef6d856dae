#!/usr/bin/env python3
"""Used by the case gen_render.
Independent readers of BPF instructions, for the tests of insngen.

bpf_dis.py words DUMP HEADER          compares the words of the compiled HEADER (DUMP: "program NAME"
                                      lines and one hex word per line), disassembled here from the bits,
                                      with the header's pseudo-C
bpf_dis.py object DUMP OBJECT         compares the same words with the object's sections, except for patches
"""
import re
import struct
import sys

ALU = {0: '+=', 1: '-=', 2: '*=', 3: '/=', 4: '|=', 5: '&=', 6: '<<=', 7: '>>=', 9: '%=', 10: '^=',
       11: '=', 12: 's>>='}
JMP = {1: '==', 2: '>', 3: '>=', 4: '&', 5: '!=', 6: 's>', 7: 's>=', 10: '<', 11: '<=', 12: 's<',
       13: 's<='}
SIZE = {0: 'u32', 1: 'u16', 2: 'u8', 3: 'u64'}


def helpers():
    """Helpers by number, from the system's header: not from ours."""
    text = open('/usr/include/linux/bpf.h').read()
    old = re.search(r'define __BPF_FUNC_MAPPER\(FN\)(.*?)/\* \*/', text, re.S)
    if old and 'FN(unspec)' in old.group(1):
        return dict(enumerate(re.findall(r'FN\((\w+)\)', old.group(1))))
    return {int(n): name for name, n in re.findall(r'FN\((\w+), (\d+),', text)}


def place(reg, off):
    return '(r%d %s %d)' % (reg, '-' if off < 0 else '+', abs(off))


def one(i, word, high, names):
    """The instruction at slot i; high: the imm of the second slot of an ld_imm64."""
    code, regs, off, imm = struct.unpack('<BBhi', word)
    dst, src = regs & 15, regs >> 4
    cls, op, x = code & 7, code >> 4, code & 8
    c = 'w' if cls in (4, 6) else 'r'
    if code == 0x18:
        if src == 1:
            return 'r%d = map' % dst
        return 'r%d = %d ll' % (dst, struct.unpack('<q', struct.pack('<iI', imm, high))[0])
    if cls in (4, 7):
        if op == 13:
            return 'r%d = %s%d r%d' % (dst, 'be' if x else 'le', imm, dst)
        if op == 8:
            return '%s%d = -%s%d' % (c, dst, c, dst)
        return '%s%d %s %s' % (c, dst, ALU[op], c + str(src) if x else imm)
    size, mode = SIZE[code >> 3 & 3], code >> 5
    if cls == 1:
        assert mode == 3
        return 'r%d = *(%s *)%s' % (dst, size, place(src, off))
    if cls == 2:
        return '*(%s *)%s = %d' % (size, place(dst, off), imm)
    if cls == 3:
        if mode == 6:
            w = 'r' if size == 'u64' else 'w'
            assert imm == 0
            return 'lock *(%s *)%s += %s%d' % (size, place(dst, off), w, src)
        return '*(%s *)%s = r%d' % (size, place(dst, off), src)
    if code == 0x85:
        return 'call ' + names[imm]
    if code == 0x95:
        return 'exit'
    if code == 0x05:
        return 'goto L%d' % (i + 1 + off)
    return 'if %s%d %s %s goto L%d' % (c, dst, JMP[op], c + str(src) if x else imm, i + 1 + off)


def dump(path):
    """{program: [8 bytes each slot]}"""
    progs = {}
    for line in open(path):
        if line.startswith('program '):
            words = progs[line.split()[1]] = []
        else:
            words.append(bytes.fromhex(line.strip()))
    # NAME_tp and NAME_bt are other forms of NAME's tracepoint when they have the same words
    return {n: w for n, w in progs.items() if not (n[-3:] in ('_tp', '_bt') and progs.get(n[:-3]) == w)}


def listing(words, names):
    """{slot: text}"""
    out, i = {}, 0
    while i < len(words):
        wide = words[i][0] == 0x18
        high = struct.unpack('<I', words[i + 1][4:])[0] if wide else 0
        out[i] = one(i, words[i], high, names)
        i += 2 if wide else 1
    return out


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


def check_words(progs, path):
    names, texts, n = helpers(), header(path), 0
    assert set(progs) == set(texts), (set(progs), set(texts))
    for name, words in progs.items():
        text, patches, labels = texts[name]
        ours = listing(words, names)
        jumps = {int(m.group(1)) for t in ours.values() for m in [re.search(r'goto L(\d+)$', t)] if m}
        assert labels == jumps, (name, 'labels', labels ^ jumps)
        assert set(ours) == set(text), (name, 'slots', set(ours) ^ set(text))
        for i, want in ours.items():
            got, field = text[i]
            kind, patch = patches.get(i, ('', ''))
            if kind == 'PATCH_MAP':
                want += ' ' + patch
            elif kind == 'PATCH_CONST':
                want = 'r%s = %s' % (want[1:].split()[0], patch)
            assert got == want, '%s %d: the header has "%s", its word is "%s"' % (name, i, got, want)
            assert field is None or field == patch, (name, i, field, patch)
            n += 1
    print('%s: %d instructions of %d programs say what they do' % (path, n, len(progs)))


def sections(path):
    """{function: bytes} of an ELF file, by its symbols."""
    b = open(path, 'rb').read()
    shoff, = struct.unpack_from('<Q', b, 40)
    num, = struct.unpack_from('<H', b, 60)
    sh = [struct.unpack_from('<IIQQQQIIQQ', b, shoff + 64 * i) for i in range(num)]
    sym = next(s for s in sh if s[1] == 2)
    strs = sh[sym[6]]
    funcs = {}
    for at in range(sym[4], sym[4] + sym[5], 24):
        name, info, _, shndx, value, size = struct.unpack_from('<IBBHQQ', b, at)
        if info & 15 == 2:
            start = strs[4] + name
            funcs[b[start:b.index(0, start)].decode()] = b[sh[shndx][4] + value:][:size]
    return funcs


def check_object(progs, path):
    funcs, n = sections(path), 0
    assert set(funcs) == set(progs), (set(funcs), set(progs))
    for name, words in progs.items():
        for i, word in enumerate(words):
            want = funcs[name][8 * i:8 * i + 8]
            if word[0] == 0x18 and word[1] >> 4 == 1: # a map: src_reg is 1 here, 0 there
                word = bytes([word[0], word[1] & 15]) + word[2:]
            assert word == want, '%s %d: %s, the object has %s' % (name, i, word.hex(), want.hex())
            n += 1
        assert len(funcs[name]) == 8 * len(words)
    print('%s: %d words are the object\'s' % (path, n))


CHECK = {'words': check_words, 'object': check_object}
if __name__ == '__main__':
    CHECK[sys.argv[1]](dump(sys.argv[2]), sys.argv[3])
