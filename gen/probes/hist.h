/* hist.h: the buckets of histograms in which BPF programs count values. */
#ifndef KVIS_HIST_H
#define KVIS_HIST_H

/* Returns the histogram bucket of v; each power of two has 16 buckets. Finds the highest set bit without
 * branches: the sign bit of a subtraction shows whether this bit is in the upper half of the bits that are
 * left. */
INLINE u32 bucket(u64 v, u32 n)
{
    u64 x = v, e = 0, k;
    k = (0xffffffffULL - x) >> 63 << 5; e |= k; x >>= k;
    k = (0xffffULL - x) >> 63 << 4; e |= k; x >>= k;
    k = (0xffULL - x) >> 63 << 3; e |= k; x >>= k;
    k = (0xfULL - x) >> 63 << 2; e |= k; x >>= k;
    k = (3ULL - x) >> 63 << 1; e |= k; x >>= k;
    e |= x >> 1;
    u64 b = v < 16 ? v : (e - 3) * 16 + (v >> (e - 4) & 15);
    return b < n ? (u32)b : n - 1;
}

#endif
