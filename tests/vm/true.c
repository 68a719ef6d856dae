/* Used by the guest tests. */
int main(void) { return 0; } /* /bin/true: busybox goes by argv[0], and some programs give it an odd one */
