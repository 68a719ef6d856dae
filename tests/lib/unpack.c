/* Used by the case unpack.
 * unpack.c: kvis's reader of what gzip has made, by itself; kvis.c included. `unpack FILE.gz FILE`: the first
 * unpacks to the second; cut anywhere or with any bit flipped (of large ones: every STEP-th) it does not, and
 * nothing is read or written beyond its end: both are of their exact size, for ASan. */
#define _GNU_SOURCE 1
#define main kvis_main
#include "../../kvis.c"
#undef main

static u8 *slurp(const char *name, size_t *n)
{
    FILE *f = fopen(name, "rb");
    if (!f)
        exit(2);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    u8 *p = malloc(*n);
    if (fread(p, 1, *n, f) != *n)
        exit(2);
    fclose(f);
    return p;
}

/* What the first n bytes of p unpack to: 0 nothing, 1 what is wanted, 2 something else. */
static int unpacks(const u8 *p, size_t n, const u8 *want, size_t size)
{
    u8 *in = malloc(n);
    memcpy(in, p, n);
    size_t got = 0;
    u8 *to = gz_unpack(in, n, &got);
    int what = !to ? 0 : got == size && !memcmp(to, want, size) ? 1 : 2;
    free(to);
    free(in);
    return what;
}

int main(int argc, char **argv)
{
    size_t n, size, tried = 0, failed = 0;
    u8 *p = slurp(argv[1], &n), *want = slurp(argv[argc - 1], &size);
    if (unpacks(p, n, want, size) != 1)
        printf("%s: does not unpack\n", argv[1]), failed++;
    size_t step = n > 400 ? n / 20 : 1;
    for (size_t i = 0; i < n; i += step, tried++)
        if (unpacks(p, i, want, size))
            printf("%s: cut to %zu it unpacks\n", argv[1], i), failed++;
    for (size_t i = 0; i < n * 8; i += step * 8 - (step > 1), tried++) {
        p[i / 8] ^= (u8)(1 << i % 8);
        /* bytes 4 to 9 of the header (time, system) and bits that fill a byte up say nothing */
        int got = unpacks(p, n, want, size);
        if (got == 2 || (got && (i / 8 < 4 || i / 8 >= n - 8)))
            printf("%s: with bit %zu flipped it unpacks\n", argv[1], i), failed++;
        p[i / 8] ^= (u8)(1 << i % 8);
    }
    for (size_t i = 0; i < 50; i++) { /* nothing of it may be believed */
        u8 *noise = malloc(n);
        memcpy(noise, p, n);
        for (size_t k = 10; k < n; k++)
            noise[k] = (u8)(p[k] * 31 + (k * 7 + i * 131) * (k + i) / 3);
        failed += unpacks(noise, n, want, size) != 0 && n > 30;
        free(noise);
    }
    printf("%s: %zu to %zu bytes, %zu bent\n", argv[1], n, size, tried);
    return failed != 0;
}
