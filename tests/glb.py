# SPDX-License-Identifier: MIT
"""For tests: .glb files, read and written from the format's description."""
import json
import struct

import numpy as np

TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def read_glb(path):
    """The document and the bytes of its buffer."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + length]), data[28 + length:]


def write_glb(path, document, binary):
    binary = bytes(binary) + b"\0" * (-len(binary) % 4)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(binary), b"BIN\0") + binary)


def document(path):
    return read_glb(path)[0]


class Document:
    """A .glb: its JSON, and its accessors as arrays."""

    def __init__(self, path):
        self.json, self.bytes = read_glb(path)

    def place(self, index):
        """Of an accessor: where its first item lies in the buffer, and the bytes from item to item."""
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        item = WIDTHS[a["type"]] * np.dtype(TYPES[a["componentType"]]).itemsize
        return view.get("byteOffset", 0) + a.get("byteOffset", 0), view.get("byteStride", item)

    def accessor(self, index):
        a = self.json["accessors"][index]
        width, kind = WIDTHS[a["type"]], np.dtype(TYPES[a["componentType"]])
        start, step = self.place(index)
        item = width * kind.itemsize
        raw = np.frombuffer(self.bytes, np.uint8, (a["count"] - 1) * step + item, start)
        rows = np.lib.stride_tricks.as_strided(raw, (a["count"], item), (step, 1))
        return rows.copy().view(kind).reshape(a["count"], width)

    def view(self, index):
        view = self.json["bufferViews"][index]
        start = view.get("byteOffset", 0)
        return self.bytes[start:start + view["byteLength"]]
