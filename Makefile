# kvis: one C file, one static binary. `make help` lists the targets.
# Yours to set: CC CFLAGS LDFLAGS PREFIX DESTDIR LINKS ARCH MUSL_ARM64 CLANG (or put them in config.mak).
-include config.mak

HOST   := $(shell uname -m)
ARCH   ?= $(HOST)
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
CLANG  ?= clang
CROSS  := $(if $(filter-out $(HOST),$(ARCH)),$(if $(filter armv7,$(ARCH)),arm-linux-gnueabihf-,$(ARCH)-linux-gnu-))
BIN    := kvis$(if $(CROSS),-$(ARCH))
STRIP  := $(CROSS)strip
# common-page-size: no padding before the data
LINK   := -static -Wl,-z,noseparate-code -Wl,-z,common-page-size=64

# If no compiler was chosen: the cross compiler, musl-gcc or cc, in this order.
ifneq ($(filter default undefined,$(origin CC)),)
  CC := $(if $(CROSS),$(CROSS)gcc,$(shell command -v musl-gcc >/dev/null && echo musl-gcc || echo cc))
  NOTE := $(if $(filter cc,$(CC)),no musl-gcc here: $(BIN) is linked with the static libc of cc)
endif

# Without git, as in the source archive of `make dist`, .version has VERSION DATE SECONDS.
SAYS := $(shell [ -e .git ] && echo "$$(git describe --tags --dirty 2>/dev/null || echo 0.1)" \
                $$(git log -1 --format='%cs %ct' 2>/dev/null) || cat .version 2>/dev/null || echo 0.1)
VERSION := $(firstword $(SAYS))
DATE := $(or $(word 2,$(SAYS)),2026-11-22)
STAMP = sed -e 's~{{date}}~$(DATE)~' -e 's~{{version}}~$(VERSION)~'

# Flags for kvis.c that CFLAGS cannot change. Nothing reads unwind tables; debuggers have those of -g.
KFLAGS = -std=gnu11 -pthread -fno-pie -fno-asynchronous-unwind-tables -fno-unwind-tables -DKVIS_VERSION='"$(VERSION)"'
# 6 % smaller and not slower: nothing is aligned, larger functions are not inlined (clang has no such options)
KFLAGS += -falign-functions=1 -falign-loops=1 -falign-jumps=1 --param max-inline-insns-auto=6
KFLAGS += -Wno-ignored-optimization-argument -Wno-unused-command-line-argument
# the usual warnings
KFLAGS += -Wall -Wextra -Wshadow -Wstrict-prototypes -Wold-style-definition
# memory and strings
KFLAGS += -Wvla -Wformat=2 -Wwrite-strings -Wcast-align -Wpointer-arith
# flow, and nothing unused or visible outside
KFLAGS += -Wimplicit-fallthrough -Wundef -Wmissing-prototypes -Wunused

# musl brings no kernel headers: take the system's, after its own.
MULTIARCH = $(shell gcc -print-multiarch 2>/dev/null)
UAPI = -idirafter /usr/include $(if $(MULTIARCH),-idirafter /usr/include/$(MULTIARCH))
ifneq ($(findstring musl-gcc,$(CC)),)
  KFLAGS += $(UAPI)
endif

# MUSL_ARM64=DIR: DIR/include and DIR/lib of a musl for arm64, under the glibc cross compiler. RELRO, which musl does not apply
# to a static program, would pad the file by 39 KB; blocks in source order, less inlining, no elimination of partial
# redundancies and no jump threading keep it below 1.5 MiB. Without jump threading, gcc takes variables for uninitialized.
ifeq ($(ARCH)$(if $(MUSL_ARM64),+musl),aarch64+musl)
  KFLAGS += --param max-inline-insns-auto=4 -freorder-blocks-algorithm=simple -fno-tree-pre -fno-tree-ch
  KFLAGS += -fno-thread-jumps -Wno-maybe-uninitialized
  KFLAGS += -nostdinc -isystem '$(MUSL_ARM64)/include' -idirafter /usr/$(ARCH)-linux-gnu/include \
            -idirafter $(shell $(CC) -print-file-name=include)
  LINK += -nostdlib -nostartfiles -no-pie -Wl,-z,norelro '$(MUSL_ARM64)/lib/crt1.o' '$(MUSL_ARM64)/lib/crti.o'
  LIBS = -L'$(MUSL_ARM64)/lib' -Wl,--start-group -lc $(shell $(CC) -print-libgcc-file-name) \
         -Wl,--end-group '$(MUSL_ARM64)/lib/crtn.o'
endif

all: $(BIN) ## build ./kvis (ARCH=aarch64, riscv64 or armv7: ./kvis-ARCH)

SOURCES = kvis.c $(wildcard gen/*.h gen/out/*.h bpf_insns/*.h) Makefile
$(BIN): gen/out/texts.page $(SOURCES)
	$(if $(NOTE),@echo "note: $(NOTE)")
	$(CC) $(KFLAGS) $(CFLAGS) $(LINK) $(LDFLAGS) -o $@ kvis.c $(LIBS)

# The pages of --report as one file, without indentation, and without comments of one line.
gen/out/report.page: $(addprefix gen/report/,report.html report.css report.js common.js monitor.js diff.js) Makefile
	sed -e '/^{{css}}$$/{r gen/report/report.css' -e 'd;}' \
	  -e '/^{{common}}$$/{r gen/report/common.js' -e 'd;}' \
	  -e '/^{{monitor_js}}$$/{r gen/report/monitor.js' -e 'd;}' \
	  -e '/^{{diff_js}}$$/{r gen/report/diff.js' -e 'd;}' \
	  -e '/^{{js}}$$/{r gen/report/report.js' -e 'd;}' gen/report/report.html | \
	  sed -e 's/^ *//' -e 's, */\*[^*]*\*/$$,,' -e '/^$$/d' >$@

# These and what gen/texts.py has made, in one file that kvis.c includes: each with its name in the line before, and a NUL.
# The file depends on kvis.c, because both contain the version.
gen/out/texts.page: gen/out/report.page $(wildcard gen/out/texts/*) $(SOURCES)
	(for f in gen/out/report.page gen/out/texts/*; do echo "$${f##*/}"; $(STAMP) "$$f"; printf '\0'; done) >$@

run: $(BIN) ## build, and trace a real command
	./$(BIN) trace -- ls -l /

test: ## build, and run the tests of the gate (3 minutes on two CPUs; as root: installs what they need)
	tests/run.sh

test-all: $(BIN) ## run all tests: VMs, sanitizers, fuzzers, browsers, packages, too (TIERS="full vm": only these)
	tests/run.sh $(addprefix --tier=,$(or $(TIERS),all))

check: $(BIN) ## structure lint, -Werror under each compiler here, static, size
	sh tests/lib/lint.sh
	@for c in $(if $(CROSS),$(CC),musl-gcc gcc clang); do command -v $$c >/dev/null || { echo "check: no $$c"; continue; }; \
	  case $$c in musl-gcc) inc='$(UAPI)';; *) inc=;; esac; echo "check: $$c -Werror"; \
	  $$c $(KFLAGS) $$inc -O2 -Werror -S -o /dev/null kvis.c || exit 1; done
	@sh tests/lib/static.sh $(BIN) $(STRIP)

bench: $(BIN) ## kvis beside strace, perf, bcc and bpftrace: time and memory (as root: installs them)
	python3 tests/bench/bench.py

soak: $(BIN) ## kvis monitor for 20 minutes (SOAK=SECONDS): memory, descriptors, BPF maps stay flat (as root)
	@d=$$(mktemp -d); cd "$$d" && TESTS='$(CURDIR)/tests' KVIS='$(CURDIR)/$(BIN)' SOAK=$${SOAK:-1200} \
	  sh '$(CURDIR)/tests/cases/monitor_soak.sh'; e=$$?; rm -rf "$$d"; exit $$e

fuzz: $(BIN) ## libFuzzer over recordings, diff, BTF, formats, /proc and /sys, HTTP: FUZZ_RUNS=1700000 each
	KVIS='$(CURDIR)/$(BIN)' tests/fuzz/run.sh

coverage: ## how much of kvis.c the cases run, by gcov (CASES="NAME..."; as root)
	sh tests/lib/coverage.sh $(CASES)

gen: gen-tables ## rebuild gen/out/ from the tables, bpf_insns/*.h from the probes (with clang)
	CLANG='$(CLANG)' sh gen/insns.sh

gen-tables: ## rebuild only gen/out/ (without clang)
	sh gen/arch.sh
	sh gen/files.sh
	sh gen/structs.sh
	sh gen/tables.sh
	sh gen/rules.sh
	sh gen/options.sh
	sh gen/metrics.sh
	sh gen/pmu.sh
	gen/texts.py

vet: ## every BPF array is signed in bpf_insns/VETTED
	sh gen/vet.sh

# Destinations of `make install`; LINKS=1 adds links named after bcc's tools.
BASH_DIR = $(PREFIX)/share/bash-completion/completions
MAN_DIR = $(PREFIX)/share/man/man1
INSTALLS = $(PREFIX)/bin/kvis $(patsubst gen/out/texts/%,$(MAN_DIR)/%,$(wildcard gen/out/texts/*.1)) $(BASH_DIR)/kvis \
           $(PREFIX)/share/zsh/site-functions/_kvis $(PREFIX)/share/fish/vendor_completions.d/kvis.fish
LINKED = opensnoop execsnoop exitsnoop

install: $(BIN) ## stripped binary, manual, completions into $(DESTDIR)$(PREFIX); LINKS=1: opensnoop ..., too
	@set -e; umask 022; for f in $(INSTALLS); do f="$(DESTDIR)$$f"; mkdir -p "$${f%/*}"; case $$f in \
	  */bin/kvis) $(STRIP) -o "$$f.new" $(BIN); chmod 755 "$$f.new"; mv "$$f.new" "$$f" ;; \
	  *.1) $(STAMP) "gen/out/texts/$${f##*/}" >"$$f" ;; */bash-*) cat gen/out/texts/completion.bash >"$$f" ;; \
	  *.fish) cat gen/out/texts/completion.fish >"$$f" ;; *) cat gen/out/texts/completion.zsh >"$$f" ;; esac; echo "$$f"; done
	@set -e; for l in $(if $(LINKS),$(LINKED)); do ln -sf kvis "$(DESTDIR)$(PREFIX)/bin/$$l"; \
	  ln -sf kvis "$(DESTDIR)$(BASH_DIR)/$$l"; echo "$(DESTDIR)$(PREFIX)/bin/$$l"; done

uninstall: ## take out what install has put there (and no link that is not to kvis)
	@for f in $(INSTALLS); do rm -f "$(DESTDIR)$$f"; done
	@for l in $(LINKED); do for d in $(PREFIX)/bin $(BASH_DIR); do f="$(DESTDIR)$$d/$$l"; \
	  [ "$$(readlink "$$f")" != kvis ] || rm -f "$$f"; done; done

dist: ## into dist/: static binaries for x86_64, aarch64, riscv64 and armv7, their symbols, source, SHA256SUMS; the same bytes anywhere
	SAYS='$(SAYS)' sh gen/dist.sh

clean: ## remove what was built
	rm -rf kvis kvis-* dist gen/out/*.page tests/out

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile

.PHONY: all run test test-all check bench soak fuzz coverage gen gen-tables vet install uninstall dist clean help
.DELETE_ON_ERROR:
