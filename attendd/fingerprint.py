"""What a text is known by again, without the OpenSSL that `hashlib` loads: three megabytes."""

try:
    from _blake2 import blake2b
except ImportError:  # a Python that has it elsewhere: the same, dearer
    from hashlib import blake2b


def of(data: bytes, size: int = 8) -> bytes:
    """Return the BLAKE2b digest of some bytes.

    Args:
        data: anything.
        size: how long it is to be, in bytes: 1 to 64. Eight tell apart what nobody forges.
    """
    return blake2b(data, digest_size=size).digest()
