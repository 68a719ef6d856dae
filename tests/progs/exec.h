/* Programs for execve: this one, a copy of it in memory, and one that cannot be loaded. cmd.c and proc.c include this file after t.h. */
#include <elf.h>

static char *self = "/proc/self/exe";

static int copy_of_self(void)
{
    static char b[1 << 16];
    int m = (int)CHK(syscall(SYS_memfd_create, "hidden", 1 /* MFD_CLOEXEC */)), f = (int)CHK(open(self, O_RDONLY));
    for (ssize_t n; (n = CHK(read(f, b, sizeof b))) > 0;)
        MUST(write(m, b, (size_t)n) == n);
    close(f);
    return m;
}

/* Writes the file "bad". Its only segment lies outside of user space: the kernel notices this after the old program is
 * gone, and kills the process. */
static void bad_elf_write(void)
{
    struct { Elf64_Ehdr h; Elf64_Phdr p; } elf = { .h = { .e_ident = "\177ELF\2\1\1", .e_type = ET_EXEC,
#ifdef __aarch64__
        .e_machine = EM_AARCH64,
#elif defined(__riscv)
        .e_machine = EM_RISCV,
#else
        .e_machine = EM_X86_64,
#endif
        .e_version = 1, .e_phoff = sizeof elf.h, .e_ehsize = sizeof elf.h, .e_phentsize = sizeof elf.p, .e_phnum = 1,
        .e_entry = 0x7fffffff0000 }, .p = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x8000000000000000,
        .p_filesz = sizeof elf, .p_memsz = sizeof elf, .p_align = 4096 } };
    int f = (int)CHK(open("bad", O_WRONLY | O_CREAT | O_CLOEXEC, 0755));
    MUST(write(f, &elf, sizeof elf) == sizeof elf);
    close(f);
}
