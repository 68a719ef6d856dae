"""Used by the case unit.
btf_truth.py DUMP.json VMLINUX.h TRUTH.c NAMES: the layout of the kernel's types according to a compiler.

DUMP.json: bpftool -j btf dump. Writes NAMES, one per line, and TRUTH.c, which includes bpftool's
VMLINUX.h and prints for each name the line that tests/lib/btf.c must print. Only the names of the members, and which
of them are bit-fields, come from the dump: the compiler computes offsets and sizes."""
import json, random, re, sys

ALL = """task_struct file dentry mount vfsmount inode super_block mm_struct vm_area_struct request rq
pid upid signal_struct sighand_struct files_struct fdtable fs_struct nsproxy cred bio gendisk
request_queue sock sk_buff net_device cfs_rq sched_entity linux_binprm cgroup css_set pt_regs path
qstr page folio kiocb io_kiocb""".split()
types = {t["id"]: t for t in json.load(open(sys.argv[1]))["types"]}
MODS = {"TYPEDEF", "CONST", "VOLATILE", "RESTRICT", "TYPE_TAG"}


def strip(i):
    while i and types[i]["kind"] in MODS:
        i = types[i]["type_id"]
    return types.get(i, {"kind": "VOID"})


def members(t):  # (name, type id, is a bit-field), through anonymous structs and unions
    for m in t["members"]:
        if m["name"] != "(anon)":
            yield m["name"], m["type_id"], bool(m.get("bitfield_size"))
        elif strip(m["type_id"])["kind"] in ("STRUCT", "UNION"):
            yield from members(strip(m["type_id"]))


def array(i):  # number of elements, and how to say one of them
    n, element = 1, ""
    while strip(i)["kind"] == "ARRAY":
        n, i, element = n * strip(i)["nr_elems"], strip(i)["type_id"], element + "[0]"
    return n, element


def paths(prefix, t, depth):
    for name, i, bits in members(t):
        yield prefix + name, i, bits
        in_ = strip(i)
        if depth and not bits and in_["kind"] in ("STRUCT", "UNION") and in_["name"] == "(anon)" or \
           depth > 1 and in_["kind"] == "STRUCT":
            yield from paths(prefix + name + ".", in_, depth - 1)
        elif in_["kind"] == "ARRAY" and not bits and in_["nr_elems"] > 1:
            yield f"{prefix}{name}[{in_['nr_elems'] - 1}]", in_["type_id"], False


seed = random.randrange(1 << 32)
print("seed", seed)
random.seed(seed)
tags, enums = {}, []
for t in types.values():
    if t["kind"] in ("STRUCT", "UNION") and t["name"] != "(anon)":
        tags.setdefault(t["name"], []).append(t)
    if t["kind"] in ("ENUM", "ENUM64") and t["name"] != "(anon)" and t.get("values"):
        enums.append(t)
# bpftool's C has one name space for tags, as C has: a struct and an enum of one name spoil it.
enum_tags = {t["name"] for t in types.values() if t["kind"] in ("ENUM", "ENUM64")}
typedefs = {t["name"] for t in types.values() if t["kind"] == "TYPEDEF"}  # which of both is meant, no name tells
one = {n: v[0] for n, v in tags.items() if len(v) == 1 and n not in enum_tags and n not in typedefs}
structs = [n for n in ALL if n in one] + random.sample(sorted(one), 300)
rows, seen = [], set()
for n in structs:
    if n in seen:
        continue
    seen.add(n)
    tag = one[n]["kind"].lower() + " " + n
    rows.append(f'TYPE("{n}", {tag}, {one[n]["id"]})')
    for path, i, bits in paths("", one[n], 2 if n in ALL else 0):
        if bits:
            rows.append(f'puts("{n}.{path} EOPNOTSUPP");')
        else:
            elements, element = array(i)
            rows.append(f'FIELD("{n}.{path}", {tag}, {path}, {elements}, {path}{element})')
# A value that occurs twice gets another name in bpftool's C, even if one of the two enums has no name.
values = {}
for t in (t for t in types.values() if t["kind"] in ("ENUM", "ENUM64")):
    for v in t.get("values", []):
        values.setdefault(v["name"], []).append(t)
for v in random.sample(sorted(k for k, t in values.items() if len(t) == 1 and t[0]["name"] != "(anon)"), 200):
    t = values[v][0]
    if sum(e["name"] == t["name"] for e in enums) == 1:
        rows.append(f'VALUE("{t["name"]}.{v}", enum {t["name"]}, {v})')
with open(sys.argv[4], "w") as f:
    f.writelines(r.split('"')[1].split(" ")[0] + "\n" for r in rows)
char = next(t for t in types.values() if t["kind"] == "INT" and t["name"] == "char")
# C as bpftool writes it does not say that an enum is packed into less than an int.
small = {t["name"] for t in enums if t["size"] < 4}
header = re.sub(r"^enum (\w+) {(.*?)^};", lambda m: f"enum {m[1]} {{{m[2]}}}" +
                "__attribute__((packed));" * (m[1] in small) + ";", open(sys.argv[2]).read(), flags=re.M | re.S)
with open(sys.argv[3], "w") as f:
    f.write(header + f"""
extern int printf(const char *, ...), puts(const char *);
#define SIGN(x) _Generic((x), char: {int(char["encoding"] == "SIGNED")}, signed char: 1, short: 1, \\
    int: 1, long: 1, long long: 1, __int128: 1, default: 0)
#define TYPE(name, t, id) printf("%s 0 %zu 1 0 %d\\n", name, sizeof(t), id);
#define FIELD(name, t, m, n, element) printf("%s %zu %zu %u %d 0\\n", name, __builtin_offsetof(t, m), \\
    sizeof(((t *)0)->m), n, SIGN(((t *)0)->element));
#define VALUE(name, t, v) printf("%s 0 %zu 1 %d %lld\\n", name, sizeof(t), SIGN((t)0), (long long)v);
int main(void)
{{
""" + "\n".join(rows) + "\nreturn 0;\n}\n")
print(len(rows), "names,", len(seen), "structs")
