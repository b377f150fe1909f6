"""What reading an archive raises where it is damaged, encrypted or packed in an unusual way."""

import zipfile
import zlib

BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
"""`RuntimeError` for a member that is encrypted, and its `NotImplementedError` for a way of packing
that is not known."""
