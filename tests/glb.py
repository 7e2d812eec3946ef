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


def add_morph_target(path, out, name, shape):
    """A morph target that gives the one mesh another shape: positions in the order of caches."""
    document = Document(path)
    binary, made = bytearray(document.bytes), document.json
    mesh, first = made["meshes"][0], 0
    for primitive in mesh["primitives"]:
        rest = document.accessor(primitive["attributes"]["POSITION"])
        moved = (shape[first:first + len(rest)] - rest).astype("<f4")
        first += len(rest)
        binary += b"\0" * (-len(binary) % 4)
        made["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": moved.nbytes})
        made["accessors"].append({"bufferView": len(made["bufferViews"]) - 1, "componentType": 5126, "type": "VEC3",
                                  "count": len(moved), "min": moved.min(0).tolist(), "max": moved.max(0).tolist()})
        primitive["targets"] = [{"POSITION": len(made["accessors"]) - 1}]
        binary += moved.tobytes()
    assert first == len(shape) and len(made["meshes"]) == 1
    mesh["extras"] = {"targetNames": [name]}
    made["buffers"][0]["byteLength"] = len(binary)
    write_glb(out, made, binary)
