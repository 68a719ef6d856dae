#!/usr/bin/env python3
"""Used by the case gen_reject.
gen_bend.py OBJECT: writes broken copies of a good BPF object, each with one number changed, and
prints for each its file, a tab and the regex that insngen's message must match."""
import struct
import sys

good = open(sys.argv[1], 'rb').read()
shoff, = struct.unpack_from('<Q', good, 40)
num, strndx = struct.unpack_from('<HH', good, 60)
headers = [list(struct.unpack_from('<IIQQQQIIQQ', good, shoff + 64 * i)) for i in range(num)]
count = 0


def name(h):
    start = headers[strndx][4] + h[0]
    return good[start:good.index(0, start)].decode()


index = {name(h): i for i, h in enumerate(headers)}


def at(section):
    return headers[index[section]][4]


def bend(want, *changes):
    """changes: (offset in the file, struct format, value)"""
    global count
    b = bytearray(good)
    for off, fmt, value in changes:
        struct.pack_into('<' + fmt, b, off, value)
    count += 1
    path = 'bent%d.o' % count
    open(path, 'wb').write(b)
    print(path + '\t.*' + want, flush=True)


def header(section, field):
    fields = {'type': 4, 'flags': 8, 'offset': 24, 'size': 32, 'link': 40, 'info': 44, 'entsize': 56}
    return shoff + 64 * index[section] + fields[field]


tp = 'raw_tp/fields'
bend('ELF header.*not an ELF file', (0, 'B', 0x7e))
bend('ELF header.*not a relocatable', (18, 'H', 62))
bend('ELF header.*not a relocatable', (5, 'B', 2))
bend('ELF header.*section headers are broken', (40, 'Q', 1 << 62))
bend('ELF header.*section headers are broken', (60, 'H', 9999))
bend('ELF header.*section headers are broken', (62, 'H', num))
bend('section headers.*outside of the file', (header('.BTF', 'offset'), 'Q', 1 << 63))
bend('section headers.*outside of the file', (header('.BTF', 'size'), 'Q', (1 << 64) - 8))
bend('\\.symtab.*broken symbol table', (header('.symtab', 'link'), 'I', 4000))
bend('\\.symtab.*broken symbol table', (header('.symtab', 'entsize'), 'Q', 0))

rel = '.rel' + tp
bend(tp + '.*relocation of unknown type 77', (at(rel) + 8, 'I', 77))
bend(tp + '.*a symbol that does not exist', (at(rel) + 12, 'I', 1 << 30))
bend(tp + '.*not an instruction', (at(rel), 'Q', 3))
bend(tp + '.*not an instruction', (at(rel), 'Q', 1 << 40))
bend('broken relocations', (header(rel, 'type'), 'I', 4))
bend('broken relocations', (header(rel, 'entsize'), 'Q', 24))
bend('section that does not exist', (header(rel, 'info'), 'I', 5000))

btf, ext = at('.BTF'), at('.BTF.ext')
bend('\\.BTF\\+0x0: not BTF', (btf, 'H', 0))
bend('\\.BTF.*types lie outside', (btf + 8, 'I', 1 << 31))
bend('\\.BTF.*strings lie outside', (btf + 20, 'I', 1 << 31))
bend('\\.BTF types.*unknown kind', (btf + 24 + 4, 'I', 31 << 24))
bend('\\.BTF types.*cut short', (btf + 24 + 4, 'I', 4 << 24 | 0xffff))
bend('\\.BTF\\.ext.*not .BTF.ext', (ext + 2, 'B', 9))
line_off, line_len, core_off, core_len = struct.unpack_from('<4I', good, ext + 16)
core = ext + 32 - 8 + struct.unpack_from('<I', good, ext + 4)[0] - 24 + core_off
bend('CO-RE records lie outside', (ext + 28, 'I', 1 << 30))
bend('records of 4 bytes', (core, 'I', 4))
bend('no string is here', (core + 4, 'I', 1 << 30))
bend('section that is no program', (core + 4, 'I', 0))
bend('CO-RE records.*cut short', (core + 8, 'I', 1 << 30))
first = core + 12
bend('not an instruction', (first, 'I', 4))
bend('no type of this number', (first + 4, 'I', 1 << 30))
bend('a CO-RE record of unknown kind 99', (first + 12, 'I', 99))
bend('a CO-RE record of kind 5', (first + 12, 'I', 5))
bend('but the instruction has|access string|cannot take it', (first + 12, 'I', 1))
bend('lines.*records of 3 bytes', (ext + struct.unpack_from('<I', good, ext + 4)[0] + line_off, 'I', 3))

code = at(tp)
bend(tp + '\\+0x0: opcode 0xff', (code, 'B', 0xff))
bend(tp + '\\+0x0: opcode 0x7b .*imm 5', (code, 'B', 0x7b), (code + 4, 'i', 5))
bend('CFG_LIMIT \\+ 4: a constant is used as it is', (at('tp/raw_syscalls/sys_enter') + 8 * 8 + 4, 'i', 4))
bend('overlap or leave a gap|bytes that belong to no program', (header('kretprobe/do_exit', 'size'), 'Q', 40))
