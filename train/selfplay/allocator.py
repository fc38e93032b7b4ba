"""Telling glibc's allocator to keep freed memory, which every training step takes again."""

import ctypes
import platform

_TRIM_THRESHOLD = -1
_TOP_PAD = -2
_MMAP_THRESHOLD = -3
_NEVER = 2**31 - 1
_GROW = 2**28


def keep_freed_memory() -> None:
    """Serve large blocks from the heap and do not give them back; a no-op off glibc.

    By default each large tensor is a fresh mapping whose pages the kernel zeroes at first touch:
    without this a gradient step takes more than twice as long.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(_MMAP_THRESHOLD, _NEVER)
    mallopt(_TRIM_THRESHOLD, _NEVER)
    mallopt(_TOP_PAD, _GROW)
