# SPDX-License-Identifier: MIT
"""build envelope: examples from every source, other characters, and sentences: check_envelope.py SUPPLE"""
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import add_morph_target, read_glb, write_glb  # noqa: E402
from tool import frames, run, skipped, write_pc2  # noqa: E402

FPS = 30


def largest(a, b):
    return np.abs(a - b).max()


def play(name, *words):
    run("play", name, "--clip", "bend", "--fps", str(FPS), "-o", "played.pc2", *words)
    return frames("played.pc2")


def bulge(rest, much):
    """A smooth bump on one side of the tube, at rest."""
    middle = rest.mean(0)
    along = np.exp(-((rest[:, 1] - middle[1]) / 0.15) ** 2)
    out = np.zeros_like(rest)
    out[:, 0] = much * along * (rest[:, 0] > middle[0])
    return out


def write_obj(path, name, positions):
    """A mesh of that name with other vertices, in the order of its file."""
    run("convert", name, "-o", "plain.obj")
    with open("plain.obj", encoding="utf-8") as file:
        lines = file.read().splitlines()
    at = iter(positions)
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            file.write("v {:.9g} {:.9g} {:.9g}\n".format(*next(at)) if line.startswith("v ") else line + "\n")
    assert next(at, None) is None


def examples_of_every_kind_are_met():
    """The same shape as frame of a cache, as .obj, as .glb, as morph target and from a list: the same envelope."""
    skinned = play("tube.glb", "--plain")
    wanted = frames("bulged.pc2")
    assert largest(wanted[30], skinned[30]) > 0.02
    write_obj("bulged.obj", "tube.glb", wanted[30])
    add_morph_target("tube.glb", "morph.glb", "bulged", rest_shape("tube.glb") + bulge(rest_shape("tube.glb"), 0.03))
    with open("list/shapes.json", "w", encoding="utf-8") as file:
        json.dump({"example_file": 1, "examples": [{"shape": "../bulged.obj", "pose": "bend:1", "name": "bump"}],
                   "patches": []}, file)
    for name, words in (("tube.glb", ("bulged.pc2", "--at", "bend:1")), ("tube.glb", ("bulged.obj", "--at", "bend:1")),
                        ("morph.glb", ("bulged", "--at", "bend:1")), ("tube.glb", ("list/shapes.json",))):
        out = run("build", "envelope", name, "--example", *words, "-o", "e.glb")
        assert "1 example on 12 patches that were found" in out, out
        shown = play("e.glb")
        assert largest(shown[30], wanted[30]) < 2e-4, (words, largest(shown[30], wanted[30]))
        assert largest(shown[0], skinned[0]) < 2e-6, words


def rest_shape(name):
    run("convert", name, "-o", "rest.obj")
    with open("rest.obj", encoding="utf-8") as file:
        return np.array([[float(x) for x in line.split()[1:4]] for line in file if line.startswith("v ")])


def poses_come_from_files():
    """A .glb whose skeleton stands in a pose brings it along."""
    bent("posed.glb")
    document, binary = read_glb("posed.glb")
    out = run("build", "envelope", "tube.glb", "--example", "posed.glb", "--at", "file", "-o", "e.glb")
    assert "driven by 1 angle" in out, out
    root = document["skins"][0]["joints"][0]
    document["nodes"][root]["rotation"] = [0.0, 0.38268343, 0.0, 0.92387953]
    write_glb("headed.glb", document, binary)
    out = run("build", "envelope", "tube.glb", "--example", "headed.glb", "--at", "file", "-o", "e.glb")
    assert "driven by 1 angle\n" in out, out  # where it faces is none


def moved_frames_are_the_same():
    """Frames of a clip that only moves the character are one example; a heading contradicts nothing."""
    run("play", "tube.glb", "--plain", "--clip", "translation", "--fps", str(FPS), "-o", "moved.pc2")
    moved = frames("moved.pc2")
    assert largest(moved[0], moved[15]) > 0.05
    out = run("build", "envelope", "tube.glb", "--example", "moved.pc2", "--at", "translation:0", "--example",
              "moved.pc2", "--at", "translation:0.5", "--example", "bulged.pc2", "--at", "bend:1", "-o", "e.glb")
    assert "2 examples" in out and out.count("left out that shows the same") == 1, out
    assert "'moved.pc2 at translation:0.5'" in out, out


def bent(name):
    """The tube whose skeleton stands bent, though it is bound straight, also where a clip only moves it."""
    document, binary = read_glb("tube.glb")
    joint = document["skins"][0]["joints"][1]
    document["nodes"][joint]["rotation"] = [0.0, 0.0, 0.38268343, 0.92387953]
    clip = next(a for a in document["animations"] if a["name"] == "translation")
    clip["channels"] = [c for c in clip["channels"]
                        if c["target"]["node"] != joint or c["target"]["path"] != "rotation"]
    write_glb(name, document, binary)


def lagging_frames_are_averaged():
    """A bent tube that moves as a whole, whose flesh lags: one pose, one shape, the mean of the frames."""
    bent("bent.glb")
    run("play", "bent.glb", "--plain", "--clip", "translation", "--fps", str(FPS), "-o", "lag.pc2")
    plain = frames("lag.pc2")
    bump = bulge(rest_shape("tube.glb"), 0.02)
    lag = 1 + np.sin(np.arange(len(plain)))
    write_pc2("lag.pc2", plain + lag[:, None, None] * bump)
    moments = (3, 9, 15)
    words = [word for m in moments for word in ("--example", "lag.pc2", "--at", f"translation:{m / FPS:g}")]
    out = run("build", "envelope", "bent.glb", *words, "--fps", str(FPS), "-o", "e.glb")
    assert "envelope: 1 example on" in out, out
    assert "note: 2 frames show poses that other frames show, with shapes up to" in out, out
    assert "their mean is learned; for the shape at rest in a pose give equilibria" in out, out
    run("play", "e.glb", "--clip", "translation", "--fps", str(FPS), "-o", "played.pc2")
    shown = frames("played.pc2") - plain
    wanted = lag[list(moments)].mean() * bump
    print("  lagging:", largest(shown, wanted), largest(wanted, lag[moments[0]] * bump))
    assert largest(shown, wanted) < 2e-4 < 1e-2 * largest(wanted, 0)
    run("play", "tube.glb", "--plain", "--clip", "translation", "--fps", str(FPS), "-o", "moved.pc2")
    refused("no example turns a joint away from the bind pose", "tube.glb", "--example", "moved.pc2", "--at",
            "translation:0.1")
    write_pc2("moved.pc2", frames("moved.pc2") + bump)
    out = run("build", "envelope", "tube.glb", "--example", "moved.pc2", "--at", "translation:0.5", "--example",
              "bulged.pc2", "--at", "bend:1", "--fps", str(FPS), "-o", "e.glb", "--json", "report.json")
    assert "'moved.pc2 at translation:0.5' has the dress pose" in out, out
    with open("report.json", encoding="utf-8") as file:
        assert json.load(file)["result"]["envelope"]["left"] < 1e-3  # of bend:1: the dress pose has a shape of its own


def shapes_stand_in_their_pose():
    """A sculpt of another pose is noted, one in other units refused."""
    rest = rest_shape("tube.glb")
    write_obj("rest_sculpt.obj", "tube.glb", rest)
    out = run("build", "envelope", "tube.glb", "--example", "rest_sculpt.obj", "--at", "bend:1", "-o", "e.glb")
    assert "from the skinned character at bend:1; is that its pose?" in out, out
    write_obj("large.obj", "tube.glb", 100 * rest)
    out = run("build", "envelope", "tube.glb", "--example", "large.obj", "--at", "bend:1", "-o", "x.glb", good=False)
    assert "or in other units" in out and not os.path.exists("x.glb"), out


def patches_name_examples_as_written():
    """In a list of another folder, by the shape's text; every one of that text."""
    run("patches", "tube.glb", "-o", "p.json")
    with open("p.json", encoding="utf-8") as file:
        name = json.load(file)["patches"][0]["name"]
    shapes = [{"shape": "../bulged.pc2", "pose": "bend:1"}, {"shape": "../bulged.pc2", "pose": "bend:0.5"}]
    patch = {"patch": name, "examples": ["../bulged.pc2"]}
    with open("list/named.json", "w", encoding="utf-8") as file:
        json.dump({"example_file": 1, "examples": shapes, "patches": [patch]}, file)
    out = run("build", "envelope", "tube.glb", "--patches", "p.json", "--example", "list/named.json", "-o", "e.glb")
    assert "2 examples" in out, out
    for wrong, says in (({"examples": [{**s, "name": "a"} for s in shapes]}, "two examples are named 'a'"),
                        ({"examples": shapes, "patches": [{"patch": name, "scale": [1, 1, 2]}]}, "has a \"scale\" in")):
        with open("list/wrong.json", "w", encoding="utf-8") as file:
            json.dump({"example_file": 1, **wrong}, file)
        refused(says, "tube.glb", "--patches", "p.json", "--example", "list/wrong.json")
    refused("a list brings its own poses", "tube.glb", "--example", "list/named.json", "--at", "bend:1")


def static_poses_are_examples():
    run("simulate", "tube.glb", "--poses", "3", "--tets", "300", "-o", "poses.pc2")
    out = run("build", "envelope", "tube.glb", "--example", "poses.pc2", "--at", "@poses", "-o", "e.glb")
    assert "3 examples" in out, out


def patches_are_muted_and_weighed():
    """All muted: no bulge is left but that of the corners; a factor of 0 the same."""
    run("build", "envelope", "tube.glb", "--example", "bulged.pc2", "--at", "bend:1", "-o", "e.glb")
    run("patches", "tube.glb", "-o", "p.json")
    with open("p.json", encoding="utf-8") as file:
        names = [patch["name"] for patch in json.load(file)["patches"]]
    loud = play("e.glb")
    for option in (lambda n: ("--mute", n), lambda n: ("--strength", n + "=0")):
        words = [word for name in names for word in option(name)]
        run("build", "envelope", "tube.glb", "--patches", "p.json", "--example", "bulged.pc2", "--at", "bend:1",
            *words, "-o", "quiet.glb")
        quiet = play("quiet.glb")
        assert largest(quiet[30], loud[30]) > 2e-3
    with open("weigh.json", "w", encoding="utf-8") as file:
        json.dump({"example_file": 1, "examples": [{"shape": "bulged.pc2", "pose": "bend:1"}],
                   "patches": [{"patch": name, "strength": 0} for name in names]}, file)
    run("build", "envelope", "tube.glb", "--patches", "p.json", "--example", "weigh.json", "-o", "listed.glb")
    assert largest(play("listed.glb"), quiet) < 1e-6


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def corner(name, path):
    """Patches of a tube with a corner in its middle put onto a vertex: the corner's name, the vertex, all patches."""
    run("patches", name, "-o", path)
    rest = rest_shape(name)
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    feature = next(f for f in plan["features"] if f["name"] == "upper.front")
    vertex = np.linalg.norm(rest - feature["position"], axis=1).argmin()
    feature["position"] = list(rest[vertex])
    write_json(path, plan)
    return feature["name"], vertex, [patch["name"] for patch in plan["patches"]]


def corners_are_put_elsewhere():
    """An edit moves its corner in its own example: as far as it says, unless the example has the last word."""
    feature, vertex, names = corner("tube.glb", "p.json")
    move = [0.0, 0.01, 0.02]
    write_json("edits.json", {"edit_file": 1, "edits": [{"feature": feature, "example": "bump", "move": move}]})
    shapes = [{"shape": "bulged.pc2", "pose": "bend:1", "name": "bump"}]
    write_json("loud.json", {"example_file": 1, "examples": shapes})
    write_json("quiet.json", {"example_file": 1, "examples": shapes,
                              "patches": [{"patch": n, "examples": []} for n in names]})
    run("make", "tube", "--vertices", "900", "-o", "other.glb")
    beyond = corner("other.glb", "q.json")[1]
    for name, at, words, share in (
            ("tube.glb", vertex, ("--patches", "p.json", "--example", "quiet.json"), 1),
            ("tube.glb", vertex, ("--patches", "p.json", "--example", "loud.json"), 0),
            ("other.glb", beyond, ("--patches", "q.json", "--from", "tube.glb", "--from-patches", "p.json",
                                   "--example", "loud.json"), 1)):
        shown = []
        for edits in ((), ("--edits", "edits.json")):
            run("build", "envelope", name, *words, *edits, "-o", "e.glb")
            shown.append(play("e.glb"))
        moved = shown[1] - shown[0]
        print("  edited:", words, moved[30, at], np.abs(moved[0]).max(), np.abs(moved[15, at]).max())
        assert largest(moved[30, at], share * np.array(move)) < 2e-4, moved[30, at]
        assert np.abs(moved[0]).max() < 1e-6  # the dress pose
        assert not share or np.abs(moved[15, at]).max() > 2e-3  # and half-way there


def edits_are_checked():
    edit = {"feature": corner("tube.glb", "p.json")[0], "example": "bulged.pc2", "move": [0, 0, 0.01]}
    again = {"shape": "bulged.pc2", "pose": "bend:0.5"}
    shapes = [{"shape": "bulged.pc2", "pose": "bend:1"}]
    for edits, more, says in (
            ([{**edit, "feature": "knee"}], [], "edits.json: no patch has a feature 'knee' to be moved"),
            ([{**edit, "example": "bulge.pc2"}], [], "edits.json: there is no example 'bulge.pc2'"),
            ([edit], [again], "edits.json: 'bulged.pc2' is 2 examples; name one, as in 'bulged.pc2 at bend:"),
            ([edit, edit], [], "is moved twice in one shape"),
            ([{**edit, "move": [0, 0, 10]}], [], "which is more than the character's size"),
            ([{**edit, "move": [0, 0]}], [], "edits.json, line 1: \"move\" must be"),
            ([{**edit, "position": [0, 0, 0]}], [], "position")):
        write_json("edits.json", {"edit_file": 1, "edits": edits})
        write_json("shapes.json", {"example_file": 1, "examples": shapes + more})
        refused(says, "tube.glb", "--example", "shapes.json", "--edits", "edits.json")
    for text in ({"edits": []}, {"edit_file": 2, "edits": []}):
        write_json("edits.json", text)
        refused("\"edit_file\"", "tube.glb", "--example", "shapes.json", "--edits", "edits.json")
    edit["example"] = "bulged.pc2 at bend:0.5"  # the name that sentences give it
    write_json("edits.json", {"edit_file": 1, "edits": [edit]})
    write_json("shapes.json", {"example_file": 1, "examples": shapes + [again]})
    run("build", "envelope", "tube.glb", "--example", "shapes.json", "--edits", "edits.json", "-o", "e.glb")


def angles_are_named():
    """By joint, with an axis or without; a joint that nothing turns is refused before anything is learned."""
    _, _, names = corner("tube.glb", "p.json")
    document, _ = read_glb("tube.glb")
    joints = [document["nodes"][j]["name"] for j in document["skins"][0]["joints"]]
    shapes = [{"shape": "bulged.pc2", "pose": "bend:1"}]
    for angles, says in (([{"joint": "hip"}], "patch '%s': there is no joint 'hip'" % names[0]),
                         ([{"joint": joints[0]}], "turns the character as a whole"),
                         ([{"joint": joints[1], "axis": [0, 1, 0]}], "about the axis that was given"),
                         (4 * [{"joint": joints[1]}], "names 4 angles; it can depend on 3 at most"),
                         ([{"axis": [0, 1, 0]}], "\"joint\""), ([joints[1]], "angle")):
        write_json("angles.json", {"example_file": 1, "examples": shapes,
                                   "patches": [{"patch": names[0], "angles": angles}]})
        refused(says, "tube.glb", "--example", "angles.json")
    write_json("angles.json", {"example_file": 1, "examples": shapes,
                               "patches": [{"patch": n, "angles": [{"joint": joints[1]}]} for n in names]})
    run("build", "envelope", "tube.glb", "--example", "angles.json", "-o", "e.glb")
    assert largest(play("e.glb")[30], frames("bulged.pc2")[30]) < 2e-4


def examples_are_shown_no_worse():
    """What is played is held against plain skinning; --force writes it all the same."""
    words = ("tube.glb", "--example", "skinned.pc2", "--at", "bend:1", "--ridge", "1000")
    out = run("build", "envelope", *words, "-o", "x.glb", good=False)
    assert "shows its own examples worse than plain skinning does" in out and not os.path.exists("x.glb"), out
    run("build", "envelope", *words, "--force", "-o", "e.glb")
    out = run("build", "envelope", *words[:-2], "-o", "e.glb", "--json", "report.json")
    assert "played on its examples: RMS error 0 mm, plain skinning 0 mm" in out, out
    with open("report.json", encoding="utf-8") as file:
        assert json.load(file)["result"]["examples"]["rms_after"] < 1e-5
    for verb in (("learn", "e.glb"), ("add", "e.glb", "--learn")):
        out = run(*verb, "-o", "x.glb", good=False)
        assert "its envelope model gives the shape of every pose, and `learn` would replace it" in out, out
        assert not os.path.exists("x.glb")


def residuals_are_chosen():
    """All of them meet the example; between examples they differ."""
    shown = []
    for residual in ("plate", "cubic", "psd"):
        run("build", "envelope", "tube.glb", "--example", "bulged.pc2", "--at", "bend:1", "--residual", residual, "-o",
            "e.glb")
        shown.append(play("e.glb"))
        assert largest(shown[-1][30], frames("bulged.pc2")[30]) < 2e-4
    assert largest(shown[0], shown[1]) > 1e-5 and largest(shown[0], shown[2]) > 1e-5
    refused("--residual", "tube.glb", "--example", "bulged.pc2", "--at", "bend:1", "--residual", "thin")


def examples_serve_other_characters():
    """A tube of another mesh and size, with its own names of joints, bulges likewise."""
    run("make", "tube", "--vertices", "900", "-o", "other.glb")
    document, binary = read_glb("other.glb")
    out = run("build", "envelope", "other.glb", "--from", "tube.glb", "--example", "bulged.pc2", "--at", "bend:1",
              "-o", "carried.glb")
    assert "carried over: 2 joints correspond" in out, out
    shown, plain = play("carried.glb"), play("other.glb", "--plain")
    assert largest(shown[0], plain[0]) < 2e-6
    bump = largest(shown[30], plain[30])
    assert 0.02 < bump < 0.045, bump
    for node in document["nodes"]:
        node["name"] = "x" + str(document["nodes"].index(node))
    write_glb("renamed.glb", document, binary)
    out = run("build", "envelope", "renamed.glb", "--from", "tube.glb", "--example", "bulged.pc2", "--at", "bend:1",
              "-o", "x.glb", good=False)
    assert "the skeletons do not map: 0 of the" in out, out


def multiply(a, b):
    """First b, then a."""
    a, b = np.array(a), np.array(b)
    return [*(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])), a[3] * b[3] - a[:3] @ b[:3]]


def stances_are_made_alike():
    """The same character whose file stands with its arms down: it is brought into the stance of the first one."""
    run("make", "mochi", "--vertices", "800", "-o", "mochi.glb")
    document, binary = read_glb("mochi.glb")
    for node in document["nodes"]:
        if node.get("name") in ("upper_arm_l", "upper_arm_r"):
            below = document["nodes"][node["children"][0]]["translation"]  # the bone, in its own frame
            axis = np.cross(below, [0.3, 0.5, 0.8])
            x, y, z = np.sin(np.radians(20)) * axis / np.linalg.norm(axis)
            node["rotation"] = multiply(node.get("rotation", [0, 0, 0, 1]), [x, y, z, np.cos(np.radians(20))])
    write_glb("down.glb", document, binary)
    run("play", "mochi.glb", "--plain", "--clip", "jump", "--fps", "30", "-o", "jump.pc2")
    shown = []
    for name in ("mochi.glb", "down.glb"):
        out = run("build", "envelope", name, "--from", "mochi.glb", "--example", "jump.pc2", "--at", "jump:0.5",
                  "-o", "carried.glb")
        assert ("limbs turned by up to 40 degrees" in out) == (name == "down.glb"), out
        run("play", "carried.glb", "--clip", "jump", "--fps", "30", "-o", "shown.pc2")
        shown.append(frames("shown.pc2"))
    apart = largest(shown[0], shown[1])
    print("  stances:", apart)
    assert apart < 1e-3


def turn_clip_over(path, name):
    """The clip's mirror image in x = 0: y and z of its rotations change their sign."""
    document, binary = read_glb(path)
    binary = bytearray(binary)
    clip = next(a for a in document["animations"] if a["name"] == name)
    done = set()
    for channel in clip["channels"]:
        output = clip["samplers"][channel["sampler"]]["output"]
        if channel["target"]["path"] != "rotation" or output in done:
            continue
        done.add(output)
        accessor = document["accessors"][output]
        view = document["bufferViews"][accessor["bufferView"]]
        first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        values = np.frombuffer(bytes(binary[first:first + 16 * accessor["count"]]), "<f4").reshape(-1, 4).copy()
        values[:, 1:3] *= -1
        binary[first:first + values.nbytes] = values.tobytes()
    write_glb("over.glb", document, bytes(binary))


def images_are_learned():
    """Bent the other way, the other side bulges: the shape is the mirror image."""
    for words, near in (((), False), (("--mirror",), True)):
        out = run("build", "envelope", "tube.glb", "--example", "bulged.pc2", "--at", "bend:1", *words, "-o", "e.glb")
        assert ("2 examples" in out) == near, out
        turn_clip_over("e.glb", "bend")
        shown, wanted = play("over.glb")[30], frames("bulged.pc2")[30] * [-1, 1, 1]
        gaps = np.sqrt(((shown[:, None] - wanted[None]) ** 2).sum(2)).min(1)  # to the nearest vertex
        plain = play("over.glb", "--plain")[30]
        before = np.sqrt(((plain[:, None] - wanted[None]) ** 2).sum(2)).min(1)
        print("  mirrored:", near, gaps.max(), before.max())
        assert (gaps.max() < 0.5 * before.max()) == near


def refused(says, *words):
    out = run("build", "envelope", *words, "-o", "x.glb", good=False)
    assert says in out and out.count("\n") == 1 and not os.path.exists("x.glb"), out


def mistakes_are_told():
    bend = ("--example", "bulged.pc2", "--at", "bend:1")
    refused("an envelope is learned from shapes", "tube.glb")
    refused("1 --example and 0 --at: example 'bulged.pc2' has no pose", "tube.glb", "--example", "bulged.pc2")
    refused("1 --example and 2 --at", "tube.glb", *bend, "--at", "rest")
    refused("examples 'bulged.pc2 at bend:1' and 'bulged.pc2 at bend:1' are the same", "tube.glb", *bend, *bend)
    refused("contradict each other: their shapes differ by up to", "tube.glb", *bend, "--example", "skinned.pc2", "--at",
            "bend:1")
    refused("has no frame at 1.01 s", "tube.glb", "--example", "bulged.pc2", "--at", "bend:1.01")
    refused("is a cache: its pose is CLIP:SECONDS", "tube.glb", "--example", "bulged.pc2", "--at", "rest")
    refused("has no morph target 'bump'", "tube.glb", "--example", "bump", "--at", "rest")
    refused("an .obj has no pose", "tube.glb", "--example", "bulged.obj", "--at", "file")
    refused("there is no patch 'shin'", "tube.glb", *bend, "--mute", "shin")
    refused("'a' is not PATCH=FACTOR", "tube.glb", *bend, "--strength", "a")
    refused("is not a number from 0 to 4", "tube.glb", *bend, "--strength", "a=5")
    refused("give it with --from", "tube.glb", *bend, "--scale", "a=1,2,3")
    refused("is not three factors above 0", "tube.glb", "--from", "tube.glb", *bend, "--scale", "a=1,2")
    refused("--from-patches is the patch file of --from", "tube.glb", *bend, "--from-patches", "p.json")
    run("make", "mochi", "--vertices", "600", "-o", "mochi.glb")
    refused("mochi.glb", "mochi.glb", *bend)  # a cache of another mesh
    refused("p.json", "mochi.glb", "--patches", "p.json", "--example", "skinned.pc2", "--at", "bend:1")
    document, binary = read_glb("tube.glb")
    binary = bytearray(binary)
    for primitive in document["meshes"][0]["primitives"]:
        accessor = document["accessors"][primitive["attributes"]["POSITION"]]
        first = document["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        places = np.frombuffer(bytes(binary[first:first + 12 * accessor["count"]]), "<f4").reshape(-1, 3).copy()
        places[:, 0] += 0.2 * (places[:, 0] > 0) * places[:, 1]
        binary[first:first + places.nbytes] = places.tobytes()
    write_glb("lopsided.glb", document, bytes(binary))
    run("play", "lopsided.glb", "--plain", "--clip", "bend", "--fps", str(FPS), "-o", "lopsided.pc2")
    refused("needs a body that is its own mirror image", "lopsided.glb", "--example", "lopsided.pc2", "--at", "bend:1",
            "--mirror")
    refused("the skeletons do not map: ", "mochi.glb", "--from", "tube.glb", *bend)
    run("make", "mochi", "--vertices", "2600", "-o", "finer.glb")
    run("play", "mochi.glb", "--plain", "--clip", "jump", "--fps", "30", "-o", "jump.pc2")
    refused("found automatically: make matching ones with `supple patches`", "finer.glb", "--from", "mochi.glb",
            "--example", "jump.pc2", "--at", "jump:0.5")
    for text, says in (({"examples": []}, "\"example_file\""), ({"example_file": 2, "examples": []}, "version 1"),
                       ({"example_file": 1, "examples": []}, "has no examples"),
                       ({"example_file": 1, "examples": [{"shape": "bulged.obj"}]}, "\"pose\""),
                       ({"example_file": 1, "examples": [{"shape": "bulged.pc2", "pose": "bend:1"}],
                         "patches": [{"patch": "a", "examples": ["b"]}]}, "there is no patch 'a'")):
        with open("wrong.json", "w", encoding="utf-8") as file:
            json.dump(text, file)
        refused(says, "tube.glb", "--example", "wrong.json")


def hands_are_skinned():
    """A hand that is one patch, fingers and all, is too far from flat to learn on; it is skinned, with a note."""
    man = pathlib.Path(os.environ.get("SUPPLE_TEST_DATA", "/nonexistent")) / "mh_muscular_man.glb"
    if not man.exists():
        skipped("hands_are_skinned")
        return
    run("play", str(man), "--plain", "--clip", "Punch_Cross", "--fps", str(FPS), "-o", "man.pc2")
    skinned = frames("man.pc2")
    out = run("build", "envelope", str(man), "--example", "man.pc2", "--at", "Punch_Cross:0.5", "-o", "e.glb")
    assert "note: 7 patches are too far from flat to learn shapes on" in out, out
    run("play", "e.glb", "--clip", "Punch_Cross", "--fps", str(FPS), "-o", "played.pc2")
    shown = frames("played.pc2")
    across = np.abs(rest_shape(str(man))[:, 0])
    fingers = across > 0.88 * across.max()
    assert fingers.sum() > 500
    # A few fingers' vertices are on patches that are flat enough: those move by no more than a bulge.
    gaps = np.abs(shown - skinned)[:, fingers].max((0, 2))
    print("  fingers:", (gaps > 1e-5).mean(), gaps.max())
    assert (gaps > 1e-5).mean() < 0.1 and gaps.max() < 3e-3
    assert largest(shown, skinned) > 1e-2


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("list")
        run("make", "tube", "--vertices", "494", "-o", "tube.glb")
        skinned = play("tube.glb", "--plain")
        write_pc2("skinned.pc2", skinned)
        run("play", "tube.glb", "--plain", "--clip", "bend", "--fps", str(FPS), "-o", "skinned.pc2")
        add_morph_target("tube.glb", "m.glb", "bulged", rest_shape("tube.glb") + bulge(rest_shape("tube.glb"), 0.03))
        document, binary = read_glb("m.glb")
        document["meshes"][0]["weights"] = [1.0]
        write_glb("m.glb", document, binary)
        run("play", "m.glb", "--plain", "--clip", "bend", "--fps", str(FPS), "-o", "bulged.pc2")
        for case in (examples_of_every_kind_are_met, poses_come_from_files, static_poses_are_examples,
                     moved_frames_are_the_same, lagging_frames_are_averaged, shapes_stand_in_their_pose, patches_name_examples_as_written,
                     patches_are_muted_and_weighed, corners_are_put_elsewhere,
                     edits_are_checked, angles_are_named, residuals_are_chosen, examples_are_shown_no_worse, images_are_learned, stances_are_made_alike,
                     examples_serve_other_characters, hands_are_skinned, mistakes_are_told):
            case()
            print(case.__name__)
        os.chdir("/")


if __name__ == "__main__":
    main()
