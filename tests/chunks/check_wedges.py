# SPDX-License-Identifier: MIT
"""Wedges by numpy, from B and Hooke's matrix and dense inverses: check_wedges.py DUMP

What the thesis prints (points at the nodes) and what locks (no B-bar) is computed beside it.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import dumped  # noqa: E402

# The triangle's corners turn the other way round in the thesis: its second and third are exchanged.
ORDER = [0, 2, 1, 3, 5, 4]
ROOT3 = np.sqrt(3)
NODES = np.array([[1, 0, -1], [-0.5, -ROOT3 / 2, -1], [-0.5, ROOT3 / 2, -1],
                  [1, 0, 1], [-0.5, -ROOT3 / 2, 1], [-0.5, ROOT3 / 2, 1]])
GAUSS = NODES * [0.5, 0.5, 1 / ROOT3]


def shape(a):
    t = np.array([1 + 2 * a[0], 1 - a[0] - ROOT3 * a[1], 1 - a[0] + ROOT3 * a[1]]) / 6
    return np.concatenate([t * (1 - a[2]), t * (1 + a[2])])


def slopes(a):
    """By complex steps: no derivative of ours or the thesis's."""
    steps = [shape(a + 1e-30j * axis).imag / 1e-30 for axis in np.eye(3)]
    return np.stack(steps, 1)


def hooke(young, poisson):
    out = np.zeros((6, 6))
    out[:3, :3] = young * poisson / (1 + poisson) / (1 - 2 * poisson)
    out[range(3), range(3)] += young / (1 + poisson)
    out[range(3, 6), range(3, 6)] = young / 2 / (1 + poisson)
    return out


def strain(g):
    out = np.zeros((6, 18))
    for k, (x, y, z) in enumerate(g):
        out[:, 3 * k:3 * k + 3] = [[x, 0, 0], [0, y, 0], [0, 0, z], [y, x, 0], [0, z, y], [z, 0, x]]
    return out


def element(x, law, even, points=GAUSS):
    parts = []
    for a in points:
        d = slopes(a)
        map_ = x.T @ d
        parts.append((ROOT3 / 4 * np.linalg.det(map_), strain(d @ np.linalg.inv(map_))))
    mean = sum(w * b[:3].sum(0) for w, b in parts) / sum(w for w, _ in parts)
    out = np.zeros((18, 18))
    for w, b in parts:
        if even:
            b = b.copy()
            b[:3] += (mean - b[:3].sum(0)) / 3
        out += w * b.T @ law @ b
    return out


def assemble(nodes, wedges, laws, even, points=GAUSS):
    out = np.zeros((nodes.size, nodes.size))
    for wedge, law in zip(wedges, laws):
        wedge = wedge[ORDER]
        rows = (3 * wedge[:, None] + np.arange(3)).ravel()
        out[np.ix_(rows, rows)] += element(nodes[wedge], law, even, points)
    return out


def check_bar(record):
    nodes, wedges = record["nodes"].reshape(-1, 3), record["wedges"].reshape(-1, 6).astype(int)
    poisson, held = record["poisson"][0], record["held"] > 0
    laws = [hooke(e, poisson) for e in record["stiffness"]]
    even = poisson > 0.45
    back = np.argsort(ORDER)
    rows = (3 * back[:, None] + np.arange(3)).ravel()
    ours = record["element"].reshape(18, 18)
    theirs = element(nodes[wedges[5][ORDER]], laws[5], even)[np.ix_(rows, rows)]
    miss = abs(ours - theirs).max() / abs(theirs).max()
    assert miss < 1e-13, miss
    nodal = element(nodes[wedges[5][ORDER]], laws[5], even, NODES)[np.ix_(rows, rows)]
    assert abs(record["nodal"].reshape(18, 18) - nodal).max() < 1e-13 * abs(nodal).max()
    stiff = assemble(nodes, wedges, laws, even)
    dofs = lambda mask: (3 * np.flatnonzero(mask)[:, None] + np.arange(3)).ravel()  # noqa: E731
    odd = np.arange(len(nodes)) % 2 == 1
    s, f, c = dofs(~held & odd), dofs(~held & ~odd), dofs(held)
    block = lambda a, b: stiff[np.ix_(a, b)]  # noqa: E731
    # Guo 2007, Eq. 4.21, as it stands there.
    inside = np.linalg.inv(block(f, f))
    map_ = np.linalg.inv(block(s, s) - block(s, f) @ inside @ block(f, s)) @ (
        block(s, f) @ inside @ block(f, c) - block(s, c))
    off = abs(map_ - record["map"].reshape(map_.shape)).max()
    assert off < 1e-11, off
    # The rule of the thesis's Table 4.2 gives something else.
    nodal = assemble(nodes, wedges, laws, even, NODES)
    free = dofs(~held)
    other = -np.linalg.solve(nodal[np.ix_(free, free)], nodal[np.ix_(free, c)])
    right = -np.linalg.solve(stiff[np.ix_(free, free)], stiff[np.ix_(free, c)])
    change = abs(other - right).max()
    assert change > 1e-3, change
    print(f"poisson {poisson}: element {miss:.1e}, condensed {off:.1e}, nodal rule {change:.3f} off")


def check_beam(record):
    """GUO-T17 across the slices, nu 0.499: without B-bar the beam locks."""
    nodes, wedges = record["nodes"].reshape(-1, 3), record["wedges"].reshape(-1, 6).astype(int)
    free = (3 * np.flatnonzero(nodes[:, 0] > 1e-9)[:, None] + np.arange(3)).ravel()
    tip = nodes[:, 0] > 5 - 1e-9
    force = np.zeros_like(nodes)
    force[tip, 2] = 1 / 4
    for k in (1, 2):
        force[tip & ((nodes[:, k] < 1e-9) | (nodes[:, k] > 1 - 1e-9)), 2] /= 2
    force = force.ravel()
    for even, expected in ((False, 275), (True, 452)):
        stiff = assemble(nodes, wedges, [hooke(1, 0.499)] * len(wedges), even)
        tip_moves = force[free] @ np.linalg.solve(stiff[np.ix_(free, free)], force[free])
        assert abs(tip_moves - expected) < 1, tip_moves
        print(f"beam, nu 0.499, {'B-bar' if even else 'plain'}: {tip_moves:.1f}")


def main():
    records = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "wedges"
        subprocess.run([sys.argv[1], path], check=True)
        for name, values in dumped.records(path):
            if not records or name in records[-1]:
                records.append({})
            if name == "poisson" and records[-1]:
                records.append({})
            records[-1][name] = values
    assert len(records) == 3, len(records)
    check_bar(records[0])
    check_bar(records[1])
    check_beam(records[2])


if __name__ == "__main__":
    main()
