#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""insngen.py [--compiler=NAME] [--flags=FLAGS] NAME.bpf.o [SHA256 SOURCE]... >bpf_insns/NAME.h

Used by insns.sh. Reads one BPF object that clang made of probes/NAME.bpf.c and writes it as C that a
person can read and kvis.c can include. The output depends on the object and these arguments only: it has
no dates and no paths. Refuses a probe that does something else than it may, with file, section and offset.

To read this file, start with main at the bottom. Formats: the ELF gABI; Documentation/bpf/btf.rst (types,
.BTF.ext); linux/bpf.h; BPF relocations: Documentation/bpf/llvm_reloc.rst.
"""
import argparse
import os
import re
import struct
import sys

COLUMNS = 100
MACRO_COLUMNS = 46   # width of the macros, which the pseudo-C follows
MAX_STACK = 512
MAX_MAP_NAME = 15    # BPF_OBJ_NAME_LEN less its NUL


class Refused(Exception):
    """Its text is SECTION+0xOFFSET: why."""


def refuse(section, offset, why):
    raise Refused('%s+0x%x: %s' % (section, offset, why))


def is_name(text):
    return re.fullmatch(r'[A-Za-z_]\w*', text, re.ASCII)


# -- ELF: sections and symbols ------------------------------------------------------

SHT_PROGBITS, SHT_NOBITS, SHT_REL = 1, 8, 9
SHF_ALLOC, SHF_EXECINSTR = 2, 4
STT_OBJECT, STT_FUNC = 1, 2
EM_BPF = 247


def string_at(data, offset):
    return data[offset:data.index(b'\0', offset)].decode('ascii')


class Section:
    def __init__(self, elf, offset):
        (self.name, self.type, self.flags, _, at, self.size, self.link, self.info, _,
         _) = struct.unpack_from('<IIQQQQIIQQ', elf, offset)
        self.data = b'' if self.type == SHT_NOBITS else elf[at:at + self.size]

    def is_code(self):
        return self.flags & SHF_EXECINSTR and self.size > 0


class Symbol:
    def __init__(self, strings, entry):
        name, info, _, self.section, self.value, self.size = struct.unpack('<IBBHQQ', entry)
        self.name = string_at(strings, name)
        self.type = info & 15


class Elf:
    def __init__(self, data):
        if data[:6] != b'\x7fELF\2\1' or struct.unpack_from('<H', data, 18)[0] != EM_BPF:
            refuse('ELF header', 0, 'not a little-endian BPF object')
        at, = struct.unpack_from('<Q', data, 40)
        size, count, names = struct.unpack_from('<HHH', data, 58)
        self.sections = [Section(data, at + i * size) for i in range(count)]
        for section in self.sections:
            section.name = string_at(self.sections[names].data, section.name)
        table = self.need('.symtab')
        strings = self.sections[table.link].data
        self.symbols = [Symbol(strings, table.data[i:i + 24]) for i in range(0, table.size, 24)]

    def find(self, name):
        return next((s for s in self.sections if s.name == name), None)

    def need(self, name):
        return self.find(name) or refuse(name, 0, 'no such section')


# -- BTF: the probe's own types --------------------------------------------------------

(VOID, INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO,
 VAR, DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64) = range(20)

# Number of words after the first three of each type: a fixed number, and a number per entry.
EXTRA_WORDS = {INT: (1, 0), ARRAY: (3, 0), STRUCT: (0, 3), UNION: (0, 3), ENUM: (0, 2),
               FUNC_PROTO: (0, 2), VAR: (1, 0), DATASEC: (0, 3), DECL_TAG: (1, 0), ENUM64: (0, 3)}


class Type:
    """`size` is also the number of the type that it refers to; `words` are the words after the first three."""

    def __init__(self, strings, data, offset):
        name, info, self.size = struct.unpack_from('<3I', data, offset)
        self.name = string_at(strings, name)
        self.kind = info >> 24 & 31
        self.flag = info >> 31
        self.entries = info & 0xffff
        fixed, each = EXTRA_WORDS.get(self.kind, (0, 0))
        self.words = struct.unpack_from('<%dI' % (fixed + self.entries * each), data, offset + 12)


class Btf:
    def __init__(self, section):
        data = section.data
        header, types, types_size, strings, strings_size = struct.unpack_from('<5I', data, 4)
        self.strings = data[header + strings:header + strings + strings_size]
        self.types = [None]
        offset, end = header + types, header + types + types_size
        while offset < end:
            self.types.append(Type(self.strings, data, offset))
            offset += 12 + 4 * len(self.types[-1].words)

    def real(self, number):
        """The type without typedefs and qualifiers."""
        while self.types[number].kind in (TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG):
            number = self.types[number].size
        return self.types[number]

    def size(self, number):
        t = self.real(number)
        if t.kind == PTR:
            return 8
        if t.kind == ARRAY:
            return t.words[2] * self.size(t.words[0])
        return t.size

    def is_signed(self, number):
        t = self.real(number)
        if t.kind == INT:
            return t.words[0] >> 24 & 1
        return t.flag if t.kind in (ENUM, ENUM64) else 0


# -- Programs and maps ------------------------------------------------------------------

class ProgramType:
    def __init__(self, name, what, since, is_ret=0, rows=1, typed=False):
        self.name, self.what, self.since, self.is_ret = name, what, since, is_ret
        self.rows = rows  # 2: the classic tracepoint gets a row of its own
        self.typed = typed  # true if the arguments of the raw tracepoint have types


RAW = 'RAW_TRACEPOINT', 'raw tracepoints', (4, 17)
PROGRAM_TYPES = {  # by the part of a section's name before the '/'
    'tp': ProgramType('TRACEPOINT', 'tracepoints', (4, 7)),
    'raw_tp': ProgramType(*RAW),
    'both': ProgramType(*RAW, rows=2),
    'typed': ProgramType(*RAW, rows=2, typed=True),
    'kprobe': ProgramType('KPROBE', 'kprobes', (4, 1)),
    'kretprobe': ProgramType('KPROBE', 'kprobes', (4, 1), is_ret=1),
    'perf_event': ProgramType('PERF_EVENT', 'perf events', (4, 9)),
}

MAP_TYPES = {
    1: ('HASH', (3, 19)), 2: ('ARRAY', (3, 19)), 3: ('PROG_ARRAY', (4, 2)),
    4: ('PERF_EVENT_ARRAY', (4, 3)), 5: ('PERCPU_HASH', (4, 6)), 6: ('PERCPU_ARRAY', (4, 6)),
    7: ('STACK_TRACE', (4, 6)), 8: ('CGROUP_ARRAY', (4, 8)), 9: ('LRU_HASH', (4, 10)),
    10: ('LRU_PERCPU_HASH', (4, 10)), 11: ('LPM_TRIE', (4, 11)), 22: ('QUEUE', (4, 20)),
    23: ('STACK', (4, 20)), 27: ('RINGBUF', (5, 8)),
}


class Map:
    def __init__(self, symbol, data):
        if not is_name(symbol.name) or len(symbol.name) > MAX_MAP_NAME:
            refuse('maps', symbol.value, "a map's name is one of C, of at most %d bytes" % MAX_MAP_NAME)
        if symbol.size != 20:
            refuse('maps', symbol.value, '%s has %d bytes, not 20' % (symbol.name, symbol.size))
        self.name = symbol.name
        self.offset = symbol.value
        self.number, *self.sizes = struct.unpack_from('<5I', data, symbol.value)  # key value entries flags
        if self.number not in MAP_TYPES:
            refuse('maps', symbol.value, "a map of type %d, which is not in insngen's table" % self.number)
        self.type = MAP_TYPES[self.number][0]
        self.used = False


LD_IMM64 = 0x18
CALL, EXIT, JUMP = 0x85, 0x95, 0x05
# Classes of instructions: the low three bits of the opcode (linux/bpf.h).
LD, LDX, ST, STX, ALU, JMP, JMP32, ALU64 = range(8)


class Insn:
    def __init__(self, data, offset):
        self.code, registers, self.off, self.imm = struct.unpack_from('<BBhi', data, offset)
        self.dst, self.src = registers & 15, registers >> 4
        self.kind = self.code & 7


class Patch:
    def __init__(self, kind, name, size=0, of=None):
        self.kind, self.name, self.size, self.map = kind, name, size, of


class Program:
    def __init__(self, symbol, section):
        kind, _, self.attach = section.name.partition('/')
        self.name = symbol.name
        self.section = section
        self.offset = symbol.value
        self.type = PROGRAM_TYPES[kind]
        if self.type.rows > 1 and '/' not in self.attach:
            refuse(section.name, 0, 'of both kinds of tracepoints, but not "%s/CATEGORY/EVENT"' % kind)
        self.insns = []  # None: the second half of an ld_imm64; the `high` of the first half has its imm
        for at in range(symbol.value, symbol.value + symbol.size, 8):
            insn = Insn(section.data, at)
            if self.insns and self.insns[-1] and self.insns[-1].code == LD_IMM64:
                self.insns[-1].high = insn.imm
                insn = None
            self.insns.append(insn)
        if len(self.insns) > 4096:  # BPF_MAXINSNS: kvis patches a copy on its stack
            self.refuse(0, 'more than 4096 instructions')
        self.patches = {}  # by the number of the instruction, as are the lines of source
        self.lines = {}

    def refuse(self, slot, why):
        refuse(self.section.name, self.offset + 8 * slot, why)

    def add_patch(self, slot, patch):
        if slot in self.patches:
            self.refuse(slot, 'two records for an instruction')
        self.patches[slot] = patch

    def code(self):
        return ((i, insn) for i, insn in enumerate(self.insns) if insn)


class Probe:
    """The contents of the object: maps, BPF programs and the license."""

    def __init__(self, elf):
        self.elf = elf
        self.check_sections()
        license_ = elf.need('license')
        if not re.fullmatch(rb'[\w ./-]+\0', license_.data):
            refuse('license', 0, 'not one string of letters')
        self.license = string_at(license_.data, 0)
        maps = elf.find('maps')
        self.maps = sorted((Map(s, maps.data) for s in elf.symbols
                            if s.type == STT_OBJECT and elf.sections[s.section] is maps),
                           key=lambda m: m.offset) if maps else []
        of_code = [s for s in elf.symbols
                   if s.type == STT_FUNC and elf.sections[s.section].is_code()]
        of_code.sort(key=lambda s: (s.section, s.value))
        self.programs = [Program(s, elf.sections[s.section]) for s in of_code]
        if not self.programs:
            refuse('symbols', 0, 'no program')

    def check_sections(self):
        for s in self.elf.sections:
            prefix, slash, rest = s.name.partition('/')
            if s.is_code() and s.name == '.text':
                refuse(s.name, 0, 'a BPF function outside of the programs: make it always_inline')
            elif s.is_code():
                if prefix not in PROGRAM_TYPES or bool(rest) == (prefix == 'perf_event') or (slash and not rest):
                    refuse(s.name, 0, 'programs cannot be in a section of this name')
            elif s.flags & SHF_ALLOC and s.size and s.name not in ('maps', 'license'):
                refuse(s.name, 0, 'data: a program has maps and constants (CFG_) only')

    def at(self, section, offset):
        """Returns the BPF program that contains this byte of a section, and the number of the instruction."""
        for p in self.programs:
            if p.section is section and 0 <= offset - p.offset < 8 * len(p.insns):
                return p, (offset - p.offset) // 8
        return refuse(section.name, offset, 'a record about something that is not an instruction')


# -- Relocations: maps and constants --------------------------------------------------------

R_BPF_LD64 = 1


def relocate_constant(program, slot, symbol):
    insn = program.insns[slot]
    if not symbol.name.startswith('CFG_'):
        program.refuse(slot, '%s is not defined (constants are named CFG_)' % symbol.name)
    if insn.imm or insn.high:
        program.refuse(slot, '%s + %d: a constant is used as it is' % (symbol.name, insn.imm))
    program.add_patch(slot, Patch('CONST', symbol.name))


def relocate_map(probe, program, slot, symbol):
    insn = program.insns[slot]
    for m in probe.maps:
        if m.offset == symbol.value + insn.imm:
            m.used = True
            insn.imm = insn.high = 0
            program.add_patch(slot, Patch('MAP', m.name, of=m))
            return
    program.refuse(slot, 'an address in section maps where no map begins')


def relocate(probe):
    elf = probe.elf
    for s in elf.sections:
        if s.type != SHT_REL or not elf.sections[s.info].flags & SHF_ALLOC:
            continue
        if not elf.sections[s.info].is_code():
            refuse(s.name, 0, 'relocations of maps or of the license')
        for offset, info in struct.iter_unpack('<QQ', s.data):
            program, slot = probe.at(elf.sections[s.info], offset)
            symbol = elf.symbols[info >> 32]
            if info & 0xffffffff != R_BPF_LD64:
                program.refuse(slot, 'a call of a BPF function (%s): make it always_inline' % symbol.name)
            if symbol.section == 0:
                relocate_constant(program, slot, symbol)
            elif elf.sections[symbol.section].name == 'maps':
                relocate_map(probe, program, slot, symbol)
            else:
                program.refuse(slot, 'refers to %s in section %s, which is not maps'
                               % (symbol.name, elf.sections[symbol.section].name))


# -- CO-RE records: fields, types, enumerators ------------------------------------------------

# By enum bpf_core_relo_kind of linux/bpf.h: the kind of patch (None: not supported), and a description.
CORE_KINDS = [
    ('OFF', "a field's offset"), ('SIZE', "a field's size"), ('EXISTS', "a field's existence"),
    ('SIGNED', "a field's sign"), (None, "a bit-field's left shift"), (None, "a bit-field's right shift"),
    (None, "a type's local number"), (None, "a type's number"), ('TYPE_EXISTS', "a type's existence"),
    ('TYPE_SIZE', "a type's size"), ('ENUM_EXISTS', "an enumerator's existence"),
    ('ENUM', "an enumerator's value"), (None, "a type's match"),
]


class Core:
    """A CO-RE record. Its value is that of the probe's own types, which clang used."""

    def __init__(self, btf, program, slot, number, access, kind):
        self.btf, self.program, self.slot = btf, program, slot
        self.name = ''
        self.type = number
        self.path = [int(n) for n in access.split(':')]
        if CORE_KINDS[kind][0] is None:
            program.refuse(slot, 'a CO-RE record of kind %d (%s), which kvis does not patch'
                           % (kind, CORE_KINDS[kind][1]))
        self.patch, self.what = CORE_KINDS[kind]
        self.size = 0  # size in bytes of a field that is a number
        if self.patch.startswith('TYPE_'):
            self.whole_type()
        elif self.patch.startswith('ENUM'):
            self.enumerator()
        else:
            self.field()
        if self.patch.endswith('EXISTS'):
            self.value = 1

    def refuse(self, why):
        self.program.refuse(self.slot, 'a CO-RE record: ' + why)

    def put_name(self, name):
        """Appends a name, without its ___flavor."""
        if not is_name(name):
            self.refuse('a type or member without a name in C')
        self.name += ('.' if self.name else '') + re.sub(r'(?<=[^_])___[^_].*$', '', name)

    def whole_type(self):
        self.put_name(self.btf.types[self.type].name or self.btf.real(self.type).name)
        self.value = self.btf.size(self.type)

    def enumerator(self):
        t = self.btf.real(self.type)
        each = EXTRA_WORDS[t.kind][1]
        name, low, *high = t.words[self.path[0] * each:(self.path[0] + 1) * each]
        self.put_name(t.name)
        self.put_name(string_at(self.btf.strings, name))
        self.value = low | high[0] << 32 if high else low

    def member(self, t, i):
        name, number, bits = t.words[3 * i:3 * i + 3]
        name = string_at(self.btf.strings, name)
        if (t.flag and bits >> 24) or bits % 8:
            self.refuse('%s is a bit-field' % name)
        self.offset += bits // 8
        if name:
            self.put_name(name)
        return number

    def field(self):
        """Follows a path like "TYPE.member.member[2]" through the probe's own types."""
        self.offset = 0
        self.put_name(self.btf.real(self.type).name)
        if self.path[0] != 0:
            self.refuse('an element of an array of structs')
        number = self.type
        for i in self.path[1:]:
            t = self.btf.real(number)
            if t.kind == ARRAY:
                number = t.words[0]
                self.offset += i * self.btf.size(number)
                self.name += '[%d]' % i
            else:
                number = self.member(t, i)
        if number == self.type:
            self.refuse('a field without a name')
        size = self.btf.size(number)
        self.value = {'OFF': self.offset, 'SIZE': size, 'SIGNED': self.btf.is_signed(number)}.get(self.patch)
        is_number = self.btf.real(number).kind not in (STRUCT, UNION)
        if self.patch == 'OFF' and is_number and size < 256:
            self.size = size

    def check_insn(self):
        """Checks that clang's value, which the patch replaces, is where the loader expects it."""
        insn = self.program.insns[self.slot]
        if insn.code == LD_IMM64:
            there = insn.imm & 0xffffffff | insn.high << 32
        elif insn.code in (0x07, 0xb7):  # += and =, of 64 bits, with a constant
            there = insn.imm
        elif insn.kind in (LDX, STX) and self.patch == 'OFF':
            there = insn.off
        else:
            self.program.refuse(self.slot, '%s on opcode 0x%02x, which cannot take it' % (self.what, insn.code))
        if (there ^ self.value) & 0xffffffff:
            self.program.refuse(self.slot, '%s is %d, but the instruction has %d' % (self.what, self.value, there))


# -- .BTF.ext: CO-RE records, and the source line of each instruction ---------------------------------

def ext_records(probe, btf, data):
    """One part of .BTF.ext: the size of a record, then for each section its name, a count, the records."""
    size = struct.unpack_from('<I', data)[0] if data else 0
    at = 4
    while at < len(data):
        name, count = struct.unpack_from('<II', data, at)
        section = probe.elf.find(string_at(btf.strings, name))
        at += 8
        for _ in range(count):
            offset, *words = struct.unpack_from('<4I', data, at)
            yield probe.at(section, offset), words
            at += size


def read_ext(probe, btf):
    data = probe.elf.need('.BTF.ext').data
    header, _, _, lines, lines_size, core, core_size = struct.unpack_from('<7I', data, 4)
    lines += header
    core += header
    for (program, slot), (path, text, number) in ext_records(probe, btf, data[lines:lines + lines_size]):
        if number >> 10:  # line 0 means that clang knows no line
            program.lines[slot] = (os.path.basename(string_at(btf.strings, path)), number >> 10,
                                   string_at(btf.strings, text))
    for (program, slot), (number, access, kind) in ext_records(probe, btf, data[core:core + core_size]):
        record = Core(btf, program, slot, number, string_at(btf.strings, access), kind)
        record.check_insn()
        program.add_patch(slot, Patch(record.patch, record.name, record.size))


# -- Reachable instructions, their stack use, and the lowest kernel -----------------------------------

def read_helpers():
    """Returns insn.h's table of helpers as number: (name, kernel)."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'insn.h')) as f:
        rows = re.findall(r'^    X\((\d+), (\w+), (\d+), (\d+)\)', f.read(), re.M)
    return {int(number): (name, (int(major), int(minor))) for number, name, major, minor in rows}


HELPERS = read_helpers()
# Helpers that only some types of BPF programs may call (kernel/trace/bpf_trace.c).
HELPERS_OF = {'perf_prog_read_value': ('PERF_EVENT',), 'read_branch_records': ('PERF_EVENT',),
              'get_func_ip': ('KPROBE',), 'get_attach_cookie': ('KPROBE', 'TRACEPOINT', 'PERF_EVENT')}

ANY = 'any'  # a register: None (not written), ('constant', N), ('stack', OFFSET), or ANY
JMP_NAMES = {0x10: ('JEQ', '=='), 0x20: ('JGT', '>'), 0x30: ('JGE', '>='), 0x40: ('JSET', '&'),
             0x50: ('JNE', '!='), 0x60: ('JSGT', 's>'), 0x70: ('JSGE', 's>='), 0xa0: ('JLT', '<'),
             0xb0: ('JLE', '<='), 0xc0: ('JSLT', 's<'), 0xd0: ('JSLE', 's<=')}
DECIDE = {'JEQ': lambda a, b: a == b, 'JNE': lambda a, b: a != b, 'JGT': lambda a, b: a > b,
          'JGE': lambda a, b: a >= b, 'JLT': lambda a, b: a < b, 'JLE': lambda a, b: a <= b,
          'JSET': lambda a, b: a & b != 0}


class Need:
    """The lowest kernel, and the first feature that needs it."""

    def __init__(self):
        self.kernel, self.why = (0, 0), ''

    def add(self, kernel, why):
        if kernel > self.kernel:
            self.kernel, self.why = kernel, why

    def __str__(self):
        return '%d.%d (%s)' % (*self.kernel, self.why)


class Walk:
    """Follows all paths of a BPF program whose constants (CFG_...) have the values in `known`."""

    def __init__(self, program, known):
        self.program, self.known = program, known
        self.before = {}  # the registers before each instruction that can run
        self.loops = False
        self.queue = []
        self.go(0, 0, [None, ANY] + [None] * 8 + [('stack', 0)])
        while self.queue:
            i = self.queue.pop()
            self.step(i, program.insns[i])

    def go(self, origin, i, registers):
        """Goes to instruction `i`. Keeps only what is known about the registers on all paths to `i`."""
        if i == len(self.program.insns):
            self.program.refuse(origin, 'runs off the end')
        if not 0 <= i < len(self.program.insns) or not self.program.insns[i]:
            self.program.refuse(origin, 'a jump out of the program')
        old = self.before.get(i)
        new = [a if a == b else ANY for a, b in zip(old, registers)] if old else registers
        if new != old:
            self.before[i] = new
            self.queue.append(i)

    def jump(self, i, insn, registers):
        to = i + 1 + insn.off
        taken = insn.code == JUMP or self.decide(registers[insn.dst], insn)
        if taken is not False:
            self.loops |= to <= i
            self.go(i, to, registers)
        if taken is not True:
            self.go(i, i + 1, registers)

    def decide(self, register, insn):
        """Returns whether the jump is taken, or None if that is unknown."""
        name = JMP_NAMES.get(insn.code & 0xf0, ('', ''))[0]
        if insn.code & 8 or name not in DECIDE or not register or register[0] != 'constant':
            return None
        return DECIDE[name](register[1], insn.imm & 0xffffffffffffffff)

    def loaded(self, i):
        patch = self.program.patches.get(i)
        if patch and patch.kind == 'CONST' and patch.name in self.known:
            return 'constant', self.known[patch.name]
        return ANY

    def alu(self, old, insn, registers):
        if insn.code == 0xbf:  # dst = src
            return registers[insn.src]
        if insn.code == 0x07 and old and old[0] == 'stack':  # dst += constant
            return 'stack', old[1] + insn.imm
        return ANY

    def step(self, i, insn):
        registers = list(self.before[i])
        if insn.code == EXIT:
            return
        if insn.kind in (JMP, JMP32) and insn.code != CALL:
            self.jump(i, insn, registers)
            return
        if insn.code == CALL:
            registers[:6] = [ANY] * 6
        elif insn.kind == LD:
            registers[insn.dst] = self.loaded(i)
        elif insn.kind == LDX:
            registers[insn.dst] = ANY
        elif insn.kind in (ALU, ALU64):
            registers[insn.dst] = self.alu(registers[insn.dst], insn, registers)
        self.go(i, i + (2 if insn.code == LD_IMM64 else 1), registers)

    def stack(self):
        """Returns how many bytes below the frame pointer the BPF program uses, in whole words."""
        deepest = 0
        for i, registers in self.before.items():
            insn = self.program.insns[i]
            base = registers[insn.src if insn.kind == LDX else insn.dst]
            if not base or base[0] != 'stack':
                continue
            if insn.kind in (LDX, ST, STX):
                depth = -(base[1] + insn.off)
            else:
                depth = -(base[1] + insn.imm) if insn.code == 0x07 else 0
            if depth > MAX_STACK:
                self.program.refuse(i, 'more than 512 bytes of stack')
            deepest = max(deepest, depth)
        return (deepest + 7) // 8 * 8


def need_insn(need, program, i):
    insn, patch = program.insns[i], program.patches.get(i)
    if insn.code == CALL:
        name, since = HELPERS[insn.imm]
        need.add(since, name)
    elif insn.kind == JMP and JMP_NAMES.get(insn.code & 0xf0, ('',))[0] in ('JLT', 'JLE', 'JSLT', 'JSLE'):
        need.add((4, 14), 'a jump if less')
    if patch and patch.map:
        name, since = MAP_TYPES[patch.map.number]
        need.add(since, 'a map of type ' + name)


def lowest(program, known):
    """Returns the need of the code that can run with these constants. Dead code needs a kernel that drops it,
    which is 4.15 (kernel/bpf/verifier.c, sanitize_dead_code)."""
    walk = Walk(program, known)
    need = Need()
    if walk.loops:
        need.add((5, 3), 'a loop')
    need.add(program.type.since, program.type.what)
    for i in sorted(walk.before):
        need_insn(need, program, i)
    if any(i not in walk.before for i, _ in program.code()):
        need.add((4, 15), 'a dead branch')
    return need


def judge(program):
    """Computes the stack size and the lowest kernel, once with all constants unknown and once with the one
    constant set to 0 that lowers it most. (The second is only reported: a filter may disable everything.)"""
    for i, insn in program.code():
        if insn.code == CALL and program.type.name not in HELPERS_OF.get(HELPERS[insn.imm][0],
                                                                         (program.type.name,)):
            program.refuse(i, 'a helper that programs of this type may not call')
    walk = Walk(program, {})
    for i, _ in program.code():
        if i not in walk.before:
            program.refuse(i, 'an instruction that nothing leads to')
    program.stack = walk.stack()
    program.need = lowest(program, {})
    program.low, program.zero = program.need, None
    for name in dict.fromkeys(p.name for _, p in sorted(program.patches.items()) if p.kind == 'CONST'):
        need = lowest(program, {name: 0})
        if need.kernel < program.low.kernel:
            program.low, program.zero = need, name


# -- One instruction as a macro of insn.h and as pseudo-C (what llvm-objdump prints) ------------------

ALU_NAMES = {0x00: ('ADD', '+='), 0x10: ('SUB', '-='), 0x20: ('MUL', '*='), 0x30: ('DIV', '/='),
             0x40: ('OR', '|='), 0x50: ('AND', '&='), 0x60: ('LSH', '<<='), 0x70: ('RSH', '>>='),
             0x90: ('MOD', '%='), 0xa0: ('XOR', '^='), 0xb0: ('MOV', '='), 0xc0: ('ARSH', 's>>=')}
SIZES = {0x00: ('W', 'u32'), 0x08: ('H', 'u16'), 0x10: ('B', 'u8'), 0x18: ('DW', 'u64')}
NEG, ENDIAN_LE, ENDIAN_BE = 0x87, 0xd4, 0xdc
MEM, ATOMIC = 0x60, 0xc0  # the upper three bits of LDX and STX


def render_alu(insn):
    if insn.code in (ENDIAN_LE, ENDIAN_BE):
        order = 'be' if insn.code == ENDIAN_BE else 'le'
        return ('I_ENDIAN(%s, R%d, %d)' % (order.upper(), insn.dst, insn.imm),
                'r%d = %s%d r%d' % (insn.dst, order, insn.imm, insn.dst))
    if insn.code == NEG:
        return 'I_NEG64(R%d)' % insn.dst, 'r%d = -r%d' % (insn.dst, insn.dst)
    if insn.kind != ALU64 or insn.code & 0xf0 not in ALU_NAMES:
        return None
    name, sign = ALU_NAMES[insn.code & 0xf0]
    from_register = insn.code & 8
    macro = 'I_MOV64_%s(' if name == 'MOV' else 'I_ALU64_%s(' + name + ', '
    return (macro % ('REG' if from_register else 'IMM') +
            'R%d, %s)' % (insn.dst, 'R%d' % insn.src if from_register else insn.imm),
            'r%d %s %s' % (insn.dst, sign, 'r%d' % insn.src if from_register else insn.imm))


def place(kind, register, offset):
    return '*(%s *)(r%d %s %d)' % (kind, register, '-' if offset < 0 else '+', abs(offset))


def render_memory(insn):
    size, kind = SIZES[insn.code & 0x18]
    mode = insn.code & 0xe0
    if insn.kind == LDX and mode == MEM:
        return ('I_LDX_MEM(%s, R%d, R%d, %d)' % (size, insn.dst, insn.src, insn.off),
                'r%d = %s' % (insn.dst, place(kind, insn.src, insn.off)))
    if insn.kind != STX:
        return None
    target = place(kind, insn.dst, insn.off)
    arguments = '(%s, R%d, %d, R%d)' % (size, insn.dst, insn.off, insn.src)
    if mode == MEM:
        return 'I_STX_MEM' + arguments, '%s = r%d' % (target, insn.src)
    if mode == ATOMIC and insn.imm == 0 and size in ('W', 'DW'):
        return 'I_XADD' + arguments, 'lock %s += %s%d' % (target, 'r' if size == 'DW' else 'w', insn.src)
    return None


def render_jump(insn, i):
    label = i + 1 + insn.off
    if insn.code == CALL:
        name = HELPERS[insn.imm][0]
        return 'I_CALL(%s)' % name, 'call ' + name
    if insn.code == EXIT:
        return 'I_EXIT()', 'exit'
    if insn.code == JUMP:
        return 'I_JA(%d)' % insn.off, 'goto L%d' % label
    if insn.kind != JMP or insn.code & 0xf0 not in JMP_NAMES:
        return None
    name, sign = JMP_NAMES[insn.code & 0xf0]
    if insn.code & 8:
        return ('I_JMP_REG(%s, R%d, R%d, %d)' % (name, insn.dst, insn.src, insn.off),
                'if r%d %s r%d goto L%d' % (insn.dst, sign, insn.src, label))
    return ('I_JMP_IMM(%s, R%d, %d, %d)' % (name, insn.dst, insn.imm, insn.off),
            'if r%d %s %d goto L%d' % (insn.dst, sign, insn.imm, label))


def render_wide(insn, patch):
    if insn.code != LD_IMM64 or insn.src:
        return None
    if patch and patch.kind == 'MAP':
        return 'I_LD_MAP(R%d, %s)' % (insn.dst, patch.name), 'r%d = map %s' % (insn.dst, patch.name)
    if patch and patch.kind == 'CONST':
        return 'I_LD_CONST(R%d, %s)' % (insn.dst, patch.name), 'r%d = %s' % (insn.dst, patch.name)
    return ('I_LD_IMM64(R%d, 0x%x)' % (insn.dst, insn.imm & 0xffffffff | (insn.high & 0xffffffff) << 32),
            'r%d = %d ll' % (insn.dst, insn.imm & 0xffffffff | insn.high << 32))


def render(program, i):
    insn = program.insns[i]
    if insn.code == CALL and insn.src:
        program.refuse(i, 'a call of a BPF function: make it always_inline')
    if insn.code == CALL and insn.imm not in HELPERS:
        program.refuse(i, 'helper %d is not one of insn.h' % insn.imm)
    if insn.kind == LD:
        form = render_wide(insn, program.patches.get(i))
    elif insn.kind in (LDX, ST, STX):
        form = render_memory(insn)
    elif insn.kind in (ALU, ALU64):
        form = render_alu(insn)
    else:
        form = render_jump(insn, i)
    return form or program.refuse(i, 'opcode 0x%02x (dst %d, src %d, off %d, imm %d) has no form in insn.h'
                                  % (insn.code, insn.dst, insn.src, insn.off, insn.imm))


# -- The header -----------------------------------------------------------------------------------

def lowest_lines(program):
    yield str(program.need)
    if program.zero:
        yield 'with %s=0: %s' % (program.zero, program.low)


def write_head(out, probe, arguments):
    out('/* Generated by gen/insngen.py. Do not edit: change the probe, then make gen.\n *')
    for sha, path in zip(arguments.sources[::2], arguments.sources[1::2]):
        out(' * %s\n *   sha256 %s' % (os.path.basename(path), sha))
    out(' * compiler: %s\n * flags: %s\n *' % (arguments.compiler, arguments.flags))
    for m in probe.maps:
        if m.used:
            out(' * map %s: %s, key %d, value %d, entries %d, flags 0x%x' % (m.name, m.type, *m.sizes))
    for p in probe.programs:
        out(' * program %s: %s, %d instructions, stack %d' % (p.name, p.section.name, len(p.insns), p.stack))
        out(' *   lowest kernel ' + '\n *   '.join(lowest_lines(p)))
    called = {insn.imm for p in probe.programs for _, insn in p.code() if insn.code == CALL}
    if called:
        out(' *\n * helpers, with the kernel that introduced each:')
    for number in sorted(called):
        name, since = HELPERS[number]
        out(' *   %-24s %d.%d' % (name, *since))
    out(' */\n\n#include "../gen/insn.h"')


def source_line(line):
    """Returns a line of the probe as a // comment, which a \\ at the end would continue."""
    path, number, text = line
    return ('    // %s:%d  %s' % (path, number, text.lstrip(' \t').replace('\t', ' ')))[:COLUMNS].rstrip('\\ ')


def insn_line(program, i):
    macro, pseudo = render(program, i)
    patch = program.patches.get(i)
    line = '%-*s /* %s' % (MACRO_COLUMNS, '    /* %4d */ %s,' % (i, macro), pseudo)
    if patch and patch.kind not in ('MAP', 'CONST') and len(line) + 6 + len(patch.name) <= COLUMNS:
        line += '  [%s]' % patch.name
    return line + ' */'


def write_program(out, program):
    """Writes a BPF program. VETTED has the hash of this text from "begin" to "end", without the source lines."""
    out('\n/* begin program %s\n * section %s, %d instructions, stack %d bytes' %
        (program.name, program.section.name, len(program.insns), program.stack))
    out(' * lowest kernel ' + '\n *   '.join(lowest_lines(program)) + ' */')
    out('static const struct bpf_insn %s_insns[] = {' % program.name)
    targets = {i + 1 + insn.off for i, insn in program.code()
               if insn.kind == JMP and insn.code not in (CALL, EXIT)}
    last = None
    for i, _ in program.code():
        line = program.lines.get(i)
        if line and line[:2] != last:
            out(source_line(line))
            last = line[:2]
        if i in targets:
            out('    /* L%d: */' % i)
        out(insn_line(program, i))
    out('};')
    if program.patches:
        out('static const struct bpf_patch %s_patches[] = {' % program.name)
        for i, patch in sorted(program.patches.items()):
            out('    { %d, PATCH_%s, %d, "%s" },' % (i, patch.kind, patch.size, patch.name))
        out('};')
    out('/* end program %s */' % program.name)


def write_row(out, program, suffix, attach, kind, since=(0, 0)):
    name = program.name
    kernel = max(since, program.need.kernel)
    out('    { .name = "%s%s", .attach = "%s",' % (name, suffix, attach))
    out('      .type = BPF_PROG_TYPE_%s, .is_ret = %d, .lowest = I_KERNEL(%d, %d),'
        % (kind, program.type.is_ret, *kernel))
    out('      .insns = %s_insns, .n_insns = I_LEN(%s_insns),' % (name, name))
    if program.patches:
        out('      .patches = %s_patches, .n_patches = I_LEN(%s_patches),' % (name, name))
    out('    },')


def write_rows(out, program):
    event = program.attach.rpartition('/')[2] if program.type.rows > 1 else program.attach
    if program.type.typed:
        write_row(out, program, '', 'btf_trace_' + event, 'TRACING', (5, 5))
    else:
        write_row(out, program, '', event, program.type.name)
    if program.type.rows > 1:
        write_row(out, program, '_tp', program.attach, 'TRACEPOINT')


def write_family(out, probe, name):
    maps = [m for m in probe.maps if m.used]
    if maps:
        out('\nstatic const struct bpf_map_row %s_maps[] = {' % name)
        for m in maps:
            out('    { "%s", BPF_MAP_TYPE_%s, %d, %d, %d, %d },' % (m.name, m.type, *m.sizes))
        out('};')
    out('\nenum {')
    for p in probe.programs:
        for suffix in ('', '_TP')[:p.type.rows]:
            out('    PROG_%s%s,' % (p.name.upper(), suffix))
    out('};\nstatic const struct bpf_prog_row %s_progs[] = {' % name)
    for p in probe.programs:
        write_rows(out, p)
    out('};\n\nstatic const struct bpf_family %s_family = {' % name)
    out('    .name = "%s", .license = "%s",' % (name, probe.license))
    out('    .progs = %s_progs, .n_progs = I_LEN(%s_progs),' % (name, name))
    if maps:
        out('    .maps = %s_maps, .n_maps = I_LEN(%s_maps),' % (name, name))
    out('};')


def header_of(data, arguments):
    """Returns the whole text, which is written only if the whole object is accepted."""
    lines = []
    probe = Probe(Elf(data))
    btf = Btf(probe.elf.need('.BTF'))
    relocate(probe)
    read_ext(probe, btf)
    for p in probe.programs:
        for i, _ in p.code():
            render(p, i)
        judge(p)
    write_head(lines.append, probe, arguments)
    for p in probe.programs:
        write_program(lines.append, p)
    write_family(lines.append, probe, os.path.basename(arguments.object).partition('.')[0])
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--compiler', default='?')
    parser.add_argument('--flags', default='?')
    parser.add_argument('object')
    parser.add_argument('sources', nargs='*')
    arguments = parser.parse_args()
    try:
        with open(arguments.object, 'rb') as f:
            text = header_of(f.read(), arguments)
    except OSError as e:
        sys.exit('insngen: %s: file+0x0: cannot be opened: %s' % (arguments.object, e.strerror))
    except Refused as e:
        sys.exit('insngen: %s: %s' % (arguments.object, e))
    except (struct.error, IndexError, KeyError, ValueError, AttributeError, TypeError) as e:
        sys.exit('insngen: %s: file+0x0: not what clang makes of a probe: %r' % (arguments.object, e))
    sys.stdout.write(text)


if __name__ == '__main__':
    main()
