"""Archives with a `result.json` that cannot be unpacked: damaged, encrypted, packed as nobody can.

The list of members is whole in each, so that only reading the member finds out.
"""

import io
import random
import zipfile

_METHOD_IN_HEAD, _METHOD_IN_LIST = 8, 10
_FLAGS_IN_HEAD, _FLAGS_IN_LIST = 6, 8
_LIST = b"PK\x01\x02"


def _whole() -> bytearray:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("result.json", random.Random(1).randbytes(5_000).hex())
    return bytearray(packed.getvalue())


def _damaged() -> bytes:
    content = _whole()
    content[60:400] = b"\xff" * 340
    return bytes(content)


def _marked(in_head: int, in_list: int, value: int) -> bytes:
    content = _whole()
    content[in_head] = value
    content[content.rfind(_LIST) + in_list] = value
    return bytes(content)


BROKEN_ZIPS = {
    "damaged": _damaged(),
    "encrypted": _marked(_FLAGS_IN_HEAD, _FLAGS_IN_LIST, 1),
    "packed as nobody can": _marked(_METHOD_IN_HEAD, _METHOD_IN_LIST, 99),
}
