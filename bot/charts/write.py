"""A drawn sheet as bytes: an SVG that holds nothing but a picture and its words, or a PNG.

Texts of an SVG stay texts, in the reader's own fonts. It holds no script, no handler and no
address of anything outside itself; equal sheets give equal bytes.
"""

import io
import re
from xml.etree import ElementTree as ET

from bot.charts.canvas import DPI, Sheet
from jobs.dashboard.addresses import Picture

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
FONTS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif'
SHARP = 2
"""Pixels of a PNG for each one that it takes."""
_FAMILIES = re.compile(r"'DejaVu Sans'[^;]*")
ET.register_namespace("", SVG)
ET.register_namespace("xlink", XLINK)


def write_sheet(
    sheet: Sheet, picture: Picture, *, wide: float, says: str, fonts: str = FONTS
) -> bytes:
    """The picture, `wide` pixels by itself; `says` is for those who do not see it."""
    written = io.BytesIO()
    if picture == "png":
        dpi = DPI * SHARP * wide / sheet.width
        about = {"Software": None, "Description": says.encode("ascii", "replace").decode()}
        sheet.figure.savefig(written, format="png", dpi=dpi, metadata=about)
        return written.getvalue()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    sheet.figure.savefig(written, format="svg", metadata=nothing)
    return _finish(written.getvalue(), sheet, wide, says, fonts)


def _finish(content: bytes, sheet: Sheet, wide: float, says: str, fonts: str) -> bytes:
    """Sized in pixels, with a name and a description, and with fonts of those who look."""
    root = ET.fromstring(content)  # noqa: S314 -- it was made here a moment ago
    root.attrib.pop("version", None)
    root.set("width", f"{wide:g}")
    root.set("height", f"{wide * sheet.height / sheet.width:g}")
    root.set("role", "img")
    root.set("aria-labelledby", "title says")
    for text in root.iter(f"{{{SVG}}}text"):
        text.set("style", _FAMILIES.sub(fonts, text.get("style", "")))
    for tag, words in (("desc", says), ("title", sheet.title)):
        element = ET.Element(f"{{{SVG}}}{tag}", {"id": "says" if tag == "desc" else "title"})
        element.text = words
        root.insert(0, element)
    finished: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return finished
