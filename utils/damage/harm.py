"""Ways to damage a file. Each takes bytes and a random generator and returns other bytes."""
import gzip
import io
import re
import struct
import zipfile

# Numbers on which a reader that does not check them fails.
NUMBERS = (0, 1, -1, 2, 7, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1, -(2**63))
WORDS = ("0", "-1", "1", "2147483648", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e400", "-1e-400", "nan", "inf",
         "0.5", "00012", "", "x", "99999999999999999999999999")


def flip(data, r):
    data = bytearray(data)
    for _ in range(r.choice((1, 1, 1, 2, 4, 16))):
        data[r.randrange(len(data))] ^= 1 << r.randrange(8)
    return bytes(data)


def overwrite(data, r):
    data = bytearray(data)
    at = r.randrange(len(data))
    length = r.choice((1, 2, 4, 8, 32))
    data[at:at + length] = r.choice((bytes(length), b"\xff" * length, r.randbytes(length)))
    return bytes(data)


def cut(data, r):
    return data[:r.randrange(len(data))]


def leave_out(data, r):
    at = r.randrange(len(data))
    return data[:at] + data[at + r.choice((1, 2, 8, 64, 512)):]


def insert(data, r):
    at = r.randrange(len(data) + 1)
    return data[:at] + r.randbytes(r.choice((1, 2, 8, 64))) + data[at:]


def repeat(data, r):
    at = r.randrange(len(data))
    block = data[at:at + r.choice((1, 8, 64, 512))]
    return data[:at] + block * r.choice((2, 3, 50)) + data[at + len(block):]


def move(data, r):
    """Copies one block over another place."""
    a, b = r.randrange(len(data)), r.randrange(len(data))
    block = data[a:a + r.choice((4, 8, 64, 512))]
    return data[:b] + block + data[b + len(block):]


def number(data, r):
    """Changes a number in the file's binary fields."""
    form = r.choice("<b <h <i <q >i".split())
    size = struct.calcsize(form)
    at = r.randrange(max(1, len(data) - size)) // size * size
    value = r.choice(NUMBERS) & (2**(8 * size) - 1)
    return data[:at] + value.to_bytes(size, "little" if form[0] == "<" else "big") + data[at + size:]


def written_number(data, r):
    """Changes a number in the text."""
    found = list(re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", data))
    if not found:
        return flip(data, r)
    one = r.choice(found)
    return data[:one.start()] + r.choice(WORDS).encode() + data[one.end():]


def line(data, r):
    """Removes, doubles or moves a line, or repeats it many times."""
    lines = data.split(b"\n")
    at = r.randrange(len(lines))
    one = lines[at]
    lines[at:at + 1] = r.choice(([], [one, one], [one] * 300, [one + r.choice(lines)]))
    return b"\n".join(lines)


def nest(data, r):
    """Repeats an opening character far too often."""
    at = r.randrange(len(data) + 1)
    return data[:at] + r.choice((b"[", b"{", b"(", b'{"a":', b'"')) * r.choice((3, 1000, 200000)) + data[at:]


BINARY = (flip, flip, overwrite, cut, leave_out, insert, repeat, move, number, number)
TEXT = (flip, cut, leave_out, insert, repeat, move, written_number, written_number, written_number, line, line, nest)


def inside_zip(ways):
    """Damages a member of an archive that stays valid."""
    def harm(data, r):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = [(one, archive.read(one)) for one in archive.infolist()]
        except Exception:  # zipfile does not document its exceptions for damaged files
            return flip(data, r)  # already damaged
        chosen = r.randrange(len(members)) if members else -1
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for i, (one, content) in enumerate(members):
                archive.writestr(one.filename, r.choice(ways)(content, r) if i == chosen and content else content, one.compress_type)
        return out.getvalue()
    return harm


def inside_gzip(ways):
    def harm(data, r):
        try:
            text = gzip.decompress(data)
        except Exception:
            return flip(data, r)  # already damaged
        return gzip.compress(r.choice(ways)(text, r) if text else text, 1, mtime=0)
    return harm


ZIP = BINARY + (inside_zip(BINARY),) * 10
GZIP = (flip, cut, number) + (inside_gzip(TEXT),) * 9
