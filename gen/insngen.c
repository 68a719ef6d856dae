// SPDX-License-Identifier: MIT
/* insngen: reads one BPF object that clang made of gen/probes/NAME.bpf.c and writes it as C that a
 * person can read and kvis.c can include: bpf_insns/NAME.h.
 *
 *     insngen [-c COMPILER] [-f FLAGS] NAME.bpf.o [SHA256 SOURCE]... >bpf_insns/NAME.h
 *
 * Output depends on the object and these arguments only: no dates, no paths.
 * What it does not understand it refuses, with file, section and offset. The object is hostile
 * until proven otherwise: every offset, count and reference is checked before it is followed.
 *
 * To read it: from main at the bottom. A section calls only the sections above it.
 *
 *   1 u_    errors, memory, text
 *   2 elf_  sections, symbols
 *   3 btf_  types
 *   4 prog_ programs and maps
 *   5 rel_  relocations: maps and constants
 *   6 core_ CO-RE records: fields, types, enumerators
 *   7 line_ line info: which source line made an instruction
 *   8 walk_ what can run, how much stack it takes, the lowest kernel that takes it
 *   9 ins_  one instruction as a macro and as pseudo-C
 *  10 out_  the header
 *  11 main
 *
 * Formats: the ELF gABI; Documentation/bpf/btf.rst (types, .BTF.ext); linux/bpf.h; BPF relocations:
 * Documentation/bpf/llvm_reloc.rst. */

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insn.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "insngen reads little-endian objects by memcpy"
#endif

#ifndef EM_BPF
#define EM_BPF 247
#endif

enum {
    MAX_OBJECT = 16 << 20, /* bytes */
    MAX_INSNS = 65535,     /* of a program: bpf_patch.insn has 16 bits */
    MAX_PROGS = 256,
    MAX_MAPS = 64,
    MAX_CONSTANTS = 128,   /* of a program */
    MAX_MAP_NAME = 15,     /* BPF_OBJ_NAME_LEN less its NUL */
    MAX_NAME = 96,         /* of a program; of a field: MAX_FIELD */
    MAX_FIELD = 160,
    MAX_DEPTH = 32,        /* types within types */
    MAX_STACK = 512,
    COLUMNS = 100,
    MACRO_COLUMNS = 46,    /* the pseudo-C stands behind them */
};

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* == 1 u_: errors, memory, text ================================================= */

static struct {
    const char *file;
    struct block *blocks;
    jmp_buf *caught; /* fuzzing: where an error goes */
} u;

/* What was taken is given back all at once: a run is short, and an error may end it anywhere. */
struct block {
    struct block *next;
    max_align_t bytes[];
};

static void __attribute__((noreturn)) u_quit(void)
{
    if (u.caught)
        longjmp(*u.caught, 1);
    exit(1);
}

/* u_fail: "insngen: FILE: SECTION+0xOFFSET: what", and the end. Names in it come from the object:
 * what is not printable becomes '?'. */
static void __attribute__((noreturn)) PRINTF_LIKE(3, 4)
u_fail(const char *section, uint64_t off, const char *fmt, ...)
{
    char s[400];
    va_list ap;
    int n;

    n = snprintf(s, sizeof s, "%.80s+0x%llx: ", section, (unsigned long long)off);
    va_start(ap, fmt);
    vsnprintf(s + n, sizeof s - (size_t)n, fmt, ap);
    va_end(ap);
    for (char *p = s; *p; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
    if (!u.caught)
        fprintf(stderr, "insngen: %s: %s\n", u.file, s);
    u_quit();
}

static void *u_take(size_t n, size_t size)
{
    struct block *b;

    if (n > MAX_OBJECT || (b = calloc(1, sizeof *b + n * size)) == NULL)
        u_fail("memory", n, "no memory");
    b->next = u.blocks;
    u.blocks = b;
    return b->bytes;
}

/* Frees what was taken since u.blocks was `last`; NULL: everything. */
static void u_give_back(struct block *last)
{
    while (u.blocks != last) {
        struct block *b = u.blocks;

        u.blocks = b->next;
        free(b);
    }
}

static const char *u_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool u_is_of(const char *s, const char *more)
{
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
              strchr(more, *s)))
            return false;
    return true;
}

static bool u_is_name(const char *s, size_t max)
{
    return *s && !(*s >= '0' && *s <= '9') && strlen(s) <= max && u_is_of(s, "_");
}

/* == 2 elf_: sections, symbols ================================================== */

struct section {
    const char *name;
    uint32_t type, info, link;
    uint64_t flags, entsize;
    const uint8_t *p;
    uint64_t n; /* bytes at p */
};

struct symbol {
    const char *name;
    uint8_t type;
    uint16_t shndx;
    uint64_t value, size;
};

static struct {
    const uint8_t *p;
    uint64_t n;
    struct section *sec;
    uint32_t n_sec;
    struct symbol *sym;
    uint64_t n_sym;
} elf;

/* A NUL-terminated string in a string table. */
static const char *elf_string(const struct section *s, uint64_t off)
{
    if (off >= s->n || !memchr(s->p + off, 0, s->n - off))
        u_fail(s->name ? s->name : "string table", off, "no string is here");
    return (const char *)s->p + off;
}

static void elf_section(uint32_t i, uint64_t at)
{
    struct section *s = &elf.sec[i];
    Elf64_Shdr h;

    memcpy(&h, elf.p + at, sizeof h);
    *s = (struct section){ .name = "?", .type = h.sh_type, .info = h.sh_info, .link = h.sh_link,
                           .flags = h.sh_flags, .entsize = h.sh_entsize };
    if (h.sh_type == SHT_NULL)
        return;
    s->n = h.sh_size;
    if (h.sh_type == SHT_NOBITS)
        return;
    if (h.sh_offset > elf.n || h.sh_size > elf.n - h.sh_offset)
        u_fail("section headers", at, "section %u lies outside of the file", i);
    s->p = elf.p + h.sh_offset;
}

static void elf_header(Elf64_Ehdr *h)
{
    if (elf.n < sizeof *h)
        u_fail("ELF header", 0, "the file is too short");
    memcpy(h, elf.p, sizeof *h);
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        u_fail("ELF header", 0, "not an ELF file");
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_type != ET_REL || h->e_machine != EM_BPF)
        u_fail("ELF header", EI_CLASS, "not a relocatable little-endian BPF object");
    if (h->e_shentsize != sizeof(Elf64_Shdr) || !h->e_shnum || h->e_shoff > elf.n ||
        (elf.n - h->e_shoff) / sizeof(Elf64_Shdr) < h->e_shnum || h->e_shstrndx >= h->e_shnum)
        u_fail("ELF header", offsetof(Elf64_Ehdr, e_shoff), "the section headers are broken");
}

static void elf_names(uint32_t strings)
{
    Elf64_Ehdr h;

    memcpy(&h, elf.p, sizeof h);
    if (elf.sec[strings].type != SHT_STRTAB)
        u_fail("section headers", strings, "their names are not in a string table");
    for (uint32_t i = 0; i < elf.n_sec; i++) {
        Elf64_Word name;

        memcpy(&name, elf.p + h.e_shoff + i * sizeof(Elf64_Shdr), sizeof name);
        elf.sec[i].name = elf_string(&elf.sec[strings], name);
    }
}

/* The one section of that name; NULL: there is none. */
static struct section *elf_find(const char *name)
{
    struct section *found = NULL;

    for (uint32_t i = 1; i < elf.n_sec; i++) {
        if (strcmp(elf.sec[i].name, name) != 0)
            continue;
        if (found)
            u_fail(name, 0, "there are two sections of this name");
        found = &elf.sec[i];
    }
    return found;
}

/* As elf_find, with bytes in the file. */
static struct section *elf_need(const char *name)
{
    struct section *s = elf_find(name);

    if (!s || !s->p)
        u_fail(name, 0, "no such section");
    return s;
}

static void elf_symbols(void)
{
    struct section *s = elf_need(".symtab"), *strings;
    Elf64_Sym e;

    if (s->type != SHT_SYMTAB || s->entsize != sizeof e || s->n % sizeof e || s->link >= elf.n_sec)
        u_fail(s->name, 0, "a broken symbol table");
    strings = &elf.sec[s->link];
    if (strings->type != SHT_STRTAB)
        u_fail(s->name, 0, "its names are not in a string table");
    elf.n_sym = s->n / sizeof e;
    elf.sym = u_take(elf.n_sym, sizeof *elf.sym);
    for (uint64_t i = 0; i < elf.n_sym; i++) {
        memcpy(&e, s->p + i * sizeof e, sizeof e);
        elf.sym[i] = (struct symbol){ elf_string(strings, e.st_name), ELF64_ST_TYPE(e.st_info),
                                      e.st_shndx, e.st_value, e.st_size };
    }
}

static void elf_read(const uint8_t *p, size_t n)
{
    Elf64_Ehdr h;

    memset(&elf, 0, sizeof elf);
    elf.p = p;
    elf.n = n;
    elf_header(&h);
    elf.n_sec = h.e_shnum;
    elf.sec = u_take(elf.n_sec, sizeof *elf.sec);
    for (uint32_t i = 0; i < elf.n_sec; i++)
        elf_section(i, h.e_shoff + i * sizeof(Elf64_Shdr));
    elf_names(h.e_shstrndx);
    elf_symbols();
}

/* A number in a section's bytes. */
static uint32_t elf_u32(const struct section *s, uint64_t off)
{
    uint32_t v;

    if (off > s->n || s->n - off < sizeof v)
        u_fail(s->name, off, "cut short");
    memcpy(&v, s->p + off, sizeof v);
    return v;
}

static uint16_t elf_u16(const struct section *s, uint64_t off)
{
    uint16_t v;

    if (off > s->n || s->n - off < sizeof v)
        u_fail(s->name, off, "cut short");
    memcpy(&v, s->p + off, sizeof v);
    return v;
}

/* A part of a section, as a section: .BTF and .BTF.ext have parts of their own. */
static struct section elf_part(const struct section *s, uint64_t off, uint64_t n, const char *what)
{
    struct section part = *s;

    if (off > s->n || n > s->n - off)
        u_fail(s->name, off, "%s lie outside of the section", what);
    part.p = s->p + off;
    part.n = n;
    return part;
}

/* == 3 btf_: types ============================================================== */

enum btf_kind {
    BTF_VOID, BTF_INT, BTF_PTR, BTF_ARRAY, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_FWD, BTF_TYPEDEF,
    BTF_VOLATILE, BTF_CONST, BTF_RESTRICT, BTF_FUNC, BTF_FUNC_PROTO, BTF_VAR, BTF_DATASEC,
    BTF_FLOAT, BTF_DECL_TAG, BTF_TYPE_TAG, BTF_ENUM64, N_BTF_KINDS
};

/* Bytes behind the 12 of each type: fixed ones, and for each of its vlen entries. */
static const struct { uint8_t fixed, entry; } btf_extra[N_BTF_KINDS] = {
    [BTF_INT] = { 4, 0 },       [BTF_ARRAY] = { 12, 0 },   [BTF_STRUCT] = { 0, 12 },
    [BTF_UNION] = { 0, 12 },    [BTF_ENUM] = { 0, 8 },     [BTF_FUNC_PROTO] = { 0, 8 },
    [BTF_VAR] = { 4, 0 },       [BTF_DATASEC] = { 0, 12 }, [BTF_DECL_TAG] = { 4, 0 },
    [BTF_ENUM64] = { 0, 12 },
};

struct btf_type {
    const char *name;
    uint8_t kind;
    bool flag;       /* kind_flag: struct: offsets hold bit-field sizes; enum: signed */
    uint16_t vlen;
    uint32_t size;   /* or the type that it refers to */
    uint64_t extra;  /* where its further bytes are, in btf.types */
};

static struct {
    struct section types, strings;
    struct btf_type *type; /* [0]: void */
    uint32_t n;
} btf;

static const char *btf_string(uint32_t off)
{
    return elf_string(&btf.strings, off);
}

static uint32_t btf_u32(uint64_t off)
{
    return elf_u32(&btf.types, off);
}

/* Reads the type at `off`; where the next one is. */
static uint64_t btf_type_at(uint64_t off, struct btf_type *t)
{
    uint32_t info = btf_u32(off + 4);
    uint64_t end;

    t->kind = info >> 24 & 0x1f;
    t->flag = info >> 31;
    t->vlen = info & 0xffff;
    t->size = btf_u32(off + 8);
    t->extra = off + 12;
    if (t->kind == BTF_VOID || t->kind >= N_BTF_KINDS)
        u_fail(".BTF types", off, "a type of unknown kind %u", t->kind);
    t->name = btf_string(btf_u32(off));
    end = t->extra + btf_extra[t->kind].fixed + (uint64_t)t->vlen * btf_extra[t->kind].entry;
    if (end > btf.types.n)
        u_fail(".BTF types", off, "cut short");
    return end;
}

static void btf_header(const struct section *s)
{
    uint32_t header;

    if (elf_u16(s, 0) != 0xeb9f || s->n < 3 || s->p[2] != 1)
        u_fail(s->name, 0, "not BTF of version 1");
    header = elf_u32(s, 4);
    btf.types = elf_part(s, (uint64_t)header + elf_u32(s, 8), elf_u32(s, 12), "the types");
    btf.strings = elf_part(s, (uint64_t)header + elf_u32(s, 16), elf_u32(s, 20), "the strings");
    btf.types.name = ".BTF types";
    btf.strings.name = ".BTF strings";
}

static void btf_read(void)
{
    uint32_t n = 1;

    memset(&btf, 0, sizeof btf);
    btf_header(elf_need(".BTF"));
    btf.type = u_take(btf.types.n / 12 + 1, sizeof *btf.type);
    btf.type[0].name = "void";
    for (uint64_t off = 0; off < btf.types.n; n++)
        off = btf_type_at(off, &btf.type[n]);
    btf.n = n;
}

static const struct btf_type *btf_type(uint32_t id)
{
    if (id >= btf.n)
        u_fail(".BTF types", id, "there is no type of this number");
    return &btf.type[id];
}

/* The type behind typedefs and qualifiers. */
static const struct btf_type *btf_real(uint32_t id)
{
    for (int i = 0; i < MAX_DEPTH; i++) {
        const struct btf_type *t = btf_type(id);

        switch (t->kind) {
        case BTF_TYPEDEF: case BTF_VOLATILE: case BTF_CONST: case BTF_RESTRICT: case BTF_TYPE_TAG:
            id = t->size;
            continue;
        }
        return t;
    }
    u_fail(".BTF types", id, "typedefs without end");
}

static uint64_t btf_size_of(uint32_t id)
{
    uint64_t many = 1;

    for (int i = 0; i < MAX_DEPTH; i++) {
        const struct btf_type *t = btf_real(id);

        switch (t->kind) {
        case BTF_INT: case BTF_FLOAT: case BTF_STRUCT: case BTF_UNION: case BTF_ENUM:
        case BTF_ENUM64:
            return many * t->size;
        case BTF_PTR:
            return many * 8;
        case BTF_ARRAY:
            many *= btf_u32(t->extra + 8);
            if (many > UINT32_MAX)
                u_fail(".BTF types", id, "an array of more than 4 GiB");
            id = btf_u32(t->extra);
            continue;
        }
        u_fail(".BTF types", id, "a type without a size");
    }
    u_fail(".BTF types", id, "arrays without end");
}

static bool btf_is_signed(uint32_t id)
{
    const struct btf_type *t = btf_real(id);

    if (t->kind == BTF_INT)
        return btf_u32(t->extra) >> 24 & 1;
    return (t->kind == BTF_ENUM || t->kind == BTF_ENUM64) && t->flag;
}

/* == 4 prog_: programs and maps ================================================= */

/* What a section's name says about the programs in it. `since`: the kernel that has the type. */
struct prog_type {
    const char *prefix; /* up to the first '/' */
    uint32_t type;
    const char *name, *what;
    uint32_t since;
    bool attach, is_ret; /* something stands behind the '/'; it is the function's return */
    bool both;           /* "CATEGORY/EVENT", and a second row for the classic tracepoint */
    bool typed;          /* and a third one, whose arguments are pointers of types that BTF knows */
};

static const struct prog_type prog_types[] = {
    { "tp", BPF_PROG_TYPE_TRACEPOINT, "TRACEPOINT", "tracepoints", I_KERNEL(4, 7), true, false,
      false, false },
    { "raw_tp", BPF_PROG_TYPE_RAW_TRACEPOINT, "RAW_TRACEPOINT", "raw tracepoints", I_KERNEL(4, 17),
      true, false, false, false },
    { "both", BPF_PROG_TYPE_RAW_TRACEPOINT, "RAW_TRACEPOINT", "raw tracepoints", I_KERNEL(4, 17),
      true, false, true, false },
    { "all", BPF_PROG_TYPE_RAW_TRACEPOINT, "RAW_TRACEPOINT", "raw tracepoints", I_KERNEL(4, 17),
      true, false, true, true },
    { "kprobe", BPF_PROG_TYPE_KPROBE, "KPROBE", "kprobes", I_KERNEL(4, 1), true, false, false,
      false },
    { "kretprobe", BPF_PROG_TYPE_KPROBE, "KPROBE", "kprobes", I_KERNEL(4, 1), true, true, false,
      false },
    { "perf_event", BPF_PROG_TYPE_PERF_EVENT, "PERF_EVENT", "perf events", I_KERNEL(4, 9), false,
      false, false, false },
};

struct map_type {
    uint32_t type;
    const char *name;
    uint32_t since;
};

static const struct map_type map_types[] = {
    { BPF_MAP_TYPE_HASH, "HASH", I_KERNEL(3, 19) },
    { BPF_MAP_TYPE_ARRAY, "ARRAY", I_KERNEL(3, 19) },
    { BPF_MAP_TYPE_PROG_ARRAY, "PROG_ARRAY", I_KERNEL(4, 2) },
    { BPF_MAP_TYPE_PERF_EVENT_ARRAY, "PERF_EVENT_ARRAY", I_KERNEL(4, 3) },
    { BPF_MAP_TYPE_PERCPU_HASH, "PERCPU_HASH", I_KERNEL(4, 6) },
    { BPF_MAP_TYPE_PERCPU_ARRAY, "PERCPU_ARRAY", I_KERNEL(4, 6) },
    { BPF_MAP_TYPE_STACK_TRACE, "STACK_TRACE", I_KERNEL(4, 6) },
    { BPF_MAP_TYPE_CGROUP_ARRAY, "CGROUP_ARRAY", I_KERNEL(4, 8) },
    { BPF_MAP_TYPE_LRU_HASH, "LRU_HASH", I_KERNEL(4, 10) },
    { BPF_MAP_TYPE_LRU_PERCPU_HASH, "LRU_PERCPU_HASH", I_KERNEL(4, 10) },
    { BPF_MAP_TYPE_LPM_TRIE, "LPM_TRIE", I_KERNEL(4, 11) },
    { BPF_MAP_TYPE_QUEUE, "QUEUE", I_KERNEL(4, 20) },
    { BPF_MAP_TYPE_STACK, "STACK", I_KERNEL(4, 20) },
    { BPF_MAP_TYPE_RINGBUF, "RINGBUF", I_KERNEL(5, 8) },
};

struct map {
    const char *name;
    uint32_t def[5]; /* type, key_size, value_size, max_entries, flags */
    const struct map_type *type;
    uint64_t off;
    bool used;
};

struct patch {
    bool set;
    uint8_t kind, size;
    const char *name;
    const struct map *map;
};

struct line {
    const char *file, *text; /* text NULL: no record begins at this instruction */
    uint32_t number;
};

struct prog {
    const char *name, *attach;
    const struct prog_type *type;
    uint32_t sec;
    uint64_t off;           /* in its section */
    uint32_t n;             /* slots */
    struct bpf_insn *insn;
    struct patch *patch;    /* [n], as are these: */
    struct line *line;
    bool *second, *target;  /* the second half of ld_imm64; a jump goes here */
    uint32_t stack;         /* bytes */
    struct need {
        uint32_t kernel;
        char why[64], zero[MAX_NAME + 1]; /* zero: that constant */
    } need[2], low;         /* with CFG_RINGBUF 0, 1; with 0 and one more constant 0 */
};

static struct {
    struct prog prog[MAX_PROGS];
    struct map map[MAX_MAPS];
    uint32_t n_progs, n_maps;
    const char *license;
} obj;

static const struct prog_type *prog_type_of(const char *section)
{
    size_t len = strcspn(section, "/");

    for (size_t i = 0; i < I_LEN(prog_types); i++) {
        const struct prog_type *t = &prog_types[i];

        if (strlen(t->prefix) == len && memcmp(t->prefix, section, len) == 0 &&
            t->attach == (section[len] == '/' && section[len + 1]))
            return t;
    }
    return NULL;
}

static bool prog_is_code(const struct section *s)
{
    return s->flags & SHF_EXECINSTR && s->n;
}

/* Sections that a program could refer to: programs, maps, the license, and nothing else. */
static void prog_check_sections(void)
{
    for (uint32_t i = 1; i < elf.n_sec; i++) {
        struct section *s = &elf.sec[i];

        if (prog_is_code(s)) {
            elf_find(s->name); /* only one of that name */
            if (strcmp(s->name, ".text") == 0)
                u_fail(s->name, 0, "a BPF function outside of the programs: make it always_inline");
            if (!prog_type_of(s->name) || s->type != SHT_PROGBITS)
                u_fail(s->name, 0, "programs cannot be in a section of this name");
            if (!u_is_of(s->name, "_/.-"))
                u_fail("section headers", i, "a name with odd characters");
        } else if (s->flags & SHF_ALLOC && s->n && strcmp(s->name, "maps") != 0 &&
                   strcmp(s->name, "license") != 0) {
            u_fail(s->name, 0, "data: a program has maps and constants (CFG_) only");
        }
    }
}

static void prog_maps_in_order(void)
{
    for (uint32_t i = 1; i < obj.n_maps; i++) {
        struct map m = obj.map[i];
        uint32_t j = i;

        for (; j && obj.map[j - 1].off > m.off; j--)
            obj.map[j] = obj.map[j - 1];
        obj.map[j] = m;
    }
    for (uint32_t i = 0; i < obj.n_maps; i++)
        if (obj.map[i].off != i * sizeof obj.map[i].def)
            u_fail("maps", obj.map[i].off, "maps overlap or leave a gap");
}

static const struct map_type *prog_map_type(uint32_t type, uint64_t off)
{
    for (size_t i = 0; i < I_LEN(map_types); i++)
        if (map_types[i].type == type)
            return &map_types[i];
    u_fail("maps", off, "a map of type %u, which is not in insngen's table", type);
}

static void prog_add_map(const struct symbol *sym, const struct section *s)
{
    struct map *m = &obj.map[obj.n_maps++];

    if (obj.n_maps == MAX_MAPS)
        u_fail("maps", sym->value, "more than %d maps", MAX_MAPS - 1);
    if (!u_is_name(sym->name, MAX_MAP_NAME))
        u_fail("maps", sym->value, "a map's name is one of C, of at most %d bytes", MAX_MAP_NAME);
    if (sym->size != sizeof m->def)
        u_fail("maps", sym->value, "%s has %llu bytes, not %zu", sym->name,
               (unsigned long long)sym->size, sizeof m->def);
    *m = (struct map){ .name = sym->name, .off = sym->value };
    for (int i = 0; i < 5; i++)
        m->def[i] = elf_u32(s, sym->value + 4 * (uint64_t)i);
    m->type = prog_map_type(m->def[0], m->off);
}

static void prog_maps(void)
{
    struct section *s = elf_find("maps");

    if (!s)
        return;
    if (s->type != SHT_PROGBITS)
        u_fail("maps", 0, "has no bytes in the file");
    for (uint64_t i = 0; i < elf.n_sym; i++)
        if (elf.sym[i].type == STT_OBJECT && elf.sym[i].shndx == s - elf.sec)
            prog_add_map(&elf.sym[i], s);
    prog_maps_in_order();
    if (s->n != obj.n_maps * sizeof obj.map[0].def)
        u_fail("maps", s->n, "bytes that belong to no map");
}

static void prog_license(void)
{
    struct section *s = elf_need("license");

    obj.license = elf_string(s, 0);
    if (strlen(obj.license) + 1 != s->n || !u_is_of(obj.license, " ./-") || !*obj.license)
        u_fail("license", 0, "not one string of letters");
}

/* Copies the instructions of a program and marks the second halves. */
static void prog_load(struct prog *p, const struct section *s)
{
    p->insn = u_take(p->n, sizeof *p->insn);
    p->patch = u_take(p->n, sizeof *p->patch);
    p->line = u_take(p->n, sizeof *p->line);
    p->second = u_take(p->n, 1);
    p->target = u_take(p->n, 1);
    memcpy(p->insn, s->p + p->off, p->n * sizeof *p->insn);
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->insn[i].code != (BPF_LD | BPF_DW | BPF_IMM))
            continue;
        if (++i == p->n)
            u_fail(s->name, p->off + 8 * (uint64_t)i, "ld_imm64 is cut short");
        p->second[i] = true;
    }
}

static void prog_add(const struct symbol *sym)
{
    struct section *s = &elf.sec[sym->shndx];
    struct prog *p = &obj.prog[obj.n_progs++];

    if (obj.n_progs == MAX_PROGS)
        u_fail(s->name, sym->value, "more than %d programs", MAX_PROGS - 1);
    if (sym->value % 8 || sym->size % 8 || !sym->size || sym->value > s->n ||
        sym->size > s->n - sym->value || sym->size / 8 > MAX_INSNS)
        u_fail(s->name, sym->value, "a program's symbol with bad bounds");
    if (!u_is_name(sym->name, MAX_NAME))
        u_fail(s->name, sym->value, "a program's name is one of C, of at most %d bytes", MAX_NAME);
    *p = (struct prog){ .name = sym->name, .type = prog_type_of(s->name), .sec = sym->shndx,
                        .off = sym->value, .n = (uint32_t)(sym->size / 8) };
    p->attach = s->name + strlen(p->type->prefix);
    p->attach += *p->attach == '/';
    if (p->type->both && !strchr(p->attach, '/'))
        u_fail(s->name, 0, "of both kinds of tracepoints, but not \"%s/CATEGORY/EVENT\"",
               p->type->prefix);
    prog_load(p, s);
}

static bool prog_before(const struct prog *a, const struct prog *b)
{
    return a->sec != b->sec ? a->sec < b->sec : a->off < b->off;
}

/* In the order of the file; they fill their sections without a gap. */
static void prog_in_order(void)
{
    uint64_t end = 0;

    for (uint32_t i = 1; i < obj.n_progs; i++) {
        struct prog p = obj.prog[i];
        uint32_t j = i;

        for (; j && prog_before(&p, &obj.prog[j - 1]); j--)
            obj.prog[j] = obj.prog[j - 1];
        obj.prog[j] = p;
    }
    for (uint32_t i = 0; i < obj.n_progs; i++) {
        struct prog *p = &obj.prog[i];
        bool last = i + 1 == obj.n_progs || obj.prog[i + 1].sec != p->sec;

        if (p->off != end)
            u_fail(elf.sec[p->sec].name, end, "programs overlap or leave a gap");
        end = p->off + 8 * (uint64_t)p->n;
        if (last && end != elf.sec[p->sec].n)
            u_fail(elf.sec[p->sec].name, end, "bytes that belong to no program");
        if (last)
            end = 0;
    }
}

static void prog_same_names(void)
{
    for (uint32_t i = 0; i < obj.n_progs; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(obj.prog[i].name, obj.prog[j].name) == 0)
                u_fail(elf.sec[obj.prog[i].sec].name, obj.prog[i].off, "two programs named %s",
                       obj.prog[i].name);
}

/* A program's section without a program's symbol: nobody would see its bytes. */
static void prog_all_seen(void)
{
    for (uint32_t i = 1, k; i < elf.n_sec; i++) {
        if (!prog_is_code(&elf.sec[i]))
            continue;
        for (k = 0; k < obj.n_progs && obj.prog[k].sec != i; k++)
            ;
        if (k == obj.n_progs)
            u_fail(elf.sec[i].name, 0, "no program's symbol points here");
    }
}

static void prog_read(void)
{
    memset(&obj, 0, sizeof obj);
    prog_check_sections();
    prog_license();
    prog_maps();
    for (uint64_t i = 0; i < elf.n_sym; i++) {
        struct symbol *sym = &elf.sym[i];

        if (sym->type == STT_FUNC && sym->shndx < elf.n_sec && prog_is_code(&elf.sec[sym->shndx]))
            prog_add(sym);
    }
    if (!obj.n_progs)
        u_fail("symbols", 0, "no program");
    prog_in_order();
    prog_same_names();
    prog_all_seen();
}

/* The program that has this byte of a section; `*slot`: the instruction there. */
static struct prog *prog_at(uint32_t sec, uint64_t off, uint32_t *slot)
{
    for (uint32_t i = 0; i < obj.n_progs; i++) {
        struct prog *p = &obj.prog[i];

        if (p->sec != sec || off < p->off || off - p->off >= 8 * (uint64_t)p->n)
            continue;
        *slot = (uint32_t)((off - p->off) / 8);
        if (off % 8 || p->second[*slot])
            break;
        return p;
    }
    u_fail(elf.sec[sec].name, off, "a record about something that is not an instruction");
}

static void prog_add_patch(struct prog *p, uint32_t slot, struct patch patch)
{
    if (p->patch[slot].set)
        u_fail(elf.sec[p->sec].name, p->off + 8 * (uint64_t)slot, "two records for an instruction");
    patch.set = true;
    p->patch[slot] = patch;
}

/* == 5 rel_: relocations: maps and constants ==================================== */

enum { R_BPF_LD64 = 1, R_BPF_CALL = 10 };

static void rel_constant(struct prog *p, uint32_t slot, const struct symbol *sym, uint64_t off)
{
    const struct bpf_insn *in = &p->insn[slot];

    if (strncmp(sym->name, "CFG_", 4) != 0)
        u_fail(elf.sec[p->sec].name, off, "%.80s is not defined (constants are named CFG_)",
               sym->name);
    if (!u_is_name(sym->name, MAX_NAME))
        u_fail(elf.sec[p->sec].name, off, "a constant's name is one of C");
    if (in[0].imm || in[1].imm)
        u_fail(elf.sec[p->sec].name, off, "%s + %d: a constant is used as it is", sym->name,
               in->imm);
    prog_add_patch(p, slot, (struct patch){ .kind = PATCH_CONST, .name = sym->name });
}

static void rel_map(struct prog *p, uint32_t slot, const struct symbol *sym, uint64_t off)
{
    struct bpf_insn *in = &p->insn[slot];
    uint64_t at = sym->value + (uint32_t)in->imm;

    for (uint32_t i = 0; i < obj.n_maps; i++) {
        struct map *m = &obj.map[i];

        if (m->off != at)
            continue;
        m->used = true;
        in[0].src_reg = BPF_PSEUDO_MAP_FD;
        in[0].imm = in[1].imm = 0;
        prog_add_patch(p, slot, (struct patch){ .kind = PATCH_MAP, .name = m->name, .map = m });
        return;
    }
    u_fail(elf.sec[p->sec].name, off, "an address in section maps where no map begins");
}

static void rel_ld64(struct prog *p, uint32_t slot, const struct symbol *sym, uint64_t off)
{
    const struct bpf_insn *in = &p->insn[slot];

    if (in->code != (BPF_LD | BPF_DW | BPF_IMM) || in->src_reg)
        u_fail(elf.sec[p->sec].name, off, "a 64-bit relocation, but not on ld_imm64");
    if (sym->shndx == SHN_UNDEF)
        rel_constant(p, slot, sym, off);
    else if (sym->shndx < elf.n_sec && strcmp(elf.sec[sym->shndx].name, "maps") == 0)
        rel_map(p, slot, sym, off);
    else
        u_fail(elf.sec[p->sec].name, off, "refers to %.80s in section %.80s, which is not maps",
               sym->name, sym->shndx < elf.n_sec ? elf.sec[sym->shndx].name : "?");
}

static void rel_one(uint32_t sec, const Elf64_Rel *r)
{
    const char *name = elf.sec[sec].name;
    uint64_t index = ELF64_R_SYM(r->r_info);
    uint32_t slot;
    struct prog *p = prog_at(sec, r->r_offset, &slot);

    if (index >= elf.n_sym)
        u_fail(name, r->r_offset, "a relocation with a symbol that does not exist");
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_BPF_LD64:
        rel_ld64(p, slot, &elf.sym[index], r->r_offset);
        return;
    case R_BPF_CALL:
        u_fail(name, r->r_offset, "a call of a BPF function (%.80s): make it always_inline",
               elf.sym[index].name);
    }
    u_fail(name, r->r_offset, "a relocation of unknown type %u", (unsigned)ELF64_R_TYPE(r->r_info));
}

static void rel_section(const struct section *s)
{
    Elf64_Rel r;

    if (s->type != SHT_REL || s->entsize != sizeof r || s->n % sizeof r || !s->p)
        u_fail(s->name, 0, "broken relocations, or not of type REL");
    if (!prog_is_code(&elf.sec[s->info]))
        u_fail(s->name, 0, "relocations of maps or of the license");
    for (uint64_t at = 0; at < s->n; at += sizeof r) {
        memcpy(&r, s->p + at, sizeof r);
        rel_one(s->info, &r);
    }
}

static void rel_read(void)
{
    for (uint32_t i = 1; i < elf.n_sec; i++) {
        struct section *s = &elf.sec[i];

        if (s->type != SHT_REL && s->type != SHT_RELA)
            continue;
        if (s->info >= elf.n_sec)
            u_fail(s->name, 0, "relocations of a section that does not exist");
        if (elf.sec[s->info].flags & SHF_ALLOC)
            rel_section(s);
    }
}

/* == 6 core_: CO-RE records: fields, types, enumerators ========================= */

/* enum bpf_core_relo_kind of linux/bpf.h, which headers older than 5.17 lack. */
static const struct core_kind {
    const char *what;
    bool known;
    uint8_t patch;
} core_kinds[] = {
    [0] = { "a field's offset", true, PATCH_OFF },
    [1] = { "a field's size", true, PATCH_SIZE },
    [2] = { "a field's existence", true, PATCH_EXISTS },
    [3] = { "a field's sign", true, PATCH_SIGNED },
    [4] = { "a bit-field's left shift", false, 0 },
    [5] = { "a bit-field's right shift", false, 0 },
    [6] = { "a type's local number", false, 0 },
    [7] = { "a type's number", false, 0 },
    [8] = { "a type's existence", true, PATCH_TYPE_EXISTS },
    [9] = { "a type's size", true, PATCH_TYPE_SIZE },
    [10] = { "an enumerator's existence", true, PATCH_ENUM_EXISTS },
    [11] = { "an enumerator's value", true, PATCH_ENUM },
    [12] = { "a type's match", false, 0 },
};

/* A record, and what it says of the probe's own types: `value` is what clang put in. */
struct core {
    const char *section;
    uint64_t off;
    uint32_t type, kind;
    const char *access; /* "0:2:1" */
    char name[2 * MAX_FIELD];
    uint64_t value, bytes;
    uint32_t field;     /* type of the field */
    bool whole;         /* which is a struct or a union: the probe knows only a part of it */
};

static void __attribute__((noreturn)) core_fail(const struct core *c, const char *why)
{
    u_fail(c->section, c->off, "a CO-RE record: %s", why);
}

static void PRINTF_LIKE(2, 3) core_put(struct core *c, const char *fmt, ...)
{
    size_t n = strlen(c->name);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(c->name + n, sizeof c->name - n, fmt, ap);
    va_end(ap);
    if (strlen(c->name) > MAX_FIELD)
        core_fail(c, "a name that is too long");
}

/* The tag of a type, without a flavour. */
static void core_put_name(struct core *c, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = len; i-- > 1;)
        if (strncmp(name + i, "___", 3) == 0 && name[i + 3] && name[i - 1] != '_') {
            len = i;
            break;
        }
    if (!u_is_name(name, MAX_FIELD))
        core_fail(c, "a type or member without a name in C");
    core_put(c, "%s%.*s", *c->name ? "." : "", (int)len, name);
}

/* The next number of the access string. */
static uint32_t core_next(struct core *c)
{
    const char *s = c->access;
    uint64_t n = 0;

    while (*s >= '0' && *s <= '9' && n <= UINT16_MAX)
        n = n * 10 + (uint64_t)(*s++ - '0');
    if (s == c->access || n > UINT16_MAX || (*s && *s != ':'))
        core_fail(c, "its access string is broken");
    c->access = s + (*s == ':');
    return (uint32_t)n;
}

static void core_member(struct core *c, const struct btf_type *t)
{
    uint32_t i = core_next(c), bits;
    const char *name;

    if (i >= t->vlen)
        core_fail(c, "a member that the type does not have");
    name = btf_string(btf_u32(t->extra + 12 * (uint64_t)i));
    bits = btf_u32(t->extra + 12 * (uint64_t)i + 8);
    if (t->flag && bits >> 24)
        u_fail(c->section, c->off, "a CO-RE record: %.80s is a bit-field", name);
    if (t->flag)
        bits &= 0xffffff;
    if (bits % 8)
        u_fail(c->section, c->off, "a CO-RE record: %.80s is a bit-field", name);
    c->value += bits / 8;
    c->field = btf_u32(t->extra + 12 * (uint64_t)i + 4);
    if (*name)
        core_put_name(c, name);
}

static void core_element(struct core *c, const struct btf_type *t)
{
    uint32_t i = core_next(c), n = btf_u32(t->extra + 8);

    if (n && i >= n)
        core_fail(c, "an element that the array does not have");
    c->field = btf_u32(t->extra);
    c->value += i * btf_size_of(c->field);
    core_put(c, "[%u]", (unsigned)i);
}

/* "TYPE.member.member[2]": follows the access string through the probe's own types. */
static void core_field(struct core *c)
{
    const struct btf_type *t = btf_real(c->type);

    if (t->kind != BTF_STRUCT && t->kind != BTF_UNION)
        core_fail(c, "the field of something that is not a struct");
    core_put_name(c, t->name);
    if (core_next(c) != 0)
        core_fail(c, "an element of an array of structs");
    c->field = c->type;
    while (*c->access) {
        t = btf_real(c->field);
        if (t->kind == BTF_STRUCT || t->kind == BTF_UNION)
            core_member(c, t);
        else if (t->kind == BTF_ARRAY)
            core_element(c, t);
        else
            core_fail(c, "a member of something that has none");
    }
    if (c->field == c->type)
        core_fail(c, "a field without a name");
    c->bytes = btf_size_of(c->field);
    c->whole = btf_real(c->field)->kind == BTF_STRUCT || btf_real(c->field)->kind == BTF_UNION;
}

static void core_enum(struct core *c)
{
    const struct btf_type *t = btf_real(c->type);
    uint32_t i = core_next(c);
    uint64_t at;

    if ((t->kind != BTF_ENUM && t->kind != BTF_ENUM64) || i >= t->vlen || *c->access)
        core_fail(c, "an enumerator that does not exist");
    at = t->extra + i * (uint64_t)btf_extra[t->kind].entry;
    core_put_name(c, t->name);
    core_put_name(c, btf_string(btf_u32(at)));
    c->value = t->flag ? (uint64_t)(int32_t)btf_u32(at + 4) : btf_u32(at + 4);
    if (t->kind == BTF_ENUM64)
        c->value = btf_u32(at + 4) | (uint64_t)btf_u32(at + 8) << 32;
}

static void core_whole_type(struct core *c)
{
    if (strcmp(c->access, "0") != 0)
        core_fail(c, "its access string is broken");
    core_put_name(c, *btf_type(c->type)->name ? btf_type(c->type)->name : btf_real(c->type)->name);
}

/* Name, and the value that the probe's own types give. */
static void core_describe(struct core *c)
{
    switch (core_kinds[c->kind].patch) {
    case PATCH_OFF: core_field(c); return;
    case PATCH_SIZE: core_field(c); c->value = c->bytes; return;
    case PATCH_EXISTS: core_field(c); c->value = 1; return;
    case PATCH_SIGNED: core_field(c); c->value = btf_is_signed(c->field); return;
    case PATCH_TYPE_EXISTS: core_whole_type(c); c->value = 1; return;
    case PATCH_TYPE_SIZE: core_whole_type(c); c->value = btf_size_of(c->type); return;
    case PATCH_ENUM_EXISTS: core_enum(c); c->value = 1; return;
    case PATCH_ENUM: core_enum(c); return;
    }
}

/* Where the value stands in the instruction; it must be the one of the probe's own types. */
static void core_check_insn(const struct core *c, const struct bpf_insn *in)
{
    uint8_t class = BPF_CLASS(in->code);
    uint64_t there;

    if (in->code == (BPF_LD | BPF_DW | BPF_IMM) && !in->src_reg)
        there = (uint32_t)in[0].imm | (uint64_t)(uint32_t)in[1].imm << 32;
    else if ((class == BPF_ALU64 || class == BPF_ALU) && BPF_SRC(in->code) == BPF_K &&
             (BPF_OP(in->code) == BPF_MOV || BPF_OP(in->code) == BPF_ADD))
        there = (uint64_t)in->imm;
    else if ((class == BPF_LDX || class == BPF_STX || class == BPF_ST) &&
             BPF_MODE(in->code) == BPF_MEM && core_kinds[c->kind].patch == PATCH_OFF)
        there = (uint64_t)in->off;
    else
        u_fail(c->section, c->off, "%s on opcode 0x%02x, which cannot take it",
               core_kinds[c->kind].what, in->code);
    if (there != c->value && (uint32_t)there != c->value)
        u_fail(c->section, c->off, "%s is %llu, but the instruction has %llu",
               core_kinds[c->kind].what, (unsigned long long)c->value, (unsigned long long)there);
}

static void core_one(const struct section *s, uint64_t at, uint32_t sec)
{
    struct core c = { .section = elf.sec[sec].name, .off = elf_u32(s, at) };
    uint32_t slot;
    struct prog *p = prog_at(sec, c.off, &slot);
    struct patch patch = { 0 };

    c.type = elf_u32(s, at + 4);
    c.access = btf_string(elf_u32(s, at + 8));
    c.kind = elf_u32(s, at + 12);
    if (c.kind >= I_LEN(core_kinds))
        u_fail(c.section, c.off, "a CO-RE record of unknown kind %u", (unsigned)c.kind);
    if (!core_kinds[c.kind].known)
        u_fail(c.section, c.off, "a CO-RE record of kind %u (%s), which kvis does not patch",
               (unsigned)c.kind, core_kinds[c.kind].what);
    core_describe(&c);
    core_check_insn(&c, &p->insn[slot]);
    patch.kind = core_kinds[c.kind].patch;
    patch.name = memcpy(u_take(sizeof c.name, 1), c.name, sizeof c.name);
    if (patch.kind == PATCH_OFF && c.bytes <= UINT8_MAX && !c.whole)
        patch.size = (uint8_t)c.bytes;
    prog_add_patch(p, slot, patch);
}

/* == 7 line_: line info: which source line made an instruction ================== */

static void line_one(const struct section *s, uint64_t at, uint32_t sec)
{
    uint32_t slot;
    struct prog *p = prog_at(sec, elf_u32(s, at), &slot);

    if (elf_u32(s, at + 12) >> 10 == 0)
        return; /* line 0: clang names no line */
    p->line[slot].file = u_base(btf_string(elf_u32(s, at + 4)));
    p->line[slot].text = btf_string(elf_u32(s, at + 8));
    p->line[slot].number = elf_u32(s, at + 12) >> 10;
}

/* One part of .BTF.ext: record size, then for each section its name, a count and the records. */
static void line_ext_part(const struct section *s, uint32_t want,
                          void (*one)(const struct section *, uint64_t, uint32_t))
{
    uint64_t at = 4, size;

    if (!s->n)
        return;
    size = elf_u32(s, 0);
    if (size < want || size % 4)
        u_fail(s->name, 0, "records of %llu bytes", (unsigned long long)size);
    while (at < s->n) {
        const struct section *of = elf_find(btf_string(elf_u32(s, at)));
        uint64_t n = elf_u32(s, at + 4);

        at += 8;
        if (!of || !prog_is_code(of))
            u_fail(s->name, at - 8, "records of a section that is no program's");
        if (n > (s->n - at) / size)
            u_fail(s->name, at - 4, "cut short");
        for (; n; n--, at += size)
            one(s, at, (uint32_t)(of - elf.sec));
    }
}

/* .BTF.ext may be missing: a probe without -g has no CO-RE records, which clang says itself. */
static void line_read_ext(void)
{
    struct section *s = elf_need(".BTF.ext"), lines, core;
    uint32_t header;

    if (elf_u16(s, 0) != 0xeb9f || s->n < 3 || s->p[2] != 1)
        u_fail(s->name, 0, "not .BTF.ext of version 1");
    header = elf_u32(s, 4);
    lines = elf_part(s, (uint64_t)header + elf_u32(s, 16), elf_u32(s, 20), "the lines");
    lines.name = ".BTF.ext lines";
    line_ext_part(&lines, 16, line_one);
    if (header < 32)
        return;
    core = elf_part(s, (uint64_t)header + elf_u32(s, 24), elf_u32(s, 28), "the CO-RE records");
    core.name = ".BTF.ext CO-RE records";
    line_ext_part(&core, 16, core_one);
}

/* == 8 walk_: what can run, how much stack it takes, the lowest kernel ========== */

/* What is known of a register: nothing was put there, a constant (CFG_RINGBUF and its copies), an
 * address in the stack, or nothing. */
struct reg {
    enum { REG_UNSET, REG_CONST, REG_STACK, REG_ANY } kind;
    int64_t value;
};

struct regs {
    struct reg r[11];
};

struct walk {
    struct prog *p;
    int ringbuf;       /* CFG_RINGBUF: 0, 1, or -1: not known */
    const char *zero;  /* one more constant, that is 0; or NULL */
    struct regs *at;   /* [n]: before each instruction */
    bool *seen, *queued;
    uint32_t *queue, n_queued;
    struct need need;
};

static void __attribute__((noreturn)) walk_fail(const struct walk *w, uint32_t i, const char *why)
{
    u_fail(elf.sec[w->p->sec].name, w->p->off + 8 * (uint64_t)i, "%s", why);
}

static void PRINTF_LIKE(3, 4) walk_need(struct walk *w, uint32_t kernel, const char *fmt, ...)
{
    va_list ap;

    if (kernel <= w->need.kernel)
        return;
    w->need.kernel = kernel;
    va_start(ap, fmt);
    vsnprintf(w->need.why, sizeof w->need.why, fmt, ap);
    va_end(ap);
}

/* Control goes to instruction `i` with these registers: what it knew before and this agree on. */
static void walk_to(struct walk *w, uint32_t from, int64_t i, const struct regs *r)
{
    bool change;

    if (i < 0 || i >= w->p->n || w->p->second[i])
        walk_fail(w, from, i == w->p->n ? "runs off the end" : "a jump out of the program");
    change = !w->seen[i];
    if (change)
        w->at[i] = *r;
    for (int k = 0; k < 11 && w->seen[i]; k++) {
        struct reg *old = &w->at[i].r[k];

        if (old->kind == REG_ANY || (old->kind == r->r[k].kind && old->value == r->r[k].value))
            continue;
        *old = (struct reg){ REG_ANY, 0 };
        change = true;
    }
    w->seen[i] = true;
    if (change && !w->queued[i]) {
        w->queued[i] = true;
        w->queue[w->n_queued++] = (uint32_t)i;
    }
}

static void walk_alu(struct regs *r, const struct bpf_insn *in)
{
    struct reg *d = &r->r[in->dst_reg];
    bool wide = BPF_CLASS(in->code) == BPF_ALU64, reg = BPF_SRC(in->code) == BPF_X;

    if (wide && reg && BPF_OP(in->code) == BPF_MOV)
        *d = r->r[in->src_reg];
    else if (wide && !reg && BPF_OP(in->code) == BPF_ADD && d->kind == REG_STACK &&
             d->value > -65536 && d->value < 65536)
        d->value += in->imm;
    else
        *d = (struct reg){ REG_ANY, 0 };
}

/* 1: the jump is taken, 0: it is not, -1: nobody knows. */
static int walk_decide(const struct regs *r, const struct bpf_insn *in)
{
    const struct reg *d = &r->r[in->dst_reg];
    uint64_t a = (uint64_t)d->value, b = (uint64_t)in->imm;

    if (BPF_CLASS(in->code) != BPF_JMP || BPF_SRC(in->code) != BPF_K || d->kind != REG_CONST)
        return -1;
    switch (BPF_OP(in->code)) {
    case BPF_JEQ: return a == b;
    case BPF_JNE: return a != b;
    case BPF_JGT: return a > b;
    case BPF_JGE: return a >= b;
    case BPF_JLT: return a < b;
    case BPF_JLE: return a <= b;
    case BPF_JSET: return (a & b) != 0;
    }
    return -1;
}

static void walk_jump(struct walk *w, uint32_t i, const struct regs *r)
{
    const struct bpf_insn *in = &w->p->insn[i];
    int64_t to = (int64_t)i + 1 + in->off;
    int taken = BPF_OP(in->code) == BPF_JA ? 1 : walk_decide(r, in);

    if (taken != 0) {
        w->p->target[to < 0 || to >= w->p->n ? i : to] = true; /* walk_to checks `to` */
        walk_to(w, i, to, r);
        if (to <= i)
            walk_need(w, I_KERNEL(5, 3), "a loop");
    }
    if (taken != 1)
        walk_to(w, i, (int64_t)i + 1, r);
}

static void walk_load(const struct walk *w, uint32_t i, struct regs *r)
{
    const struct patch *patch = &w->p->patch[i];
    struct reg *d = &r->r[w->p->insn[i].dst_reg];

    *d = (struct reg){ REG_ANY, 0 };
    if (!patch->set || patch->kind != PATCH_CONST)
        return;
    if (w->ringbuf >= 0 && strcmp(patch->name, "CFG_RINGBUF") == 0)
        *d = (struct reg){ REG_CONST, w->ringbuf };
    if (w->zero && strcmp(patch->name, w->zero) == 0)
        *d = (struct reg){ REG_CONST, 0 };
}

static void walk_step(struct walk *w, uint32_t i)
{
    const struct bpf_insn *in = &w->p->insn[i];
    struct regs r = w->at[i];

    if (in->dst_reg > 10 || in->src_reg > 10)
        walk_fail(w, i, "a register that does not exist");
    switch (BPF_CLASS(in->code)) {
    case BPF_ALU: case BPF_ALU64:
        walk_alu(&r, in);
        break;
    case BPF_LDX:
        r.r[in->dst_reg] = (struct reg){ REG_ANY, 0 };
        break;
    case BPF_STX: /* a fetching atomic operation writes to src or to r0 */
        if (BPF_MODE(in->code) == BPF_ATOMIC && in->imm != BPF_ADD)
            r.r[0] = r.r[in->src_reg] = (struct reg){ REG_ANY, 0 };
        break;
    case BPF_LD:
        walk_load(w, i, &r);
        i++;
        break;
    case BPF_JMP: case BPF_JMP32:
        if (in->code == (BPF_JMP | BPF_EXIT))
            return;
        if (in->code != (BPF_JMP | BPF_CALL)) {
            walk_jump(w, i, &r);
            return;
        }
        for (int k = 0; k < 6; k++)
            r.r[k] = (struct reg){ REG_ANY, 0 };
    }
    walk_to(w, i, (int64_t)i + 1, &r);
}

static void walk_run(struct walk *w, struct prog *p, int ringbuf, const char *zero)
{
    struct regs start = { 0 };

    *w = (struct walk){ .p = p, .ringbuf = ringbuf, .zero = zero };
    w->at = u_take(p->n, sizeof *w->at);
    w->seen = u_take(p->n, 1);
    w->queued = u_take(p->n, 1);
    w->queue = u_take(p->n, sizeof *w->queue);
    start.r[1].kind = REG_ANY;
    start.r[10].kind = REG_STACK;
    walk_to(w, 0, 0, &start);
    while (w->n_queued) {
        uint32_t i = w->queue[--w->n_queued];

        w->queued[i] = false;
        walk_step(w, i);
    }
}

/* How far below the frame pointer an instruction reaches. */
static int64_t walk_depth(const struct walk *w, uint32_t i)
{
    const struct bpf_insn *in = &w->p->insn[i];
    const struct reg *d = &w->at[i].r[in->dst_reg], *s = &w->at[i].r[in->src_reg];

    switch (BPF_CLASS(in->code)) {
    case BPF_LDX: return s->kind == REG_STACK ? -(s->value + in->off) : 0;
    case BPF_ST: case BPF_STX: return d->kind == REG_STACK ? -(d->value + in->off) : 0;
    case BPF_ALU64:
        if (d->kind == REG_STACK && in->code == (BPF_ALU64 | BPF_ADD | BPF_K))
            return -(d->value + in->imm);
    }
    return 0;
}

static void walk_stack(const struct walk *w)
{
    int64_t deepest = 0;

    for (uint32_t i = 0; i < w->p->n; i++) {
        int64_t depth = w->seen[i] ? walk_depth(w, i) : 0;

        if (depth > MAX_STACK)
            walk_fail(w, i, "more than 512 bytes of stack");
        if (depth > deepest)
            deepest = depth;
    }
    w->p->stack = (uint32_t)(deepest + 7) / 8 * 8;
}

static const struct helper {
    const char *name;
    uint16_t number;
    uint32_t since;
} walk_helpers[] = {
#define WALK_HELPER(number, name, major, minor) { #name, number, I_KERNEL(major, minor) },
    I_HELPERS(WALK_HELPER)
};

/* Helpers that only some types of tracing programs have (kernel/trace/bpf_trace.c). */
static const struct { uint16_t number; uint32_t types; } walk_only[] = {
    { I_FN_perf_prog_read_value, 1U << BPF_PROG_TYPE_PERF_EVENT },
    { I_FN_read_branch_records, 1U << BPF_PROG_TYPE_PERF_EVENT },
    { I_FN_get_func_ip, 1U << BPF_PROG_TYPE_KPROBE },
    { I_FN_get_attach_cookie, 1U << BPF_PROG_TYPE_KPROBE | 1U << BPF_PROG_TYPE_TRACEPOINT |
                              1U << BPF_PROG_TYPE_PERF_EVENT },
};

static const struct helper *walk_helper(int32_t number)
{
    for (size_t i = 0; i < I_LEN(walk_helpers); i++)
        if (walk_helpers[i].number == number)
            return &walk_helpers[i];
    return NULL;
}

static void walk_need_helper(struct walk *w, uint32_t i)
{
    const struct helper *h = walk_helper(w->p->insn[i].imm);

    if (!h) /* ins_render has told */
        walk_fail(w, i, "an unknown helper");
    for (size_t k = 0; k < I_LEN(walk_only); k++)
        if (walk_only[k].number == h->number && !(walk_only[k].types >> w->p->type->type & 1))
            walk_fail(w, i, "a helper that programs of this type may not call");
    walk_need(w, h->since, "%s", h->name);
}

/* `events` is what CFG_RINGBUF says, whatever its type in the probe. */
static const struct map_type *walk_map_type(const struct walk *w, const struct map *m)
{
    bool choice = strcmp(m->name, "events") == 0 && (m->def[0] == BPF_MAP_TYPE_RINGBUF ||
                                                     m->def[0] == BPF_MAP_TYPE_PERF_EVENT_ARRAY);

    if (!choice || w->ringbuf < 0)
        return m->type;
    return prog_map_type(w->ringbuf ? BPF_MAP_TYPE_RINGBUF : BPF_MAP_TYPE_PERF_EVENT_ARRAY, m->off);
}

static void walk_need_insn(struct walk *w, uint32_t i)
{
    const struct bpf_insn *in = &w->p->insn[i];
    uint8_t class = BPF_CLASS(in->code), op = BPF_OP(in->code);

    if (in->code == (BPF_JMP | BPF_CALL))
        walk_need_helper(w, i);
    else if (class == BPF_JMP32)
        walk_need(w, I_KERNEL(5, 1), "a 32-bit jump");
    else if (class == BPF_JMP &&
             (op == BPF_JLT || op == BPF_JLE || op == BPF_JSLT || op == BPF_JSLE))
        walk_need(w, I_KERNEL(4, 14), "a jump if less");
    else if (class == BPF_STX && BPF_MODE(in->code) == BPF_ATOMIC && in->imm != BPF_ADD)
        walk_need(w, I_KERNEL(5, 12), "an atomic operation that is not an addition");
    if (w->p->patch[i].map) {
        const struct map_type *t = walk_map_type(w, w->p->patch[i].map);

        walk_need(w, t->since, "a map of type %s", t->name);
    }
}

/* The lowest kernel for one value of CFG_RINGBUF: what cannot run then does not count, but a kernel
 * must see that by itself: 4.15 drops dead code (kernel/bpf/verifier.c, sanitize_dead_code). */
static struct need walk_lowest(struct prog *p, int ringbuf, const char *zero)
{
    struct block *before = u.blocks;
    uint32_t floor = 0;
    struct walk w;

    walk_run(&w, p, ringbuf, zero);
    walk_need(&w, p->type->since, "%s", p->type->what);
    if (p->n > 4096)
        walk_need(&w, I_KERNEL(5, 2), "more than 4096 instructions");
    for (uint32_t i = 0; i < p->n; i++) {
        if (w.seen[i])
            walk_need_insn(&w, i);
        else if (!p->second[i])
            floor = I_KERNEL(4, 15);
    }
    walk_need(&w, floor, "a dead branch");
    u_give_back(before);
    return w.need;
}

/* The program's constants but CFG_RINGBUF, each once. */
static uint32_t walk_constants(struct prog *p, const char *names[MAX_CONSTANTS])
{
    uint32_t n = 0;

    for (uint32_t i = 0, k; i < p->n; i++) {
        const struct patch *patch = &p->patch[i];

        if (!patch->set || patch->kind != PATCH_CONST || strcmp(patch->name, "CFG_RINGBUF") == 0)
            continue;
        for (k = 0; k < n && strcmp(names[k], patch->name) != 0; k++)
            ;
        if (k == MAX_CONSTANTS)
            u_fail(elf.sec[p->sec].name, p->off + 8 * (uint64_t)i, "more than %d constants",
                   MAX_CONSTANTS);
        names[k] = patch->name;
        n += k == n;
    }
    return n;
}

/* A switch that is off may save a newer helper: the constant whose 0 makes the kernel lowest. Only
 * told, not the program's lowest: a filter may as well switch off all of it. */
static void walk_switches(struct prog *p)
{
    const char *names[MAX_CONSTANTS];
    uint32_t n = walk_constants(p, names);

    p->low = p->need[0];
    for (uint32_t i = 0; i < n; i++) {
        struct need need = walk_lowest(p, 0, names[i]);

        if (need.kernel >= p->low.kernel)
            continue;
        p->low = need;
        snprintf(p->low.zero, sizeof p->low.zero, "%s", names[i]);
    }
}

static void walk_program(struct prog *p)
{
    struct walk w;

    walk_run(&w, p, -1, NULL);
    for (uint32_t i = 0; i < p->n; i++) {
        if (!w.seen[i] && !p->second[i])
            walk_fail(&w, i, "an instruction that nothing leads to");
        if (p->insn[i].code == (BPF_JMP | BPF_CALL) && !p->second[i])
            walk_need_helper(&w, i);
    }
    walk_stack(&w);
    p->need[0] = walk_lowest(p, 0, NULL);
    p->need[1] = walk_lowest(p, 1, NULL);
    walk_switches(p);
}

/* == 9 ins_: one instruction as a macro and as pseudo-C ======================== */

/* The two columns. The pseudo-C is what llvm-objdump prints, but for names, labels and hex. */
struct ins {
    char macro[2 * MAX_NAME], pseudo[2 * MAX_NAME];
};

/* Arithmetic and jumps, by the upper four bits of the opcode. */
static const struct { const char *name, *sign; } ins_alu[16] = {
    [BPF_ADD >> 4] = { "ADD", "+=" },   [BPF_SUB >> 4] = { "SUB", "-=" },
    [BPF_MUL >> 4] = { "MUL", "*=" },   [BPF_DIV >> 4] = { "DIV", "/=" },
    [BPF_OR >> 4] = { "OR", "|=" },     [BPF_AND >> 4] = { "AND", "&=" },
    [BPF_LSH >> 4] = { "LSH", "<<=" },  [BPF_RSH >> 4] = { "RSH", ">>=" },
    [BPF_MOD >> 4] = { "MOD", "%=" },   [BPF_XOR >> 4] = { "XOR", "^=" },
    [BPF_MOV >> 4] = { "MOV", "=" },    [BPF_ARSH >> 4] = { "ARSH", "s>>=" },
};

static const struct { const char *name, *sign; } ins_jmp[16] = {
    [BPF_JEQ >> 4] = { "JEQ", "==" },   [BPF_JGT >> 4] = { "JGT", ">" },
    [BPF_JGE >> 4] = { "JGE", ">=" },   [BPF_JSET >> 4] = { "JSET", "&" },
    [BPF_JNE >> 4] = { "JNE", "!=" },   [BPF_JSGT >> 4] = { "JSGT", "s>" },
    [BPF_JSGE >> 4] = { "JSGE", "s>=" }, [BPF_JLT >> 4] = { "JLT", "<" },
    [BPF_JLE >> 4] = { "JLE", "<=" },   [BPF_JSLT >> 4] = { "JSLT", "s<" },
    [BPF_JSLE >> 4] = { "JSLE", "s<=" },
};

static const struct { const char *name, *type; } ins_size[4] = {
    [BPF_W >> 3] = { "W", "u32" }, [BPF_H >> 3] = { "H", "u16" },
    [BPF_B >> 3] = { "B", "u8" },  [BPF_DW >> 3] = { "DW", "u64" },
};

static const struct { uint8_t op; const char *name, *sign, *fetch; } ins_atomic[] = {
    { BPF_ADD, "ADD", "+=", "add" }, { BPF_OR, "OR", "|=", "or" },
    { BPF_AND, "AND", "&=", "and" }, { BPF_XOR, "XOR", "^=", "xor" },
};

static void PRINTF_LIKE(2, 3) ins_macro(struct ins *o, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(o->macro, sizeof o->macro, fmt, ap);
    va_end(ap);
}

static void PRINTF_LIKE(2, 3) ins_pseudo(struct ins *o, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(o->pseudo, sizeof o->pseudo, fmt, ap);
    va_end(ap);
}

/* Each ins_ returns false for what has no form; out_ tells where. Fields that a form does not use
 * must be 0, else the macro would not give the same bytes. */

static bool ins_alu_unary(struct ins *o, const struct bpf_insn *in, bool wide)
{
    char c = wide ? 'r' : 'w';
    const char *order = in->code & BPF_TO_BE ? "be" : "le";
    unsigned d = in->dst_reg;

    if (in->src_reg)
        return false;
    if (BPF_OP(in->code) == BPF_NEG && !in->imm && !(in->code & BPF_X)) {
        ins_macro(o, "I_NEG%d(R%u)", wide ? 64 : 32, d);
        ins_pseudo(o, "%c%u = -%c%u", c, d, c, d);
        return true;
    }
    if (BPF_OP(in->code) != BPF_END || wide || (in->imm != 16 && in->imm != 32 && in->imm != 64))
        return false;
    ins_macro(o, "I_ENDIAN(%s, R%u, %d)", in->code & BPF_TO_BE ? "BE" : "LE", d, in->imm);
    ins_pseudo(o, "r%u = %s%d r%u", d, order, in->imm, d);
    return true;
}

static bool ins_alu_form(struct ins *o, const struct bpf_insn *in, bool wide)
{
    const char *name = ins_alu[BPF_OP(in->code) >> 4].name;
    const char *sign = ins_alu[BPF_OP(in->code) >> 4].sign;
    bool reg = BPF_SRC(in->code) == BPF_X, mov = BPF_OP(in->code) == BPF_MOV;
    char c = wide ? 'r' : 'w', from[16];

    if (in->off)
        return false;
    if (!name)
        return ins_alu_unary(o, in, wide);
    if (reg ? in->imm : in->src_reg)
        return false;
    snprintf(from, sizeof from, reg ? "R%d" : "%d", reg ? in->src_reg : in->imm);
    ins_macro(o, "I_%s%s_%s(%s%sR%u, %s)", mov ? "MOV" : "ALU", wide ? "64" : "32",
              reg ? "REG" : "IMM", mov ? "" : name, mov ? "" : ", ", in->dst_reg, from);
    if (reg)
        from[0] = c;
    ins_pseudo(o, "%c%u %s %s", c, in->dst_reg, sign, from);
    return true;
}

/* "*(u64 *)(r10 - 8)" without the '*' in front */
static void ins_place(char *s, size_t n, const char *type, unsigned reg, int off)
{
    snprintf(s, n, "%s%s%s(r%u %c %d)", type ? "(" : "", type ? type : "", type ? " *)" : "", reg,
             off < 0 ? '-' : '+', off < 0 ? -off : off);
}

static bool ins_mem(struct ins *o, const struct bpf_insn *in)
{
    const char *size = ins_size[BPF_SIZE(in->code) >> 3].name;
    const char *type = ins_size[BPF_SIZE(in->code) >> 3].type;
    unsigned d = in->dst_reg, s = in->src_reg;
    char place[40];

    if (BPF_MODE(in->code) != BPF_MEM)
        return false;
    if (BPF_CLASS(in->code) == BPF_ST ? s != 0 : in->imm != 0)
        return false;
    ins_place(place, sizeof place, type, BPF_CLASS(in->code) == BPF_LDX ? s : d, in->off);
    if (BPF_CLASS(in->code) == BPF_LDX) {
        ins_macro(o, "I_LDX_MEM(%s, R%u, R%u, %d)", size, d, s, in->off);
        ins_pseudo(o, "r%u = *%s", d, place);
    } else if (BPF_CLASS(in->code) == BPF_STX) {
        ins_macro(o, "I_STX_MEM(%s, R%u, %d, R%u)", size, d, in->off, s);
        ins_pseudo(o, "*%s = r%u", place, s);
    } else {
        ins_macro(o, "I_ST_MEM(%s, R%u, %d, %d)", size, d, in->off, in->imm);
        ins_pseudo(o, "*%s = %d", place, in->imm);
    }
    return true;
}

static bool ins_exchange(struct ins *o, const struct bpf_insn *in)
{
    bool wide = BPF_SIZE(in->code) == BPF_DW, cmp = in->imm == BPF_CMPXCHG;
    char c = wide ? 'r' : 'w', place[40];
    unsigned s = in->src_reg;

    if (in->imm != BPF_XCHG && !cmp)
        return false;
    ins_place(place, sizeof place, NULL, in->dst_reg, in->off);
    memmove(place, place + 1, strlen(place)); /* without ( and ) */
    place[strlen(place) - 1] = 0;
    ins_macro(o, "I_ATOMIC(%s, %s, R%u, %d, R%u)", wide ? "DW" : "W", cmp ? "CMPXCHG" : "XCHG",
              in->dst_reg, in->off, s);
    if (cmp)
        ins_pseudo(o, "%c0 = cmpxchg%s(%s, %c0, %c%u)", c, wide ? "_64" : "32_32", place, c, c, s);
    else
        ins_pseudo(o, "%c%u = xchg%s(%s, %c%u)", c, s, wide ? "_64" : "32_32", place, c, s);
    return true;
}

static bool ins_atomic_form(struct ins *o, const struct bpf_insn *in)
{
    bool wide = BPF_SIZE(in->code) == BPF_DW, fetch = in->imm & BPF_FETCH;
    const char *size = wide ? "DW" : "W";
    unsigned d = in->dst_reg, s = in->src_reg;
    char c = wide ? 'r' : 'w', place[40];
    size_t i = 0;

    if (BPF_SIZE(in->code) != BPF_DW && BPF_SIZE(in->code) != BPF_W)
        return false;
    while (i < I_LEN(ins_atomic) && ins_atomic[i].op != (in->imm & ~BPF_FETCH))
        i++;
    if (i == I_LEN(ins_atomic))
        return ins_exchange(o, in);
    ins_place(place, sizeof place, wide ? "u64" : "u32", d, in->off);
    if (fetch)
        ins_pseudo(o, "%c%u = atomic_fetch_%s(%s, %c%u)", c, s, ins_atomic[i].fetch, place, c, s);
    else
        ins_pseudo(o, "lock *%s %s %c%u", place, ins_atomic[i].sign, c, s);
    if (in->imm == BPF_ADD)
        ins_macro(o, "I_XADD(%s, R%u, %d, R%u)", size, d, in->off, s);
    else
        ins_macro(o, "I_ATOMIC%s(%s, %s, R%u, %d, R%u)", fetch ? "_FETCH" : "", size,
                  ins_atomic[i].name, d, in->off, s);
    return true;
}

static bool ins_jump(struct ins *o, const struct bpf_insn *in, uint32_t i, bool wide)
{
    const char *name = ins_jmp[BPF_OP(in->code) >> 4].name;
    const char *sign = ins_jmp[BPF_OP(in->code) >> 4].sign;
    bool reg = BPF_SRC(in->code) == BPF_X;
    long to = (long)i + 1 + in->off;
    char c = wide ? 'r' : 'w', with[16];

    if (!name || (reg ? in->imm : in->src_reg))
        return false;
    snprintf(with, sizeof with, reg ? "R%d" : "%d", reg ? in->src_reg : in->imm);
    ins_macro(o, "I_JMP%s_%s(%s, R%u, %s, %d)", wide ? "" : "32", reg ? "REG" : "IMM", name,
              in->dst_reg, with, in->off);
    if (reg)
        with[0] = c;
    ins_pseudo(o, "if %c%u %s %s goto L%ld", c, in->dst_reg, sign, with, to);
    return true;
}

static bool ins_call(struct ins *o, const struct bpf_insn *in)
{
    const struct helper *h = walk_helper(in->imm);

    if (!h || in->dst_reg || in->src_reg || in->off)
        return false;
    ins_macro(o, "I_CALL(%s)", h->name);
    ins_pseudo(o, "call %s", h->name);
    return true;
}

static bool ins_jmp_form(struct ins *o, const struct bpf_insn *in, uint32_t i)
{
    bool bare = !in->dst_reg && !in->src_reg && !in->imm;

    switch (in->code) {
    case BPF_JMP | BPF_CALL:
        return ins_call(o, in);
    case BPF_JMP | BPF_EXIT:
        ins_macro(o, "I_EXIT()");
        ins_pseudo(o, "exit");
        return bare && !in->off;
    case BPF_JMP | BPF_JA:
        ins_macro(o, "I_JA(%d)", in->off);
        ins_pseudo(o, "goto L%ld", (long)i + 1 + in->off);
        return bare;
    }
    return ins_jump(o, in, i, BPF_CLASS(in->code) == BPF_JMP);
}

static bool ins_wide_load(struct ins *o, const struct bpf_insn *in, const struct patch *patch)
{
    unsigned d = in->dst_reg;
    unsigned long long v;

    if (in->code != (BPF_LD | BPF_DW | BPF_IMM) || in->off) /* only it has an in[1] */
        return false;
    if (in[1].code || in[1].dst_reg || in[1].src_reg || in[1].off)
        return false;
    v = (uint32_t)in[0].imm | (unsigned long long)(uint32_t)in[1].imm << 32;
    if (patch->set && patch->kind == PATCH_MAP) {
        ins_macro(o, "I_LD_MAP(R%u, %s)", d, patch->name);
        ins_pseudo(o, "r%u = map %s", d, patch->name);
    } else if (patch->set && patch->kind == PATCH_CONST) {
        ins_macro(o, "I_LD_CONST(R%u, %s)", d, patch->name);
        ins_pseudo(o, "r%u = %s", d, patch->name);
    } else {
        ins_macro(o, "I_LD_IMM64(R%u, 0x%llx)", d, v);
        ins_pseudo(o, "r%u = %lld ll", d, (long long)v);
        return !in->src_reg;
    }
    return true;
}

static bool ins_form(struct ins *o, const struct prog *p, uint32_t i)
{
    const struct bpf_insn *in = &p->insn[i];

    if (in->dst_reg > 10 || in->src_reg > 10)
        return false;
    switch (BPF_CLASS(in->code)) {
    case BPF_ALU: return ins_alu_form(o, in, false);
    case BPF_ALU64: return ins_alu_form(o, in, true);
    case BPF_LD: return ins_wide_load(o, in, &p->patch[i]);
    case BPF_LDX: case BPF_ST: return ins_mem(o, in);
    case BPF_STX: return BPF_MODE(in->code) == BPF_ATOMIC ? ins_atomic_form(o, in) : ins_mem(o, in);
    default: return ins_jmp_form(o, in, i);
    }
}

/* The system's name of a helper that insn.h does not have. */
static const char *ins_helper_name(int32_t number)
{
#define INS_HELPER_NAME(name) [BPF_FUNC_##name] = #name
    static const char *const names[] = { __BPF_FUNC_MAPPER(INS_HELPER_NAME) };

    return number > 0 && (size_t)number < I_LEN(names) && names[number] ? names[number] : "?";
}

/* What an instruction is, or why insngen does not take it. */
static void ins_render(struct ins *o, const struct prog *p, uint32_t i)
{
    const struct bpf_insn *in = &p->insn[i];
    const char *section = elf.sec[p->sec].name;
    uint64_t off = p->off + 8 * (uint64_t)i;

    if (in->code == (BPF_JMP | BPF_CALL) && in->src_reg)
        u_fail(section, off, "a call of a BPF function: make it always_inline");
    if (in->code == (BPF_JMP | BPF_CALL) && !walk_helper(in->imm))
        u_fail(section, off, "helper %d (%s) is not one of insn.h: no tracing program has it",
               in->imm, ins_helper_name(in->imm));
    if (!ins_form(o, p, i))
        u_fail(section, off, "opcode 0x%02x (dst %u, src %u, off %d, imm %d) has no form in insn.h",
               in->code, in->dst_reg, in->src_reg, in->off, in->imm);
}

/* == 10 out_: the header ======================================================== */

static const char *const out_kind[] = {
    [PATCH_MAP] = "PATCH_MAP", [PATCH_CONST] = "PATCH_CONST", [PATCH_OFF] = "PATCH_OFF",
    [PATCH_SIZE] = "PATCH_SIZE", [PATCH_EXISTS] = "PATCH_EXISTS", [PATCH_SIGNED] = "PATCH_SIGNED",
    [PATCH_TYPE_EXISTS] = "PATCH_TYPE_EXISTS", [PATCH_TYPE_SIZE] = "PATCH_TYPE_SIZE",
    [PATCH_ENUM] = "PATCH_ENUM", [PATCH_ENUM_EXISTS] = "PATCH_ENUM_EXISTS",
};

struct out {
    FILE *t;
    char name[MAX_NAME + 1]; /* of the family */
    const char *compiler, *flags;
    char **sources; /* the SHA-256 and the path of each, one after the other, and NULL */
};

static void out_kernel(FILE *t, uint32_t kernel)
{
    fprintf(t, "%u.%u", (unsigned)kernel >> 16, (unsigned)kernel >> 8 & 0xff);
}

/* A line of the probe: printable, without indentation, on one line of a // comment. */
static void out_source_line(FILE *t, const struct line *l)
{
    char s[COLUMNS + 1];
    const char *from = l->text + strspn(l->text, " \t");
    size_t n = (size_t)snprintf(s, sizeof s, "    // %.40s:%u  ",
                                u_is_of(l->file, "._-") ? l->file : "?", (unsigned)l->number);

    for (; *from && n + 1 < sizeof s; from++)
        s[n++] = *from == '\t' ? ' ' : *from < ' ' || *from > '~' ? '?' : *from;
    while (s[n - 1] == '\\' || s[n - 1] == ' ') /* a \ would go on in the next line */
        n--;
    fprintf(t, "%.*s\n", (int)n, s);
}

/* The program's helpers, each once, in the order of their numbers. */
static bool out_calls(const struct prog *p, int32_t number)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (!p->second[i] && p->insn[i].code == (BPF_JMP | BPF_CALL) && p->insn[i].imm == number)
            return true;
    return false;
}

static void out_family_helpers(struct out *o)
{
    bool any = false;

    for (size_t i = 0; i < I_LEN(walk_helpers); i++) {
        uint32_t k = 0;

        while (k < obj.n_progs && !out_calls(&obj.prog[k], walk_helpers[i].number))
            k++;
        if (k == obj.n_progs)
            continue;
        if (!any)
            fprintf(o->t, " *\n * helpers, with the kernel that introduced each:\n");
        any = true;
        fprintf(o->t, " *   %-24s ", walk_helpers[i].name);
        out_kernel(o->t, walk_helpers[i].since);
        fprintf(o->t, "\n");
    }
}

static void out_need(FILE *t, const struct need *need)
{
    out_kernel(t, need->kernel);
    fprintf(t, " (%s)", need->why);
}

static void out_lowest(FILE *t, const struct prog *p)
{
    const struct need *base = &p->need[0], *ring = &p->need[1];

    out_need(t, base);
    if (ring->kernel != base->kernel) {
        fprintf(t, "\n *   with CFG_RINGBUF=1: ");
        out_need(t, ring);
    }
    if (*p->low.zero) {
        fprintf(t, "\n *   with %s=0: ", p->low.zero);
        out_need(t, &p->low);
    }
}

static uint32_t out_lowest_of(const struct prog *p)
{
    return p->need[0].kernel < p->need[1].kernel ? p->need[0].kernel : p->need[1].kernel;
}

static void out_head(struct out *o)
{
    FILE *t = o->t;

    fputs("/* Generated by gen/insngen.c. Do not edit: change the probe, then make gen.\n *\n", t);
    for (char **s = o->sources; *s; s += 2)
        fprintf(t, " * %s\n *   sha256 %.64s\n", u_base(s[1]), s[0]);
    fprintf(t, " * compiler: %s\n * flags: %s\n *\n", o->compiler, o->flags);
    for (uint32_t i = 0; i < obj.n_maps; i++) {
        struct map *m = &obj.map[i];

        if (m->used)
            fprintf(t, " * map %s: %s, key %u, value %u, entries %u, flags 0x%x\n", m->name,
                m->type->name, m->def[1], m->def[2], m->def[3], m->def[4]);
    }
    for (uint32_t i = 0; i < obj.n_progs; i++) {
        struct prog *p = &obj.prog[i];

        fprintf(t, " * program %s: %s, %u instructions, stack %u\n *   lowest kernel ", p->name,
            elf.sec[p->sec].name, p->n, p->stack);
        out_lowest(t, p);
        fprintf(t, "\n");
    }
    out_family_helpers(o);
    fprintf(t, " */\n\n#include \"../gen/insn.h\"\n");
}

static void out_insn(FILE *t, const struct prog *p, uint32_t i)
{
    const struct patch *patch = &p->patch[i];
    struct ins ins = { 0 };
    bool named = patch->set && patch->kind != PATCH_MAP && patch->kind != PATCH_CONST;
    char line[4 * MAX_NAME];
    int n;

    ins_render(&ins, p, i);
    n = snprintf(line, sizeof line, "    /* %4u */ %s,", (unsigned)i, ins.macro);
    fprintf(t, "%-*s /* %s", MACRO_COLUMNS, line, ins.pseudo);
    n = (n < MACRO_COLUMNS ? MACRO_COLUMNS : n) + 4 + (int)strlen(ins.pseudo) + 3;
    if (named && n + 3 + (int)strlen(patch->name) <= COLUMNS)
        fprintf(t, "  [%s]", patch->name);
    fprintf(t, " */\n");
}

static void out_insns(FILE *t, const struct prog *p)
{
    const struct line *last = NULL;

    fprintf(t, "static const struct bpf_insn %s_insns[] = {\n", p->name);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct line *l = &p->line[i];

        if (p->second[i])
            continue;
        if (l->text && !(last && !strcmp(last->file, l->file) && last->number == l->number))
            out_source_line(t, l);
        if (l->text)
            last = l;
        if (p->target[i])
            fprintf(t, "    /* L%u: */\n", (unsigned)i);
        out_insn(t, p, i);
    }
    fprintf(t, "};\n");
}

static uint32_t out_n_patches(const struct prog *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n; i++)
        n += p->patch[i].set;
    return n;
}

static void out_patches(FILE *t, const struct prog *p)
{
    if (!out_n_patches(p))
        return;
    fprintf(t, "static const struct bpf_patch %s_patches[] = {\n", p->name);
    for (uint32_t i = 0; i < p->n; i++)
        if (p->patch[i].set)
            fprintf(t, "    { %u, %s, %u, \"%s\" },\n", (unsigned)i, out_kind[p->patch[i].kind],
                p->patch[i].size, p->patch[i].name);
    fprintf(t, "};\n");
}

/* What VETTED signs: from "begin" to "end", without the lines of source. */
static void out_program(struct out *o, const struct prog *p)
{
    FILE *t = o->t;

    fprintf(t, "\n/* begin program %s\n * section %s, %u instructions, stack %u bytes\n", p->name,
        elf.sec[p->sec].name, p->n, p->stack);
    fprintf(t, " * lowest kernel ");
    out_lowest(t, p);
    fprintf(t, " */\n");
    out_insns(t, p);
    out_patches(t, p);
    fprintf(t, "/* end program %s */\n", p->name);
}

static void out_maps(struct out *o)
{
    bool any = false;

    for (uint32_t i = 0; i < obj.n_maps; i++) {
        const struct map *m = &obj.map[i];

        if (!m->used)
            continue;
        if (!any)
            fprintf(o->t, "\nstatic const struct bpf_map_row %s_maps[] = {\n", o->name);
        any = true;
        fprintf(o->t, "    { \"%s\", BPF_MAP_TYPE_%s, %u, %u, %u, %u },\n", m->name, m->type->name,
            m->def[1], m->def[2], m->def[3], m->def[4]);
    }
    if (any)
        fprintf(o->t, "};\n");
}

static void out_prog_row_as(struct out *o, const struct prog *p, const char *more,
                            const char *attach, const char *type, uint32_t since)
{
    FILE *t = o->t;
    uint32_t lowest = out_lowest_of(p);

    lowest = lowest < since ? since : lowest;
    fprintf(t, "    { .name = \"%s%s\", .attach = \"%s\",\n", p->name, more, attach);
    fprintf(t, "      .type = BPF_PROG_TYPE_%s, .is_ret = %d, .lowest = I_KERNEL(%u, %u),\n", type,
        p->type->is_ret, (unsigned)lowest >> 16, (unsigned)lowest >> 8 & 0xff);
    fprintf(t, "      .insns = %s_insns, .n_insns = I_LEN(%s_insns),\n", p->name, p->name);
    if (out_n_patches(p))
        fprintf(t, "      .patches = %s_patches, .n_patches = I_LEN(%s_patches),\n", p->name,
                p->name);
    fprintf(t, "    },\n");
}

static void out_prog_row(struct out *o, const struct prog *p)
{
    const char *event = p->type->both ? strchr(p->attach, '/') + 1 : p->attach;
    char typedef_name[MAX_FIELD];

    out_prog_row_as(o, p, "", event, p->type->name, 0);
    if (p->type->both)
        out_prog_row_as(o, p, "_tp", p->attach, "TRACEPOINT", 0);
    if (!p->type->typed)
        return;
    snprintf(typedef_name, sizeof typedef_name, "btf_trace_%s", event);
    out_prog_row_as(o, p, "_bt", typedef_name, "TRACING", I_KERNEL(5, 5));
}

static void out_family(struct out *o)
{
    FILE *t = o->t;
    bool maps = false;

    for (uint32_t i = 0; i < obj.n_maps; i++)
        maps |= obj.map[i].used;
    fprintf(t, "\nstatic const struct bpf_prog_row %s_progs[] = {\n", o->name);
    for (uint32_t i = 0; i < obj.n_progs; i++)
        out_prog_row(o, &obj.prog[i]);
    fprintf(t, "};\n\nstatic const struct bpf_family %s_family = {\n", o->name);
    fprintf(t, "    .name = \"%s\", .license = \"%s\",\n", o->name, obj.license);
    fprintf(t, "    .progs = %s_progs, .n_progs = I_LEN(%s_progs),\n", o->name, o->name);
    if (maps)
        fprintf(t, "    .maps = %s_maps, .n_maps = I_LEN(%s_maps),\n", o->name, o->name);
    fprintf(t, "};\n");
}

/* Reads an object and refuses what is not understood: what follows cannot fail any more. */
static void out_check(const uint8_t *p, size_t n)
{
    elf_read(p, n);
    btf_read();
    prog_read();
    rel_read();
    line_read_ext();
    for (uint32_t i = 0; i < obj.n_progs; i++) {
        struct ins ins;

        for (uint32_t k = 0; k < obj.prog[i].n; k++)
            if (!obj.prog[i].second[k])
                ins_render(&ins, &obj.prog[i], k);
        walk_program(&obj.prog[i]);
    }
}

/* The header of the object that was read. */
static void out_header(struct out *o)
{
    out_head(o);
    for (uint32_t i = 0; i < obj.n_progs; i++)
        out_program(o, &obj.prog[i]);
    out_maps(o);
    out_family(o);
}

/* == 11 main ==================================================================== */

#ifdef INSNGEN_FUZZ

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    static char *none;
    static struct out o = { .name = "fuzz", .compiler = "", .flags = "" };
    jmp_buf caught;

    o.sources = &none;
    u.file = "fuzz";
    u.caught = &caught;
    if (!o.t)
        o.t = fopen("/dev/null", "w");
    if (o.t && setjmp(caught) == 0) {
        out_check(p, n);
        out_header(&o);
    }
    u_give_back(NULL);
    return 0;
}

#else

static uint8_t *main_read(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    uint8_t *p;

    u.file = path;
    if (!f)
        u_fail("file", 0, "cannot be opened");
    p = u_take(MAX_OBJECT, 1);
    *n = fread(p, 1, MAX_OBJECT, f);
    if (ferror(f) || fgetc(f) != EOF)
        u_fail("file", *n, "cannot be read, or is too long");
    fclose(f);
    return p;
}

/* "dir/open.bpf.o" -> "open" */
static void main_family_name(struct out *o, const char *path)
{
    const char *base = u_base(path);

    snprintf(o->name, sizeof o->name, "%.*s", (int)strcspn(base, "."), base);
    if (!u_is_name(o->name, MAX_NAME))
        u_fail("file", 0, "its name gives no name in C for the family");
}

static int main_usage(void)
{
    fputs("usage: insngen [-c COMPILER] [-f FLAGS] NAME.bpf.o [SHA256 SOURCE]...\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct out o = { .t = stdout, .compiler = "?", .flags = "?" };
    uint8_t *p;
    size_t n;
    int i = 1;

    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "-c") == 0)
            o.compiler = argv[i + 1];
        else if (strcmp(argv[i], "-f") == 0)
            o.flags = argv[i + 1];
        else
            return main_usage();
    }
    if ((argc - i) % 2 == 0)
        return main_usage();
    o.sources = argv + i + 1;
    p = main_read(argv[i], &n);
    main_family_name(&o, argv[i]);
    out_check(p, n);
    out_header(&o);
    if (fflush(stdout) || ferror(stdout))
        u_fail("output", 0, "cannot be written");
    u_give_back(NULL);
    return 0;
}

#endif
