# SPDX-License-Identifier: MIT
"""supple simulate from the command line: every way to run it, every way to refuse.

usage: check_simulate.py SUPPLE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import read_glb, write_glb  # noqa: E402
from tool import SUPPLE, frames  # noqa: E402

SCENARIOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scenarios")
failures = []


def run(line, code=0, words="", env=None):
    done = subprocess.run([SUPPLE] + line.split(), capture_output=True, text=True, env=env)
    if done.returncode != code or words not in done.stderr:
        failures.append(f"{line}: exit {done.returncode}, {done.stderr.strip()}")
    if code and done.stderr.count("\n") != 1:
        failures.append(f"{line}: not one sentence: {done.stderr}")
    return done.stdout


def check(holds, what):
    if not holds:
        failures.append(what)


def report(path):
    with open(path) as file:
        return json.load(file)["result"]


def simulate(options, name="a", tets=300):
    """Simulates the small tube; gives positions and report."""
    rate = "" if "--fps" in options else "--fps 30"
    run(f"simulate tube.glb --tets {tets} {rate} {options} --order body -o {name}.pc2 --json {name}.json")
    return frames(f"{name}.pc2"), report(f"{name}.json")


def check_clips():
    x, r = simulate("--clip bend --until 0.5")
    check(x.shape[0] == 16, "--until gives half a second of frames")
    clip = r["clips"][0]
    check(len(clip["frames"]) == 15 and all(len(row) == 6 for row in clip["frames"]),
          "a row of six numbers for every frame but the first")
    elastic, kinetic, potential, iterations, worst, inverted = np.array(clip["frames"]).T
    check((elastic >= 0).all() and elastic.max() > 0 and kinetic.max() > 0, "energies")
    check(iterations.sum() == clip["iterations"] and worst.min() >= clip["worst_volume"] > 0, "totals")
    check(0 < clip["worst_volume"] <= 1 and inverted.max() == 0 == clip["inverted_frames"], "elements")
    check(0 < clip["dihedral_least"] <= r["body"]["dihedral_least"] == 60, "angles of the run")
    check(r["dihedral_least"] == clip["dihedral_least"], "the least of all clips")
    check(clip["seconds"] > clip["factor_seconds"] > 0 < clip["solve_seconds"], "seconds")
    check(r["body"]["tetrahedra"] > 80 and abs(r["body"]["mass"] - 39) < 5, "the body")
    y, _ = simulate("--clip bend --until 0.5 --threads 1", "b")
    check((x == y).all(), "one thread gives the same bits")
    z, _ = simulate("--clip bend --until 0.5 --integrator euler --substeps 4 --kind corotational", "b")
    check(0 < np.abs(x - z).max() < 0.05, "another integrator and law is near")


def check_loop_and_preroll():
    x, r = simulate("--clip sway --loop --fps 12 --drag 3", "a", 300)
    rounds = r["clips"][0]["loop_rounds"]
    check(2 <= rounds < 30, f"the loop repeats after some rounds, not {rounds}")
    check(np.abs(x[0] - x[-1]).max() < 2e-3, "the last frame of a loop is the first")
    once, _ = simulate("--clip sway --fps 12 --drag 3", "b", 300)
    check(np.abs(once[0] - once[-1]).max() > 2 * np.abs(x[0] - x[-1]).max(), "once round is no loop")
    c, _ = simulate("--clip sway --loop --preroll 0.7 --fps 12 --drag 3", "b", 300)
    check(np.abs(c - x).max() < 5e-3, "a preroll leads to the same loop")
    # The body is settled in the first pose; being held there longer changes nothing.
    a, _ = simulate("--clip translation --until 0.1 --gravity 9.81 --preroll 0.2", "b")
    b, _ = simulate("--clip translation --until 0.1 --gravity 9.81", "b")
    check(np.abs(a - b).max() < 2e-3, "a preroll in the first pose changes little")


def check_teaching():
    x, r = simulate("--poses 4 --seed 3")
    check(x.shape[0] == 4 and r["clips"][0]["clip"] == "poses", "four poses")
    y, _ = simulate("--poses 4 --seed 3", "b")
    z, _ = simulate("--poses 4 --seed 4", "b")
    check((x == y).all() and (x != z).any(), "poses follow the seed")
    run("play tube.glb --clip bend --fps 30 --order body -o skinned.pc2")
    check(np.abs(x[0] - frames("skinned.pc2")[0]).max() < 1e-5, "the first pose is the rest pose")
    out = run("simulate tube.glb --tets 300 --clip @calibration --fps 10 --order body -o a.pc2")
    check("pulses" in out and frames("a.pc2").shape[0] > 30, "a calibration clip")
    run("play tube.glb --clip @calibration --fps 10 --order body -o p.pc2")
    x, y = frames("a.pc2"), frames("p.pc2")
    far = np.abs(y - y[0]).max()
    check(x.shape == y.shape and np.abs(x - y).max() < 0.5 * far, "what is played is what was simulated")
    check("relative" in run("compare p.pc2 a.pc2 --of tube.glb --clip @calibration"), "compared with skinning of it")
    run("build surface tube.glb --preset soft -o soft.glb")
    run("play soft.glb --plain --clips-from tube.glb --clip @calibration --fps 10 --order body -o b.pc2")
    check(np.abs(frames("b.pc2") - y).max() < 1e-5 * far, "made for the character that clips are from")
    still, _ = simulate("--clip bend --until 0.5 --quasistatic", "b")
    moving, _ = simulate("--clip bend --until 0.5", "b")
    check(np.abs(still[0] - moving[0]).max() < 1e-5 < np.abs(still - moving).max(), "no inertia")


def check_forces():
    plain, _ = simulate("--clip sway --until 0.1", "a", 600)
    with open("track.txt", "w") as file:
        file.write("# time x y z r fx fy fz\n0 0 0.5 0 0.5 0 0 40\n1 0 0.5 0 0.5 0 0 40\n")
    for option, axis, sign in (("--wind 30,0,0", 0, 1), ("--push 0.02,0,0.5,0,0.5,0,0,-2", 2, -1),
                               ("--force-track track.txt", 2, 1), ("--plane 0.1,0,0,-1,0,0", 0, -1),
                               ("--obstacle 0.2,0.5,0,0.1", 0, -1),
                               ("--capsule 0.2,0.3,0,0.2,0.7,0,0.1", 0, -1),
                               ("--obstacle 0.3,0.5,0,0.1,-1,0,0", 0, -1)):
        x, _ = simulate(f"--clip sway --until 0.1 {option}", "b", 600)
        moved = (x - plain)[-1, :, axis] * sign
        check(moved.max() > 3e-4 and moved.mean() > 0, f"{option} moves flesh its way")
    x, _ = simulate("--clip sway --until 0.1 --ground 0.05", "b", 600)
    check((x - plain)[:, :, 1].max() > 1e-3, "flesh stays above the ground")
    x, _ = simulate("--clip sway --until 0.1 --bone-contact", "b", 600)
    check(np.abs(x - plain[: len(x)]).max() < 1e-4, "bones touch no skin at rest")


def check_flesh():
    lean, _ = simulate("--clip sway --until 0.4")
    tip = lean[0, :, 1] > 0.7
    names = joint_names()
    for option in (f"--bone-stiffness {names[1]}=20", f"--bone-material {names[1]}=rubber"):
        x, _ = simulate(f"--clip sway --until 0.4 {option}", "b")
        gap = np.linalg.norm(x - lean, axis=2).max(axis=0)
        check(gap[tip].max() > 2 * gap[lean[0, :, 1] < 0.1].max(), f"{option} changes its own flesh")
    run("simulate tube.glb --edge 0.2 --fps 30 --clip sway --until 0.1 -o c.pc2 --json c.json")
    check(abs(report("c.json")["body"]["lattice_edge"] - 0.2) < 1e-9, "--edge is the spacing")


def joint_names():
    document, _ = read_glb("tube.glb")
    return [document["nodes"][k]["name"] for k in document["skins"][0]["joints"]]


def box_mesh(points, cells=(3, 10, 3)):
    """A block of tetrahedra around points: six around the diagonal of every cell."""
    low, high = points.min(axis=0) - 0.01, points.max(axis=0) + 0.01
    grid = np.stack(np.meshgrid(*[np.linspace(l, h, c + 1) for l, h, c in zip(low, high, cells)],
                                indexing="ij"), -1)
    number = lambda at: (at[0] * (cells[1] + 1) + at[1]) * (cells[2] + 1) + at[2] + 1
    tets = []
    for cell in np.ndindex(*cells):
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
            at = list(cell)
            corners = [number(at)]
            for axis in order:
                at[axis] += 1
                corners.append(number(at))
            tets.append(corners)
    return grid.reshape(-1, 3), tets


def write_boxes(path, points):
    nodes, tets = box_mesh(points)
    with open(path, "w") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(nodes))
        for k, p in enumerate(nodes):
            file.write("%d %.9g %.9g %.9g\n" % (k + 1, *p))
        file.write("$EndNodes\n$Elements\n%d\n" % len(tets))
        for k, t in enumerate(tets):
            file.write("%d 4 2 0 1 %d %d %d %d\n" % (k + 1, *t))
        file.write("$EndElements\n")
    return len(tets)


def check_given_tetrahedra():
    run("play tube.glb --clip translation --fps 30 --order body -o skinned.pc2")
    points = frames("skinned.pc2")[0]
    count = write_boxes("box.msh", points)
    line = "simulate tube.glb --clip translation --fps 30 --until 0.2 --order body -o a.pc2 --json a.json"
    run(f"{line} --tets box.msh")
    body = report("a.json")["body"]
    check(body["tetrahedra"] == count and body["pieces"] == 1, "the tetrahedra of the file")
    check(40 < body["dihedral_least"] < 46, "their angles are told")
    check(np.abs(frames("a.pc2")[0] - points).max() < 1e-5, "the skin begins where it is")
    write_boxes("far.msh", points + 3)
    run(f"{line} --tets far.msh", 1, "same units")
    run(f"{line} --tets none.msh", 1, "none.msh")
    run(f"{line} --tets box.stl", 2, ".node and .ele")
    run(f"{line} --tets 7", 2, "between 50")
    run(f"{line} --tets box.msh --edge 0.1", 2, "--tets or --edge")


def check_clench():
    line = "simulate clench tube.glb --tets 700 --fps 30 --order body"
    run(f"{line} -o a.pc2")
    x = frames("a.pc2")
    check(x.shape[0] == 2, "relaxed and clenched")
    across = lambda p: np.linalg.norm(p[:, [0, 2]], axis=1)
    bulge = lambda low, high: (across(x[1]) / across(x[0]))[(x[0, :, 1] > low) & (x[0, :, 1] < high)].mean()
    check(bulge(0.2, 0.35) > 1.004 > bulge(0.45, 0.55), "a belly swells on every bone")
    run(f"{line} --poses 3 --tension 1500 -o b.pc2")
    y = frames("b.pc2")
    check(y.shape[0] == 6 and 0 < np.abs(y[1] - y[0]).max() < np.abs(x[1] - x[0]).max(), "pairs")
    run(f"{line} --fibre 1,0,0 -o b.pc2")
    check(np.abs(frames("b.pc2")[1] - x[1]).max() > 1e-3, "another direction")
    with open("field.txt", "w") as file:
        file.write("0 0 0 0 2 0\n0 1 0 0 -1 0\n")
    run(f"{line} --fibre-field field.txt -o b.pc2")
    check(1e-3 < np.abs(frames("b.pc2")[1] - x[0]).max() < 0.1, "a field along the bones")
    run(f"{line} --muscle {joint_names()[0]} -o b.pc2")
    gap = np.linalg.norm(frames("b.pc2")[1] - x[0], axis=1)
    check(gap[x[0, :, 1] < 0.4].max() > 2 * gap[x[0, :, 1] > 0.8].max(), "one bone's muscle")
    run(f"{line} --clip translation --until 0.3 --pull 0.1,0.3 -o b.pc2")
    run("simulate tube.glb --tets 700 --fps 30 --order body --clip translation --until 0.3 -o c.pc2")
    gap = np.abs(frames("b.pc2") - frames("c.pc2")).max(axis=(1, 2))
    check(gap[:3].max() < 1e-6 < 1e-3 < gap[8], "muscles pull when they are told to")
    run(f"{line} --muscle nobody -o b.pc2", 2, "no bone")
    run(f"{line} --muscle-map mask_1 -o b.pc2", 2, "no map")
    run(f"{line} --pull 2,1 --clip bend -o b.pc2", 2, "FROM,UNTIL")
    run("simulate tube.glb --tension 100 -o b.pc2", 2, "clench")
    run("simulate clench -o b.pc2", 2, "IN.glb")


def check_refusals():
    line = "simulate tube.glb --tets 150 --clip bend -o x.pc2"
    run("make tube --vertices 500 -o bare.obj")
    run("simulate bare.obj -o x.pc2", 1)
    run(f"{line} --poisson 0.6", 2, "Poisson")
    run(f"{line} --young -1", 2, "Young")
    run(f"{line} --density 0", 2, "density")
    run(f"{line} --material cheese", 2, "rubber")
    run(f"{line} --bone-material x=fat", 2, "no bone")
    run(f"{line} --bone-stiffness x", 2, "BONE=VALUE")
    run(f"{line} --obstacle 1,2,3", 2, "X,Y,Z,R")
    run(f"{line} --capsule 1,2,3", 2, "AX,AY,AZ")
    run(f"{line} --plane 1,2,3,0,0,0", 2, "NX,NY,NZ")
    run(f"{line} --push 1,2,3", 2, "IX,IY,IZ")
    run(f"{line} --wind 1", 2, "X,Y,Z")
    with open("bad.txt", "w") as file:
        file.write("0 0 0 0 1 0 0 0\n\n0 0 0 x\n")
    run(f"{line} --force-track bad.txt", 1, "line 3")
    run("simulate tube.glb --clip none -o x.pc2", 2, "bend")
    run("simulate tube.glb --clip bend -o x.glb", 2, ".pc2")
    flat_skin()
    run("simulate unskinned.glb --clip @calibration -o x.pc2", 1)
    check(not os.path.exists("x.pc2"), "nothing is written after a refusal")


def flat_skin():
    """The tube without its skin: a mesh and joints, nothing that binds them."""
    document, binary = read_glb("tube.glb")
    for node in document["nodes"]:
        node.pop("skin", None)
    document.pop("skins")
    write_glb("unskinned.glb", document, binary)


def check_inverted():
    """Flesh far too soft for its motion is refused in one sentence, and no file is left."""
    soft = ("simulate tube.glb --tets 300 --clip lateral --amplitude 4 --fps 10 --until 0.5 --kind stvk "
            "--young 100 --damping 0")
    if os.path.exists("soft.pc2"):
        os.remove("soft.pc2")
    run(f"{soft} -o soft.pc2", 1, "inside out")
    check(not os.path.exists("soft.pc2"), "nothing is written where tetrahedra are inside out")
    run(f"{soft} --allow-inverted -o soft.pc2 --json soft.json")
    r = report("soft.json")
    check(r["clips"][0]["inverted_frames"] > 0 and r["least_element"] < 0, "allowed, it is reported")
    check(r["body"]["bones_tied"] == r["body"]["bones"] == 2, "all bones hold flesh")


def check_scenarios():
    with open("one.json", "w") as file:
        json.dump({"character": {"builtin": "tube", "vertices": 500}, "training": ["bend"],
                   "unseen": ["sway"], "poses": 2, "gravity": [0, 9.81],
                   "simulate": {"tets": 300, "fps": 30, "sag-free": True,
                                "bone-stiffness": [joint_names()[1] + "=2"]}}, file)
    run("simulate one.json --until 0.6 -o one.pc2 --json r.json")
    r = report("r.json")
    check([k["gravity"] for k in r["runs"]] == [0, 9.81], "gravity off and on")
    for name in ("bend", "sway"):
        for kind in ("", "-static", "-gravity", "-gravity-static"):
            check(frames(f"one{kind}-{name}.pc2").shape[0] == 19, f"one{kind}-{name}.pc2")
    check(frames("one-poses.pc2").shape[0] == 2, "poses")
    for part in r["runs"]:
        check([s["use"] for s in part["secondary"]] == ["training", "unseen"], "uses")
        check(all(s["worst_percent"] >= s["amplitude_percent"] > 0 for s in part["secondary"]), "sizes")
    run("simulate one.json --clip walk -o one.pc2", 2, "not a clip of the scenario")
    with open("bad.json", "w") as file:
        file.write('{"character": {"file": "nowhere.glb"}, "training": ["a"], "unseen": ["b"]}')
    run("simulate bad.json -o one.pc2", 1, "SUPPLE_TEST_DATA", {"PATH": os.environ["PATH"]})
    for name in ("tube", "leg", "mochi"):  # a breath of each that needs no other file
        file = os.path.join(SCENARIOS, name + ".json")
        clip = json.load(open(file))["unseen"][0]
        run(f"simulate {file} --clip {clip} --gravity 0 --until 0.1 --tets 300 -o {name}.pc2")
        check(len(frames(f"{name}-{clip}.pc2")) == 7, name)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("make tube --vertices 500 -o tube.glb")
        for part in (check_clips, check_loop_and_preroll, check_teaching, check_forces, check_flesh,
                     check_given_tetrahedra, check_clench, check_refusals, check_inverted,
                     check_scenarios):
            part()
        os.chdir("/")
    print("\n".join(failures) or "all well")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
