// want: license\+0x0: not one string of letters
#include "probe.h"
char odd_license[] SEC("license") = "x\"; attack";
SEC("raw_tp/x") int f(u64 *c) { return 0; }
