"""Used by the cases mistakes, recording_forged and replay_damaged, and by fuzz/run.sh.
A recording has a header of 16 bytes, the last four of which are its checksum, and blocks: length, checksum, content. The
checksum of a block covers its number and its content."""
import zlib

HEAD = 16


def blocks(data):
    """(where it begins in the recording, its content) of each block."""
    at = HEAD
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "little")
        yield at, data[at + 8:at + 8 + size]
        at += 8 + size


def head(version):
    start = b"\x89kvis\r\n\x1a" + version.to_bytes(4, "little")
    return start + zlib.crc32(start).to_bytes(4, "little")


def join(start, contents):
    """The recording with this head and these blocks."""
    for n, content in enumerate(contents):
        checksum = zlib.crc32(n.to_bytes(4, "little") + content)
        start += len(content).to_bytes(4, "little") + checksum.to_bytes(4, "little") + content
    return start
