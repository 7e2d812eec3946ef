#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the first inputs of the fuzz targets: make_corpus.py FOLDER"""
import os
import struct
import sys


def put(target, name, data):
    folder = os.path.join(sys.argv[1], target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def pc2(frames, points, start=0.0, sampling=1.0):
    head = struct.pack("<12siiffi", b"POINTCACHE2", 1, points, start, sampling, frames)
    return head + b"".join(struct.pack("<f", k / 3) for k in range(3 * frames * points))


def mdd(frames, points, step=1 / 24):
    times = b"".join(struct.pack(">f", k * step) for k in range(frames))
    values = b"".join(struct.pack(">f", -k / 7) for k in range(3 * frames * points))
    return struct.pack(">ii", frames, points) + times + values


def model(kind, sections):
    """A block without checksum: the target repairs it. sections: (name, item bytes, data)"""
    offset = 128 + 32 * len(sections)
    offset += -offset % 64
    table = payload = b""
    for name, item, data in sections:
        table += struct.pack("<4sIQQQ", name, item, len(data) // item, offset + len(payload), 0)
        payload += data + bytes(-len(data) % 64)
    table += bytes(offset - 128 - len(table))
    print_ = struct.pack("<QIIffff", 0, 2, 0, 1, 0, 0, 0)
    head = struct.pack("<4sI4sIQQ", b"SUPM", 1, kind, 2, offset + len(payload), 0)
    head += print_ + struct.pack("<fI", 1 / 60, len(sections)) + bytes(56)
    return head + table + payload


# The first byte of a cache says under which name it is opened.
put("cache", "pc2", b"\0" + pc2(3, 5))
put("cache", "pc2_sampled", b"\0" + pc2(1, 1, 10.0, 0.5))
put("cache", "pc2_far", b"\0" + pc2(2, 1, 3e38))
put("cache", "mdd", b"\1" + mdd(3, 5))
put("cache", "mdd_one", b"\1" + mdd(1, 1))
put("obj", "triangle", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
put("obj", "quads", b"o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n"
    b"f 1/1/1 2//1 -2/1 \\\r\n -1\ng b\nv 0 0 1\nv 1e-3 -.5 +2.\nv 0 2 2\nf 5 6 7\n")
# The first byte of tetrahedra is their format; TetGen's two files have a zero between them.
put("tets", "medit", b"\0MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n"
    b"0 1 0 0\n0 0 1 0\nTetrahedra 1\n1 2 3 4 0\nEnd\n")
put("tets", "gmsh2", b"\1$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
    b"9 0 0 1\n$EndNodes\n$Elements\n2\n1 15 2 0 1 1\n2 4 1 0 1 2 3 9\n$EndElements\n")
put("tets", "gmsh4", b"\1$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n"
    b"0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n")
put("tets", "tetgen", b"\2" b"4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\0" b"1 4 0\n1 1 2 3 4\n")
# The first byte of a rig: a file, the first answer of a process, or a table of curves.
put("rig", "table", b'\2time,a.x,"b ""c"""\r\n0,1,2\r\n0.5,3,4e2\r\n')
put("rig", "wire", b'\0{"rig": 1, "about": "x", "script_rest": true, "after_skinning": [{"wire": "w", "joint": "j", "radius": 0.2, '
    b'"fade": 0.1, "curve": [[0, 0, 0], [0, 1, 0]]}], "parameters": [{"name": "w.x", "zone": "w", "range": [-1, null], "drives": '
    b'{"wire": "w", "point": 1, "channel": "twist"}}]}')
put("rig", "lattice", b'\0{"rig": 1, "helpers": [{"name": "h", "parent": "j", "at": [0, 1, 0], "radius": 0.5}], "before_skinning": '
    b'[{"lattice": "l", "low": [-1, -1, -1], "high": [1, 1, 1], "points": [2, 3, 4]}], "zones": {"z": "free"}, "parameters": [{"name": '
    b'"p", "zone": "z", "rest": 0, "scale": 1, "drives": [{"joint": "h", "channel": "turn.x", "factor": 2}, {"morph": "m"}, '
    b'{"lattice": "l", "point": [0, 1, 2], "channel": "x"}]}]}')
put("rig", "hello", b"\1" + struct.pack("<IIII1s", 1, 2, 0, 1, b"r") + struct.pack("<ddddII1sI1s", 0, -1, 1, 2, 0, 1, b"p", 1, b"z") +
    struct.pack("<6f", 0, 1, 2, 3, 4, 5))
put("patches", "cap", b'{"patch_file": 1, "vertex_count": 85, "features": [{"name": "a", "vertex": 0, "position": [0, 1, 0]}, '
    b'{"name": "b", "position": [1, 0, 0]}, {"name": "c", "joint": "hip", "direction": [-1, 0, 0.1]}, {"name": "d", "vertex": 20}], '
    b'"boundaries": [{"name": "ab", "from": "a", "to": "b", "kind": "edges"}, {"name": "bc", "from": "b", "to": "c", "kind": '
    b'"geodesic", "through": [[0, 0, 1]]}, {"name": "ca", "from": "c", "to": "a", "kind": "curve", "points": [[-1, 0, 0.1], '
    b'[-1, 1, -1], [0, 1, 0]], "weights": [1, 0.7, 1]}, {"name": "ad", "from": "a", "to": "d", "kind": "geodesic"}, {"name": "bd", '
    b'"from": "b", "to": "d", "kind": "edges"}], "patches": [{"name": "top", "zone": "z", "boundaries": ["ab", "bd", "ad"]}], '
    b'"zones": {"z": "solid"}}')
put("patches", "rim", b'{"patch_file": 1, "features": [{"name": "a", "vertex": 73}, {"name": "b", "vertex": 77}, {"name": "c", '
    b'"vertex": 81}, {"name": "t", "vertex": 0}], "boundaries": [{"name": "ab", "from": "a", "to": "b", "kind": "rim"}, {"name": '
    b'"bc", "from": "b", "to": "c", "kind": "rim"}, {"name": "ca", "from": "c", "to": "a", "kind": "rim"}, {"name": "at", "from": '
    b'"a", "to": "t", "kind": "geodesic"}, {"name": "bt", "from": "b", "to": "t", "kind": "geodesic"}, {"name": "ct", "from": "c", '
    b'"to": "t", "kind": "geodesic"}], "patches": [{"name": "p", "boundaries": ["ab", "bt", "at"]}]}')
put("model", "toy", model(b"TOY!", [
    (b"REST", 12, struct.pack("<6f", 0, 0, 0, 1, 2, 3)),
    (b"VALS", 4, struct.pack("<5f", 0.5, -0.25, 1, 0, -1)),
    (b"LINK", 4, struct.pack("<5I", 4, 3, 2, 1, 0))]))
put("model", "bare", model(b"TOY!", []))
