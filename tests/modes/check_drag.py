# SPDX-License-Identifier: MIT
"""Wrinkles and local dragging (Shi et al. 2008, figure 6): a surface against 5 and 15 modes.

usage: check_drag.py DUMP_DRAG [PICTURE.png]

One vertex of a belly is dragged outwards, or two are pinched together. How local is the answer (the fraction of its
energy within a tenth of the body's diagonal), how far does it reach (root mean square distance of the energy), and how
fine is it (the part that is not the mean of the neighbours)? How much of their way do the hands get? With a second argument a picture is drawn.
"""
import pathlib
import subprocess
import sys
import tempfile
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dumped import read  # noqa: E402


def wanted_at(data, hands):
    places = data["hands"].astype(int).tolist()
    return data["ways"].reshape(-1, 3)[[places.index(hand) for hand in hands]]


def by_modes(data, count, hands):
    """The equilibrium of the lowest modes under forces at the hands that bring them about where they are wanted: ways in
    which the modes are twenty times stiffer than in the softest are left out, or the body would be torn apart."""
    shapes = data["shapes"].reshape(-1, data["positions"].size)[:count]
    held = shapes.reshape(count, -1, 3)[:, hands].reshape(count, -1)
    compliance = held.T @ (held / data["stiffness"][:count, None])
    force = np.linalg.lstsq(compliance, wanted_at(data, hands).ravel(), rcond=0.05)[0]
    return (shapes.T @ ((held @ force) / data["stiffness"][:count])).reshape(-1, 3)


def measure(data, offsets, hands):
    positions, triangles = data["positions"].reshape(-1, 3), data["triangles"].astype(int).reshape(-1, 3)
    wanted = wanted_at(data, hands)
    energy = (offsets ** 2).sum(1)
    distance = np.min([np.linalg.norm(positions - positions[h], axis=1) for h in hands], axis=0)
    size = np.linalg.norm(positions.max(0) - positions.min(0))
    edges = np.unique(np.sort(np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), 1), axis=0)
    sums, degrees = np.zeros_like(offsets), np.zeros(len(offsets))
    for a, b in ((0, 1), (1, 0)):
        np.add.at(sums, edges[:, a], offsets[edges[:, b]])
        np.add.at(degrees, edges[:, a], 1)
    detail = offsets - sums / degrees[:, None]
    return {"near": energy[distance < 0.1 * size].sum() / energy.sum(),
            "reach": np.sqrt((energy * distance ** 2).sum() / energy.sum()) / size,
            "detail": np.sqrt((detail ** 2).sum() / energy.sum()),
            "way": (offsets[hands] * wanted).sum() / (wanted ** 2).sum()}


def draw(positions, triangles, offsets, size=240):
    """One body, lit from the front, redder where it moved."""
    points = positions + offsets
    turn = np.array([[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]])
    seen, low, high = points @ turn.T, (positions @ turn.T).min(0), (positions @ turn.T).max(0)
    scale = 0.9 * size / (high - low)[:2].max()
    plane = (seen[:, :2] - (low + high)[:2] / 2) * [scale, -scale] + size / 2
    normals = np.zeros_like(seen)
    faces = np.cross(seen[triangles[:, 1]] - seen[triangles[:, 0]], seen[triangles[:, 2]] - seen[triangles[:, 0]])
    for c in range(3):
        np.add.at(normals, triangles[:, c], faces)
    light = np.clip((normals / np.linalg.norm(normals, axis=1)[:, None]) @ [0.4, 0.5, 0.77], 0.1, 1) * 0.75 + 0.25
    heat = np.clip(np.linalg.norm(offsets, axis=1) / 0.04, 0, 1)[:, None]
    colors = light[:, None] * ((1 - heat) * [230, 225, 215] + heat * [235, 60, 30])
    image, depth = np.full((size, size, 3), 255.0), np.full((size, size), -np.inf)
    for t in triangles[np.argsort(seen[triangles].mean(1)[:, 2])]:
        p = plane[t]
        x0, y0 = np.maximum(np.floor(p.min(0)).astype(int), 0)
        x1, y1 = np.minimum(np.ceil(p.max(0)).astype(int) + 1, size)
        (ax, ay), (bx, by) = p[1] - p[0], p[2] - p[0]
        area = ax * by - ay * bx
        if x1 <= x0 or y1 <= y0 or area == 0:
            continue
        y, x = np.mgrid[y0:y1, x0:x1] + 0.5
        b = ((x - p[0, 0]) * (p[2, 1] - p[0, 1]) - (y - p[0, 1]) * (p[2, 0] - p[0, 0])) / area
        c = ((p[1, 0] - p[0, 0]) * (y - p[0, 1]) - (p[1, 1] - p[0, 1]) * (x - p[0, 0])) / area
        z = (1 - b - c) * seen[t[0], 2] + b * seen[t[1], 2] + c * seen[t[2], 2]
        inside = (b >= 0) & (c >= 0) & (b + c <= 1) & (z > depth[y0:y1, x0:x1])
        shade = (1 - b - c)[..., None] * colors[t[0]] + b[..., None] * colors[t[1]] + c[..., None] * colors[t[2]]
        image[y0:y1, x0:x1][inside] = shade[inside]
        depth[y0:y1, x0:x1][inside] = z[inside]
    return image.astype(np.uint8)


def save(path, image):
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    height, width = image.shape[:2]
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    steps = np.diff(image.astype(np.int16), axis=1, prepend=0).astype(np.uint8)
    rows = b"".join(b"\1" + row.tobytes() for row in steps)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def main():
    picture = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], "4000" if picture else "1500", f"{folder}/drag"], check=True)
        data = read(f"{folder}/drag")
    hands = data["hands"].astype(int)
    found, rows = {}, []
    for name, own in (("drag", hands[:1]), ("pinch", hands[1:])):
        forms = {"surface": data[name].reshape(-1, 3), "5 modes": by_modes(data, 5, own),
                 "15 modes": by_modes(data, 15, own)}
        for form, offsets in forms.items():
            found[name, form] = measure(data, offsets, own)
            print(name, form, " ".join(f"{k} {v:.3f}" for k, v in found[name, form].items()))
        if picture:
            rows.append(np.hstack([draw(data["positions"].reshape(-1, 3), data["triangles"].astype(int).reshape(-1, 3), o)
                                   for o in forms.values()]))
    if picture:
        save(picture, np.vstack(rows))
    for name in ("drag", "pinch"):
        ours, five, fifteen = (found[name, form] for form in ("surface", "5 modes", "15 modes"))
        assert ours["way"] > 0.99 and ours["near"] > 0.9 and five["near"] < 0.3 and fifteen["near"] < 0.4, name
        assert ours["reach"] < 0.5 * min(five["reach"], fifteen["reach"]), name
        assert ours["detail"] > 5 * max(five["detail"], fifteen["detail"]), name


if __name__ == "__main__":
    main()
