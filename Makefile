# kvis: one C file, one static binary. `make help` lists the targets.
# Yours to set: CC CFLAGS LDFLAGS PREFIX DESTDIR ARCH MUSL_ARM64 CLANG (or put them in config.mak).
-include config.mak

comma  := ,
HOST   := $(shell uname -m)
ARCH   ?= $(HOST)
PREFIX ?= /usr/local
CFLAGS ?= -Os -g
CLANG  ?= clang
CROSS  := $(if $(filter-out $(HOST),$(ARCH)),$(ARCH)-linux-gnu-)
BIN    := kvis$(if $(CROSS),-$(ARCH))
STRIP  := $(CROSS)strip
OBJCOPY := $(CROSS)objcopy

# Who did not choose a compiler gets the cross compiler, musl-gcc or cc, in this order.
ifneq ($(filter default undefined,$(origin CC)),)
  CC := $(if $(CROSS),$(CROSS)gcc,$(shell command -v musl-gcc >/dev/null && echo musl-gcc || echo cc))
  NOTE := $(if $(filter cc,$(CC)),no musl-gcc here: $(BIN) is linked with the static libc of cc)
endif

# A static program at a fixed address: code without PIC is 4 KB smaller. noseparate-code: no pages of
# padding between headers, code and constants. norelro: musl's start-up has no mprotect for it in a
# static program, so it is only padding; with glibc it would cover 400 bytes.
knows = $(shell echo 'int main(void) { return 0; }' | \
          $(CC) $(1) -Werror -x c -o /dev/null - 2>/dev/null && echo '$(1)')
NO_PIE := $(call knows,-fno-pie)
LINK := -static $(NO_PIE) \
        $(call knows,-Wl$(comma)-z$(comma)noseparate-code$(comma)-z$(comma)norelro$(comma)--gc-sections)

VERSION := $(shell [ -e .git ] && git describe --tags --dirty 2>/dev/null || echo 0.1)

# What kvis.c needs, whatever CFLAGS says. (Unwind tables: 16 KB that nothing here reads.)
KFLAGS = -std=gnu11 -pthread -fno-asynchronous-unwind-tables -DKVIS_VERSION='"$(VERSION)"'
# the usual ones
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

# MUSL_ARM64=DIR: DIR/include and DIR/lib of a musl for arm64, under the glibc cross compiler.
ifneq ($(MUSL_ARM64),)
  KFLAGS += -nostdinc -isystem $(MUSL_ARM64)/include -idirafter /usr/$(ARCH)-linux-gnu/include \
            -idirafter $(shell $(CC) -print-file-name=include)
  LINK += -nostdlib -nostartfiles -no-pie $(addprefix $(MUSL_ARM64)/lib/,crt1.o crti.o)
  LIBS = -L$(MUSL_ARM64)/lib -Wl,--start-group -lc $(shell $(CC) -print-libgcc-file-name) \
         -Wl,--end-group $(MUSL_ARM64)/lib/crtn.o
endif

all: $(BIN) ## build ./kvis (ARCH=aarch64: ./kvis-aarch64)

# The pages of --report in one file, without indents and comments, compressed where there is a gzip.
# (Under a name of its own first: another make may be at it.)
PAGE := gen/report.page
$(PAGE): $(addprefix gen/report/,report.html report.css report.js common.js monitor.js) Makefile
	@new=$@.$$$$; sed -e '/^{{css}}$$/{r gen/report/report.css' -e 'd;}' \
	  -e '/^{{common}}$$/{r gen/report/common.js' -e 'd;}' \
	  -e '/^{{monitor_js}}$$/{r gen/report/monitor.js' -e 'd;}' \
	  -e '/^{{js}}$$/{r gen/report/report.js' -e 'd;}' gen/report/report.html | \
	sed 's/^ *//; /^\/\*.*\*\/$$/d; /^\/\*/,/\*\/$$/d; s/ *\/\*[^*]*\*\/$$//' >$$new.html && \
	{ gzip -9n <$$new.html >$$new 2>/dev/null || { cp $$new.html $$new && \
	  echo 'note: no gzip here: the page of --report stays as it is, 42 KB more'; }; } && \
	mv $$new $@; e=$$?; rm -f $$new*; exit $$e

# BPF arrays and large tables are compressed in the object file: the linker leaves them out.
PACKED = $(call knows,-Wl$(comma)-T$(comma)gen/packed.ld)
PACK = set --; for s in bpf_arrays call_tables met_tables; do \
  $(OBJCOPY) -O binary -j $$s $$o.o $$o.$$s && [ -s $$o.$$s ] && gzip -9n <$$o.$$s >$$o.$$s.gz || exit 1; \
  set -- "$$@" --add-section $${s}_gz=$$o.$$s.gz --set-section-flags $$s=alloc \
    --set-section-flags $${s}_gz=alloc,readonly,data; done; $(OBJCOPY) "$$@" $$o.o $$o.packed.o

$(BIN): kvis.c gen/packed.ld $(PAGE) $(wildcard gen/*.h bpf_insns/*.h) Makefile
	$(if $(NOTE),@echo "note: $(NOTE)")
	@echo '$(CC) $(CFLAGS) -o $@ kvis.c'; o=$@.$$$$; trap 'rm -f $$o.*' EXIT; packed=; \
	$(CC) $(KFLAGS) $(CFLAGS) $(NO_PIE) -c -o $$o.o kvis.c || exit 1; \
	if [ '$(PACKED)' ] && ($(PACK)) >/dev/null 2>&1; then mv $$o.packed.o $$o.o; packed='$(PACKED)'; else \
	  echo 'note: no objcopy, gzip or GNU ld here: BPF arrays and tables stay as they are, 120 KB more'; fi; \
	$(CC) $(CFLAGS) $(LINK) $$packed $(LDFLAGS) -pthread -o $@ $$o.o $(LIBS)

run: $(BIN) ## build, and trace a real command
	./$(BIN) trace -- ls -l /

test: $(BIN) ## run all tests, plain and under ASan/UBSan (as root: installs what they need)
	tests/run.sh --all

check: $(BIN) ## structure lint, -Werror under each compiler here, static, size
	sh tests/lint.sh
	@for c in $(if $(CROSS),$(CC),musl-gcc gcc clang); do command -v $$c >/dev/null || { echo "check: no $$c"; continue; }; \
	  case $$c in musl-gcc) inc='$(UAPI)';; *) inc=;; esac; echo "check: $$c -Werror"; \
	  $$c $(KFLAGS) $$inc -O2 -Werror -S -o /dev/null kvis.c || exit 1; done
	@sh tests/static.sh $(BIN) $(STRIP)

bench: $(BIN) ## kvis trace against strace, kvis open and monitor against the others of their kind (as root)
	sh tests/bench.sh
	python3 tests/bench_open.py
	python3 tests/bench_monitor.py

soak: $(BIN) ## kvis monitor for 20 minutes (SOAK=SECONDS): memory, descriptors, BPF maps stay flat (as root)
	@d=$$(mktemp -d); cd $$d && TESTS=$(CURDIR)/tests KVIS=$(CURDIR)/$(BIN) SOAK=$${SOAK:-1200} \
	  sh $(CURDIR)/tests/cases/monitor_soak.sh; e=$$?; rm -rf $$d; exit $$e

gen: ## rebuild gen/*.h from the tables, bpf_insns/*.h from the probes (with clang)
	sh gen/tables.sh
	CLANG='$(CLANG)' sh gen/insns.sh

vet: ## every BPF array is signed in bpf_insns/VETTED
	sh gen/vet.sh

install: $(BIN) ## into $(DESTDIR)$(PREFIX)/bin
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/kvis

clean: ## remove what was built
	rm -rf kvis kvis-* $(PAGE)* tests/out

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile

.PHONY: all run test check bench soak gen vet install clean help
.DELETE_ON_ERROR:
