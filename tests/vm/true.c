/* Used by the guest tests. */
int main(void) { return 0; } /* /bin/true: busybox would look at argv[0], which some programs set to another name */
