#!/bin/sh
# dist.sh: makes the files of `make dist`. dist/ gets kvis-VERSION-ARCH for each of ARCHS, stripped, and its debug symbols as
# kvis-VERSION-ARCH.debug; the source as kvis-VERSION.tar.gz; SIZES; SHA256SUMS. The same commit and compilers always give the
# same bytes: they do not depend on the directory, time, user, locale or umask.
# Environment: SAYS ("VERSION [DATE SECONDS]"), ARCHS, SOURCE_DATE_EPOCH (else the commit's time).
set -eu
LC_ALL=C TZ=UTC
export LC_ALL TZ
umask 022
set -f
set -- ${SAYS:-0.1}
set +f
version=$1 date=${2-} epoch=${SOURCE_DATE_EPOCH:-${3:-0}}
name=kvis-$version
rm -rf dist
mkdir dist

# Paths of this machine must not get into the symbols or into the build ID, which is a hash of them.
maps="-ffile-prefix-map='$PWD'=. ${MUSL_ARM64:+-ffile-prefix-map='$MUSL_ARM64'=musl}"
rm -f gen/out/texts.page # it contains the version of the commit that it was built from
make --no-print-directory gen/out/texts.page
jobs=
for arch in ${ARCHS:-x86_64 aarch64 riscv64 armv7}; do
    make --no-print-directory ARCH=$arch BIN=dist/$name-$arch LDFLAGS="-Wl,--build-id=sha1 $maps" &
    jobs="$jobs $!"
done
for job in $jobs; do wait "$job"; done
for arch in ${ARCHS:-x86_64 aarch64 riscv64 armv7}; do
    case $arch in
    "$(uname -m)") objcopy=objcopy ;;
    armv7) objcopy=arm-linux-gnueabihf-objcopy ;;
    *) objcopy=$arch-linux-gnu-objcopy ;;
    esac
    (
        cd dist
        $objcopy --only-keep-debug $name-$arch $name-$arch.debug
        chmod 644 $name-$arch.debug
        $objcopy --strip-all --add-gnu-debuglink=$name-$arch.debug $name-$arch
    )
done

# The source: the files that git tracks or, in a source archive, all files. .version has the version that git would report.
if [ -e .git ]; then git ls-files; else
    find . -type f ! -path './dist/*' ! -path './tests/out/*' ! -path './gen/out/*.page' ! -path './kvis' \
        ! -path './kvis-*' ! -path './.version' ! -path '*/__pycache__/*' | sed 's,^\./,,'
fi | sort >dist/files
echo "$version${date:+ $date $epoch}" >dist/.version
tar -cf dist/$name.tar --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mtime="@$epoch" \
    --mode='u=rwX,go=rX' --no-recursion --transform "s,^dist/,," --transform "s,^,$name/," \
    -T dist/files dist/.version
gzip -9n dist/$name.tar
rm dist/files dist/.version

{
    for f in dist/$name-*; do
        echo "$(wc -c <"$f") ${f#dist/}"
        [ "$f" = "${f%.debug}" ] || continue
        readelf -SW "$f" | sed -n 's/^ *\[ *[0-9]*\] \([^ ]*\)  *\([A-Z][A-Z]*\)  *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\2 \3 \1/p' |
            while read -r type size section; do
                size=$((0x$size))
                [ "$type" = NOBITS ] || [ $size -lt 1024 ] || echo "    $size $section"
            done
    done
    echo "$(wc -c <dist/$name.tar.gz) $name.tar.gz"
} >dist/SIZES
(cd dist && sha256sum $name* SIZES >SHA256SUMS)
cat dist/SIZES dist/SHA256SUMS
