// SPDX-License-Identifier: MIT
/* Test input of insngen: each form of instruction, as text. Needs -mcpu=v3 (32-bit registers and jumps,
 * atomics with a result), which no probe uses. */
typedef unsigned long long u64;

char license_[] __attribute__((section("license"), used)) = "GPL";

__attribute__((section("kprobe/x"), used, naked)) int forms(void *ctx)
{
    asm volatile("r6 = r1\n"
                 "r1 += r2\n"
                 "r3 += 7\n"
                 "r1 -= r2\n"
                 "r3 -= 7\n"
                 "r1 *= r2\n"
                 "r3 *= 7\n"
                 "r1 /= r2\n"
                 "r3 /= 7\n"
                 "r1 |= r2\n"
                 "r3 |= 7\n"
                 "r1 &= r2\n"
                 "r3 &= 7\n"
                 "r1 <<= r2\n"
                 "r3 <<= 7\n"
                 "r1 >>= r2\n"
                 "r3 >>= 7\n"
                 ".quad 0x000000000000219f\n" /* r1 %= r2 */
                 ".quad 0x0000000700000397\n" /* r3 %= 7 */
                 "r1 ^= r2\n"
                 "r3 ^= 7\n"
                 "r1 s>>= r2\n"
                 "r3 s>>= 7\n"
                 "r1 = r2\n"
                 "r3 = 7\n"
                 "r4 = -r4\n"
                 "w1 += w2\n"
                 "w3 += 7\n"
                 "w1 -= w2\n"
                 "w3 -= 7\n"
                 "w1 *= w2\n"
                 "w3 *= 7\n"
                 "w1 /= w2\n"
                 "w3 /= 7\n"
                 "w1 |= w2\n"
                 "w3 |= 7\n"
                 "w1 &= w2\n"
                 "w3 &= 7\n"
                 "w1 <<= w2\n"
                 "w3 <<= 7\n"
                 "w1 >>= w2\n"
                 "w3 >>= 7\n"
                 ".quad 0x000000000000219c\n" /* w1 %= w2 */
                 ".quad 0x0000000700000394\n" /* w3 %= 7 */
                 "w1 ^= w2\n"
                 "w3 ^= 7\n"
                 "w1 s>>= w2\n"
                 "w3 s>>= 7\n"
                 "w1 = w2\n"
                 "w3 = 7\n"
                 "w4 = -w4\n"
                 "r1 = be16 r1\n"
                 "r2 = le16 r2\n"
                 "r1 = be32 r1\n"
                 "r2 = le32 r2\n"
                 "r1 = be64 r1\n"
                 "r2 = le64 r2\n"
                 "r5 = -2147483648\n"
                 "r5 = 2147483647\n"
                 "r5 = 0x8000000000000000 ll\n"
                 "r5 = -1 ll\n"
                 "r1 = *(u8 *)(r10 - 8)\n"
                 "*(u8 *)(r10 - 16) = r1\n"
                 "r1 = *(u8 *)(r6 + 0)\n"
                 "r1 = *(u16 *)(r10 - 8)\n"
                 "*(u16 *)(r10 - 16) = r1\n"
                 "r1 = *(u16 *)(r6 + 0)\n"
                 "r1 = *(u32 *)(r10 - 8)\n"
                 "*(u32 *)(r10 - 16) = r1\n"
                 "r1 = *(u32 *)(r6 + 0)\n"
                 "r1 = *(u64 *)(r10 - 8)\n"
                 "*(u64 *)(r10 - 16) = r1\n"
                 "r1 = *(u64 *)(r6 + 0)\n"
                 "lock *(u32 *)(r10 - 8) += w1\n"
                 "lock *(u32 *)(r10 - 8) |= w1\n"
                 "lock *(u32 *)(r10 - 8) &= w1\n"
                 "lock *(u32 *)(r10 - 8) ^= w1\n"
                 ".quad 0x00000001fff81ac3\n" /* w1 = atomic_fetch_add((u32 *)(r10 - 8), w1) */
                 ".quad 0x00000041fff81ac3\n" /* w1 = atomic_fetch_or((u32 *)(r10 - 8), w1) */
                 ".quad 0x00000051fff81ac3\n" /* w1 = atomic_fetch_and((u32 *)(r10 - 8), w1) */
                 ".quad 0x000000a1fff81ac3\n" /* w1 = atomic_fetch_xor((u32 *)(r10 - 8), w1) */
                 "lock *(u64 *)(r10 - 8) += r1\n"
                 "lock *(u64 *)(r10 - 8) |= r1\n"
                 "lock *(u64 *)(r10 - 8) &= r1\n"
                 "lock *(u64 *)(r10 - 8) ^= r1\n"
                 ".quad 0x00000001fff81adb\n" /* r1 = atomic_fetch_add((u64 *)(r10 - 8), r1) */
                 ".quad 0x00000041fff81adb\n" /* r1 = atomic_fetch_or((u64 *)(r10 - 8), r1) */
                 ".quad 0x00000051fff81adb\n" /* r1 = atomic_fetch_and((u64 *)(r10 - 8), r1) */
                 ".quad 0x000000a1fff81adb\n" /* r1 = atomic_fetch_xor((u64 *)(r10 - 8), r1) */
                 ".quad 0xfffffffdfff00a62\n" /* *(u32 *)(r10 - 16) = -3 */
                 ".quad 0xfffffffdfff00a6a\n" /* *(u16 *)(r10 - 16) = -3 */
                 ".quad 0xfffffffdfff00a72\n" /* *(u8 *)(r10 - 16) = -3 */
                 ".quad 0xfffffffdfff00a7a\n" /* *(u64 *)(r10 - 16) = -3 */
                 ".quad 0x000000e1fff81adb\n" /* r1 = xchg_64(r10 - 8, r1) */
                 ".quad 0x000000e1fff81ac3\n" /* w1 = xchg32_32(r10 - 8, w1) */
                 ".quad 0x000000f1fff81adb\n" /* r0 = cmpxchg_64(r10 - 8, r0, r1) */
                 ".quad 0x000000f1fff81ac3\n" /* w0 = cmpxchg32_32(r10 - 8, w0, w1) */
                 "if r1 == r2 goto +1\n"
                 "if r3 == -5 goto +0\n"
                 "if r1 != r2 goto +1\n"
                 "if r3 != -5 goto +0\n"
                 "if r1 > r2 goto +1\n"
                 "if r3 > -5 goto +0\n"
                 "if r1 >= r2 goto +1\n"
                 "if r3 >= -5 goto +0\n"
                 "if r1 < r2 goto +1\n"
                 "if r3 < -5 goto +0\n"
                 "if r1 <= r2 goto +1\n"
                 "if r3 <= -5 goto +0\n"
                 "if r1 s> r2 goto +1\n"
                 "if r3 s> -5 goto +0\n"
                 "if r1 s>= r2 goto +1\n"
                 "if r3 s>= -5 goto +0\n"
                 "if r1 s< r2 goto +1\n"
                 "if r3 s< -5 goto +0\n"
                 "if r1 s<= r2 goto +1\n"
                 "if r3 s<= -5 goto +0\n"
                 ".quad 0x000000000001214d\n" /* if r1 & r2 goto +1 */
                 ".quad 0xfffffffb00000345\n" /* if r3 & -5 goto +0 */
                 "if w1 == w2 goto +1\n"
                 "if w3 == -5 goto +0\n"
                 "if w1 != w2 goto +1\n"
                 "if w3 != -5 goto +0\n"
                 "if w1 > w2 goto +1\n"
                 "if w3 > -5 goto +0\n"
                 "if w1 >= w2 goto +1\n"
                 "if w3 >= -5 goto +0\n"
                 "if w1 < w2 goto +1\n"
                 "if w3 < -5 goto +0\n"
                 "if w1 <= w2 goto +1\n"
                 "if w3 <= -5 goto +0\n"
                 "if w1 s> w2 goto +1\n"
                 "if w3 s> -5 goto +0\n"
                 "if w1 s>= w2 goto +1\n"
                 "if w3 s>= -5 goto +0\n"
                 "if w1 s< w2 goto +1\n"
                 "if w3 s< -5 goto +0\n"
                 "if w1 s<= w2 goto +1\n"
                 "if w3 s<= -5 goto +0\n"
                 ".quad 0x000000000001214e\n" /* if w1 & w2 goto +1 */
                 ".quad 0xfffffffb00000346\n" /* if w3 & -5 goto +0 */
                 "goto +0\n"
                 "call 5\n"
                 "r0 = 0\n"
                 "exit");
}
