#!/bin/sh
# fork, vfork, clone, clone3, threads, exec of all kinds, daemons and zombies are followed.
# tier: gate asan
# timeout: 120
# covers: P1 P9 P12 P29 P32 P33 P34
. "$TESTS/lib/truth.sh"
each truth proc forks vfork threads shorts zombies clone_vm daemon failed_exec bad_elf odd big_argv
KVOPT="-v --no-accel"
each truth proc forks vfork threads daemon odd
