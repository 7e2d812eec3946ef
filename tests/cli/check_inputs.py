#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the command does with awkward inputs and limits: check_inputs.py SUPPLE"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document, read_glb, write_glb  # noqa: E402

SUPPLE = os.path.abspath(sys.argv[1])
failures = []


def supple(*words, status=0, says=""):
    """Runs the tool; checks its exit and its one sentence; stdout."""
    done = subprocess.run([SUPPLE, *words], capture_output=True, text=True, timeout=60)
    sentence = status == 0 or (done.stderr.count("\n") == 1 and done.stderr.startswith("supple: "))
    if done.returncode != status or not sentence or says not in done.stderr:
        failures.append(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
        print("FAILED:", failures[-1])
    return done.stdout


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def pipes_and_folders_are_refused():
    for ending in (".pc2", ".mdd", ".glb", ".obj", ".supple"):
        os.mkfifo("pipe" + ending)
        supple("info", "pipe" + ending, status=1, says="not a regular file")
        os.mkdir("folder" + ending)
        supple("info", "folder" + ending, status=1, says="is a folder")
    supple("compare", "pipe.pc2", "pipe.pc2", status=1, says="not a regular file")
    supple("convert", "pipe.pc2", "-o", "x.mdd", status=1, says="not a regular file")


def external_files_need_permission():
    """A .gltf whose buffer lies in another folder: exit 1 and how to allow it, on every verb."""
    os.makedirs("in")
    os.makedirs("elsewhere")
    supple("make", "toy", "--vertices", "500", "-o", "toy.glb")
    document, binary = read_glb("toy.glb")
    open("elsewhere/toy.bin", "wb").write(binary[:document["buffers"][0]["byteLength"]])
    document["buffers"][0]["uri"] = "../elsewhere/toy.bin"
    json.dump(document, open("in/toy.gltf", "w", encoding="utf-8"))
    lines = (("info", "in/toy.gltf"), ("convert", "in/toy.gltf", "-o", "out.glb"),
             ("play", "in/toy.gltf", "--fps", "5", "-o", "out.pc2"),
             ("simulate", "in/toy.gltf", "--fps", "1", "--tets", "60", "-o", "sim.pc2"),
             ("convert", "in/toy.gltf", "-o", "out.obj"))
    for line in lines:
        before = sorted(os.listdir())
        supple(*line, status=1, says="--allow-external")
        check(sorted(os.listdir()) == before, f"{line[0]} left something")
        supple(*line, "--allow-external")
    converted, _ = read_glb("out.glb")
    check("uri" not in converted["buffers"][0], "the buffer is inside the .glb")


def memory_can_be_limited_and_freed():
    """The document's own limit follows --max-memory, in both directions."""
    supple("make", "toy", "--vertices", "500", "-o", "toy.glb")
    supple("info", "toy.glb", "--max-memory", "20K", status=1, says="--max-memory")
    supple("info", "toy.glb", "--max-memory", "0")
    # Five gigabytes that are claimed and never touched: an accessor without data.
    document, binary = read_glb("toy.glb")
    document["accessors"].append({"componentType": 5126, "type": "VEC3", "count": 450000000})
    place = document["meshes"][0]["primitives"][0]["attributes"]
    old = place["POSITION"]
    place["POSITION"] = len(document["accessors"]) - 1
    write_glb("claims.glb", document, binary)
    check(old != place["POSITION"], "the claim is in place")
    supple("info", "claims.glb", status=1, says="more numbers than the file can hold")


def reports_tell_where_the_time_went():
    supple("make", "tube", "--vertices", "500", "-o", "t.glb", "--json", "make.json")
    supple("play", "t.glb", "--clip", "bend", "--fps", "10", "-o", "a.pc2", "--json", "play.json")
    supple("info", "t.glb", "a.pc2", "t.glb", "--json", "info.json")
    supple("convert", "a.pc2", "-o", "a.mdd", "--json", "convert.json")
    supple("convert", "t.glb", "-o", "u.gltf", "--json", "convert2.json")
    supple("compare", "a.pc2", "a.mdd", "--of", "t.glb", "--json", "compare.json")
    for name in ("make", "play", "info", "convert", "convert2", "compare"):
        pairs = json.load(open(name + ".json", encoding="utf-8"),
                          object_pairs_hook=lambda p: p if len(dict(p)) == len(p) else None)
        check(pairs is not None, f"{name}: a key comes twice")
        timings = dict(dict(pairs)["timings"])
        check(timings and all(0 <= s < 60 for s in timings.values()), f"{name}: {timings}")


def others_files_are_kept():
    """convert into a folder where the names of its side files are taken."""
    supple("make", "toy", "--vertices", "500", "-o", "toy.glb")
    open("toy.bin", "w", encoding="utf-8").write("a diary")
    supple("convert", "toy.glb", "-o", "toy.gltf")
    check(open("toy.bin", encoding="utf-8").read() == "a diary", "toy.bin was overwritten")
    supple("convert", "toy.gltf", "-o", "again.glb")
    check(read_glb("again.glb")[1][:1000] == read_glb("toy.glb")[1][:1000], "the binary came back")


def options_that_mean_nothing_are_refused():
    supple("make", "tube", "--vertices", "500", "-o", "t.glb")
    supple("play", "t.glb", "--clip", "bend", "--fps", "5", "-o", "a.pc2")
    for words in (["--order", "body"], ["--fps", "24"], ["--model", "surface"], ["--of", "t.glb"],
                  ["--character", "1"], ["--units", "cm"], ["--up-axis", "z"]):
        supple("convert", "t.glb", "-o", "u.gltf", *words, status=2, says=words[0])
    supple("convert", "t.glb", "-o", "u.glb", "--embed", status=2, says="--embed")
    supple("convert", "t.glb", "-o", "u.obj", "--fps", "24", status=2, says="--fps")
    supple("convert", "a.pc2", "-o", "a.mdd", "--embed", status=2, says="--embed")
    supple("convert", "a.pc2", "-o", "a.mdd", "--of", "t.glb", status=2, says="--order")
    supple("convert", "a.pc2", "-o", "a.mdd", "--of", "t.glb", "--order", "body", "--fps", "5")
    for words in (["--gate", "0.5"], ["--bars", "2"], ["--pattern", "x"]):
        supple("play", "t.glb", "--clip", "bend", *words, "-o", "b.pc2", status=2, says="need --beat")
    supple("play", "t.glb", "--exaggerate", "2", "-o", "b.pc2", status=2, says="--exaggerate could")
    supple("play", "t.glb", "--exaggerate-bone", "root=2", "-o", "b.pc2", status=2, says="--exaggerate-bone could")
    supple("reproduce", "mukai2016", "--quick", "--cache", "nowhere", status=2, says="nowhere is not a folder")
    supple("bench", "skin", "--backend", "cpu", "--brief", status=2, says="leave out 'skin'")
    check(sorted(os.listdir()) == ["a.mdd", "a.pc2", "t.glb"], f"left: {os.listdir()}")


def samples_of_others_get_their_rate():
    """A .pc2 does not say how fast it is: a note where it does not fit the clip, and --fps."""
    supple("make", "tube", "--vertices", "500", "-o", "t.glb")
    supple("build", "surface", "t.glb", "--preset", "jelly", "-o", "soft.glb")
    supple("play", "soft.glb", "--clip", "bend", "--fps", "60", "-o", "ours.pc2")
    supple("play", "soft.glb", "--clip", "bend", "--fps", "30", "-o", "slower.pc2")
    for name in ("ours", "slower"):  # as another program writes it: without what we put behind the last frame
        open(f"{name}-bare.pc2", "wb").write(open(f"{name}.pc2", "rb").read()[:-24])
    shown = lambda *words: " ".join(supple(*words).split())
    example = ("--example", "ours-bare.pc2", "--clip", "bend")

    def error(*words):
        said = shown("build", "surface", "t.glb", *example, *words, "-o", "learned.glb")
        supple("play", "learned.glb", "--clip", "bend", "--fps", "60", "-o", "again.pc2")
        supple("compare", "again.pc2", "ours.pc2", "--of", "t.glb", "--clip", "bend", "--json", "c.json")
        return said, json.load(open("c.json", encoding="utf-8"))["result"]["relative_error"]

    said, off = error("--fps", "60")
    check("note: ours" not in said and off < 0.4, f"at its own rate: {off}, {said}")
    said, off = error()
    check("at an assumed 24 frames per second" in said and "--fps 60 would fit" in said, said)
    check(off > 0.9, f"at another rate: {off}")
    said = shown("build", "helpers", "t.glb", "--replay", *example, "--fps", "25", "-o", "h.glb")
    check("at 25 frames" in said and "--fps 60 would fit" in said, said)
    for line in (("build", "correctives", "t.glb", *example, "--fps", "60", "-o", "c.glb"),
                 ("compare", "ours-bare.pc2", "ours.pc2", "--of", "t.glb", "--clip", "bend", "--fps", "60"),
                 ("learn", "t.glb", *example, "--tets", "400", "--modes", "4", "--no-surface", "--fps", "60", "-o", "l.glb")):
        check("would fit" not in shown(*line), line)
    said = shown("compare", "slower-bare.pc2", "slower-bare.pc2", "--of", "t.glb", "--clip", "bend")
    check("slower-bare.pc2 lasts" in said and "--fps 30 would fit" in said, said)
    # A part of a clip is fine where the file says its rate.
    supple("simulate", "t.glb", "--clip", "bend", "--until", "0.5", "--tets", "100", "-o", "part.pc2")
    said = shown("build", "correctives", "t.glb", "--example", "part.pc2", "--clip", "bend", "-o", "c.glb")
    check("note: part" not in said, said)
    open("part-bare.pc2", "wb").write(open("part.pc2", "rb").read()[:-24])
    said = shown("build", "correctives", "t.glb", "--example", "part-bare.pc2", "--clip", "bend", "--fps", "60", "-o", "c.glb")
    check("note: part-bare.pc2 lasts 0.5 s" in said, said)


def names_are_shown_on_one_line():
    supple("make", "tube", "--vertices", "500", "-o", "t.glb")
    document, binary = read_glb("t.glb")
    document["animations"][0]["name"] = "two\nlines\x1b[31m"
    document["animations"][1]["name"] = "wander"
    write_glb("named.glb", document, binary)
    out = supple("info", "named.glb")
    check("two lines [31m" in out and "\x1b" not in out, f"raw name: {out!r}")
    supple("play", "named.glb", "--clip", "wonder", "-o", "x.pc2", status=2,
           says="did you mean 'wander'?")
    out = supple("play", "named.glb", "--clip", "two\nlines\x1b[31m", "--fps", "5", "-o", "x.pc2")
    check(out.count("\n") == 1 and "\x1b" not in out, f"raw name: {out!r}")


def clips_of_another_skeleton_are_noticed():
    supple("make", "tube", "--vertices", "500", "-o", "t.glb")
    noticed = lambda name: "another skeleton" in " ".join(supple("info", name).split())
    check(not noticed("t.glb"), "nothing is odd about the tube")
    document, binary = read_glb("t.glb")
    turned = {channel["target"]["node"] for channel in document["animations"][0]["channels"]
              if channel["target"]["path"] == "rotation"}
    node = max(turned)
    document["nodes"][node]["rotation"] = [0, 0.966, 0, 0.259]
    document["animations"] = document["animations"][:1]
    write_glb("wrung.glb", document, binary)
    check(noticed("wrung.glb"), "a joint that is wrung in every clip was not noticed")


def near_names_are_suggested():
    """Clips, joints, presets, maps, characters, materials, models, backends, scenario keys."""
    supple("make", "mochi", "--vertices", "800", "-o", "m.glb")
    supple("build", "surface", "m.glb", "-o", "s.glb")
    with open("odd.json", "w", encoding="utf-8") as file:
        json.dump({"charcter": "tube"}, file)
    for meant, words, status in (
            ("jump", "play m.glb --clip jmup -o x.pc2", 2),
            ("head", "paint m.glb lock --set 1 --bone haed -o x.glb", 2),
            ("head", "build modes m.glb --zone heda -o x.glb", 2),
            ("head", "build popping m.glb --clench pop --group top=haed -o x.glb", 2),
            ("stiffness", "build popping s.glb --clench pop --stiff-map stifness -o x.glb", 2),
            ("muscle", "build modes m.glb --material muscel -o x.glb", 2),
            ("muscle", "simulate m.glb --material muscel -o x.pc2", 2),
            ("amount", "paint m.glb ammount --set 1 -o x.glb", 2),
            ("surface", "convert s.glb --model surfaec -o x.supple", 1),
            ("scalar", "bench --backend scaler", 1),
            ("base", "bench bse", 2),
            ("shi2008", "reproduce shi208", 2),
            ("character", "simulate odd.json -o x.pc2", 1)):
        supple(*words.split(), status=status, says=f"did you mean '{meant}'?")
    supple("play", "m.glb", "--clip", "somersault", "-o", "x.pc2", status=2, says="it has idle, walk")
    check(sorted(os.listdir()) == ["m.glb", "odd.json", "s.glb"], f"left: {os.listdir()}")


def closed_streams_do_no_harm():
    """The number of a closed stream must not become that of an output."""
    supple("make", "toy", "--vertices", "500", "-o", "toy.glb")
    for closed in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
        line = f"'{SUPPLE}' make toy --vertices 500 -o closed.glb {closed}"
        done = subprocess.run(["sh", "-c", line], check=False, timeout=60)
        check(done.returncode == 0, f"{closed}: exit {done.returncode}")
        check(open("closed.glb", "rb").read() == open("toy.glb", "rb").read(), f"{closed}: other")
        os.unlink("closed.glb")


def zero_bytes_in_uris_are_refused():
    """A name that would be cut at its zero byte and lead to another file."""
    supple("make", "toy", "--vertices", "500", "-o", "toy.glb")
    document, binary = read_glb("toy.glb")
    open("toy.bin", "wb").write(binary[:document["buffers"][0]["byteLength"]])
    for key in ("buffers", "images"):
        named = dict(document, buffers=[dict(document["buffers"][0], uri="toy.bin")], images=[{"uri": "toy.bin"}])
        named[key][0]["uri"] += "\0.png"
        json.dump(named, open("toy.gltf", "w", encoding="utf-8"))
        supple("info", "toy.gltf", status=1, says="zero byte")
        supple("convert", "toy.gltf", "-o", "out.glb", status=1, says="zero byte")


def long_clip_names_fail_before_the_first_output():
    supple("make", "tube", "--vertices", "500", "-o", "t.glb")
    with open("long.json", "w", encoding="utf-8") as file:
        json.dump({"about": "x", "character": {"builtin": "tube"}, "training": ["sway"], "unseen": ["n" * 300]}, file)
    supple("simulate", "long.json", "-o", "s.pc2", status=1, says="too long")
    check(sorted(os.listdir()) == ["long.json", "t.glb"], f"left: {os.listdir()}")
    os.remove("long.json")
    document, binary = read_glb("t.glb")
    document["animations"][-1]["name"] = "n" * 5000
    write_glb("long.glb", document, binary)
    supple("play", "long.glb", "--fps", "2", "-o", "x.pc2", status=1, says="too long")
    supple("simulate", "long.glb", "--fps", "2", "--tets", "60", "-o", "x.pc2", status=1, says="too long")
    check(sorted(os.listdir()) == ["long.glb", "t.glb"], f"left: {os.listdir()}")


def a_model_of_another_skeleton_is_a_failure():
    """Exit 1: the file is wrong, not the command line."""
    supple("make", "tube", "--vertices", "500", "-o", "t.glb")
    supple("build", "surface", "t.glb", "-o", "s.glb")
    document, binary = read_glb("s.glb")
    skin = document["skins"][0]
    document["nodes"].append({"name": "extra"})
    document["nodes"][skin["joints"][-1]].setdefault("children", []).append(len(document["nodes"]) - 1)
    skin["joints"].append(len(document["nodes"]) - 1)
    skin.pop("inverseBindMatrices", None)
    write_glb("other.glb", document, binary)
    supple("play", "other.glb", "--fps", "2", "-o", "x.pc2", status=1, says="the skeleton has")


def damage_is_told():
    """convert keeps what is damaged, and says so."""
    supple("make", "toy", "--vertices", "500", "-o", "toy.glb")
    check("damaged" not in supple("convert", "toy.glb", "-o", "x.glb"), "a sound file is called damaged")
    document, binary = read_glb("toy.glb")
    document["bufferViews"].append({"buffer": 0, "byteOffset": 0, "byteLength": 1 << 30})
    document["accessors"].append({"bufferView": 999, "componentType": 5126, "type": "VEC3", "count": 3})
    document["accessors"].append({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1 << 28})
    write_glb("bad.glb", document, binary)
    out = supple("convert", "bad.glb", "-o", "x.glb", "--json", "x.json")
    check("3 damaged parts" in out, f"damage is not told: {out}")
    result = json.load(open("x.json", encoding="utf-8"))["result"]
    check(result.get("damaged") == 3 and len(result["damage"]) == 3, f"damage is not reported: {result}")


def joints_outside_a_skin_are_told():
    """At weight 0 they are ignored, and `info` says where; with a weight the file is refused."""
    supple("make", "tube", "--vertices", "500", "-o", "t.glb")
    check("joint that" not in supple("info", "t.glb"), "a sound skin is called wrong")
    document = Document("t.glb")
    attributes = document.json["meshes"][0]["primitives"][0]["attributes"]
    joints, weights = (document.accessor(attributes[name]) for name in ("JOINTS_0", "WEIGHTS_0"))
    start, step = document.place(attributes["JOINTS_0"])
    outside = len(document.json["skins"][0]["joints"])
    data, count = bytearray(document.bytes), 0
    for vertex, row in list(enumerate(weights))[:37]:
        free = [k for k in range(4) if row[k] == 0]
        for k in free:
            at = start + vertex * step + k * joints.itemsize
            data[at:at + joints.itemsize] = outside.to_bytes(joints.itemsize, "little")
        count += bool(free)
    check(count > 5, "the tube has no free slots")
    name = document.json["nodes"][[n for n, node in enumerate(document.json["nodes"]) if "mesh" in node][0]]["name"]
    write_glb("outside.glb", document.json, data)
    said = " ".join(supple("info", "outside.glb", "--json", "i.json").split())
    check(f"{count} vertices of {name} name a joint that" in said, f"joints outside the skin are not told: {said}")
    parts = json.load(open("i.json", encoding="utf-8"))["result"]
    check(json.dumps(parts).count(f'"joints_outside": {count}') == 1, f"not in the report: {parts}")
    for file in ("t", "outside"):
        supple("play", file + ".glb", "--clip", "bend", "--fps", "5", "-o", file + ".pc2")
    check(open("t.pc2", "rb").read() == open("outside.pc2", "rb").read(), "they change the skin")
    vertex, k = next((v, k) for v, row in enumerate(weights) for k in range(4) if row[k] > 0)
    at = start + vertex * step + k * joints.itemsize
    data[at:at + joints.itemsize] = outside.to_bytes(joints.itemsize, "little")
    write_glb("wrong.glb", document.json, data)
    supple("info", "wrong.glb", status=1, says=f"vertex {vertex} uses joint {outside} of skin 0, which has {outside}")


def indices_of(value, path=()):
    """The paths of all indices of a document."""
    names = {"nodes", "children", "joints", "mesh", "skin", "indices", "material", "input", "output", "sampler", "node",
             "source", "bufferView", "buffer", "inverseBindMatrices", "skeleton", "scene", "index"}
    items = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, inner in items:
        here = path + (key,)
        named = [k for k in here if isinstance(k, str)]
        if isinstance(inner, int) and (named[-1] in names or named[-2:-1] in (["attributes"], ["targets"])):
            yield here
        yield from indices_of(inner, here)


def every_wrong_index_is_told():
    supple("make", "toy", "--vertices", "500", "-o", "toy.glb")
    supple("build", "surface", "toy.glb", "-o", "flesh.glb")
    document, binary = read_glb("flesh.glb")
    document["images"] = [{"bufferView": 0}]
    document["textures"] = [{"source": 0}]
    document.setdefault("materials", [{}])[0]["normalTexture"] = {"index": 0}
    write_glb("sound.glb", document, binary)
    check("damaged" not in supple("convert", "sound.glb", "-o", "x.glb"), "a sound file is called damaged")
    seen = {}
    for path in indices_of(document):
        kind = tuple(k for k in path if isinstance(k, str))
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] > 2:
            continue
        damaged = json.loads(json.dumps(document))
        inner = damaged
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = 99999
        write_glb("bad.glb", damaged, binary)
        done = subprocess.run([SUPPLE, "convert", "bad.glb", "-o", "x.glb"], capture_output=True, text=True, timeout=60)
        check(done.returncode == 1 or "damaged part" in done.stdout, f"{path} is passed on in silence")
    check(len(seen) > 15, f"only {len(seen)} kinds of indices: {sorted(seen)}")
    view = document["skins"][0]["extensions"]["SUPPLE_model"]["models"][0]["bufferView"]
    broken = bytearray(binary)
    broken[document["bufferViews"][view]["byteOffset"] + 200] ^= 1
    write_glb("bad.glb", document, broken)
    check("damaged part" in supple("convert", "bad.glb", "-o", "x.glb"), "a damaged model is passed on in silence")


for test in (every_wrong_index_is_told, joints_outside_a_skin_are_told, damage_is_told, zero_bytes_in_uris_are_refused,
             long_clip_names_fail_before_the_first_output,
             a_model_of_another_skeleton_is_a_failure, pipes_and_folders_are_refused, external_files_need_permission,
             memory_can_be_limited_and_freed, reports_tell_where_the_time_went,
             others_files_are_kept, options_that_mean_nothing_are_refused,
             samples_of_others_get_their_rate, names_are_shown_on_one_line, clips_of_another_skeleton_are_noticed,
             closed_streams_do_no_harm, near_names_are_suggested):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        test()
        os.chdir("/")
sys.exit(1 if failures else 0)
