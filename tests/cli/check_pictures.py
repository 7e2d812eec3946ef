#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of `supple play`, read by others: check_pictures.py SUPPLE

A strip is unpacked by Python's zlib, an animation by the distribution's webpinfo, webpmux and dwebp.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document, write_glb  # noqa: E402
from tool import run, skipped  # noqa: E402

SMALL = ("--size", "96", "--threads", "2")


def png(path):
    """Pixels of an 8 bit RGB PNG, [height, width, 3]."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, name = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(name + body) == int.from_bytes(data[at + 8 + length:at + 12 + length], "big")
        chunks[name] = chunks.get(name, b"") + body
        at += 12 + length
    width, height = (int.from_bytes(chunks[b"IHDR"][k:k + 4], "big") for k in (0, 4))
    assert chunks[b"IHDR"][8:] == bytes((8, 2, 0, 0, 0)) and b"IEND" in chunks
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), "u1").reshape(height, 1 + 3 * width)
    out = np.zeros((height + 1, width + 1, 3), int)  # a border of zeros on the left and above
    for y, row in enumerate(rows):
        values = row[1:].astype(int).reshape(width, 3)
        if row[0] in (0, 2):
            out[y + 1, 1:] = values + (out[y, 1:] if row[0] == 2 else 0) & 255
            continue
        for x in range(width):
            left, up, corner = out[y + 1, x], out[y, x + 1], out[y, x]
            p = left + up - corner
            a, b, c = abs(p - left), abs(p - up), abs(p - corner)
            paeth = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
            out[y + 1, x + 1] = values[x] + (left, (left + up) // 2, paeth)[(1, 3, 4).index(row[0])] & 255
    return out[1:, 1:].astype("u1")


def pink(pixels):
    """Which pixels are mochi's: red well above blue."""
    return pixels[:, :, 0].astype(int) - pixels[:, :, 2] > 25


def strips():
    run("play", "soft.glb", "--clip", "jump", "-o", "strip.png", *SMALL, "--json", "strip.json")
    pixels = png("strip.png")
    with open("strip.json", encoding="utf-8") as file:
        told = json.load(file)["result"]["clips"][0]
    height, width = pixels.shape[:2]
    assert (told["width"], told["height"], told["figures"], told["frames"]) == (width, height, 2, 6)
    upper, lower = pink(pixels[:height // 2]), pink(pixels[height // 2:])
    for part in np.array_split(upper, 6, axis=1) + np.array_split(lower, 6, axis=1):
        assert 0.15 < part.mean() < 0.7, part.mean()  # a figure in every view
        assert not part[:, 0].any() and not part[:, -1].any()  # and all of it
    assert abs(upper.mean() / lower.mean() - 1) < 0.2 and (upper[:len(lower)] != lower[:len(upper)]).any()
    run("play", "soft.glb", "--clip", "jump", "-o", "again.png", "--size", "96", "--threads", "1")
    assert pathlib.Path("again.png").read_bytes() == pathlib.Path("strip.png").read_bytes()
    run("play", "soft.glb", "--clip", "jump", "--plain", "--frames", "3", "-o", "plain.png", *SMALL)
    one = png("plain.png")
    assert one.shape[0] < 0.7 * height and one.shape[1] < 0.7 * width
    run("play", "soft.glb", "--plain", "--clip", "jump", "--clip", "walk", "--frames", "1", "-o", "two.png", *SMALL)
    assert pink(png("two-walk.png")).mean() > 0.1 and pink(png("two-jump.png")).mean() > 0.1
    assert sorted(os.listdir()) == sorted(["mochi.glb", "soft.glb", "strip.png", "strip.json", "again.png",
                                           "plain.png", "two-jump.png", "two-walk.png"])


def cameras():
    """From the front the face is seen, from behind it is not; before and after may be two files."""
    dark = {}
    for angle in ("0", "180"):
        run("play", "mochi.glb", "--clip", "walk", "--azimuth", angle, "--frames", "1", "-o", "side.png", *SMALL)
        pixels = png("side.png")
        dark[angle] = (pixels[:len(pixels) // 2].max(2) < 70).sum()  # eyes
    assert dark["0"] > 5 * dark["180"] + 20, dark
    run("play", "soft.glb", "--before", "mochi.glb", "--plain", "--clip", "walk", "--frames", "2", "-o", "both.png", *SMALL)
    upper, lower = np.array_split(png("both.png"), 2)
    assert pink(upper).mean() > 0.1 and pink(lower).mean() > 0.1
    # A point cache beside the file: of plain skinning it is the same figure, whatever its rate and order.
    for words in (("--fps", "60"), ("--fps", "20", "--order", "body")):
        run("play", "soft.glb", "--plain", "--clip", "walk", *words, "-o", "walk.pc2")
        run("play", "mochi.glb", "--after", "walk.pc2", "--clip", "walk", "--frames", "2", "--fps", "20", "-o", "cache.png", *SMALL)
        pixels, band = png("cache.png"), 21  # of the labels and the times
        row = (len(pixels) - band) // 2
        assert (pixels[band:row] == pixels[row + band:2 * row]).mean() > 0.999



def textures():
    """A part with a blue PNG for a texture is blue."""
    document = Document("mochi.glb")
    body = document.json["materials"][0]
    rows = b"".join(b"\0" + bytes((20, 40, 250)) * 4 for _ in range(4))

    def chunk(name, data):
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")
    image = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes((0, 0, 0, 4, 0, 0, 0, 4, 8, 2, 0, 0, 0))) +
             chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    data = bytes(document.bytes)
    data += bytes(-len(data) % 4)
    for name, picture in (("blue", image), ("broken", image[:40]), ("jpeg", b"\xff\xd8\xff\xe0" + bytes(40))):
        tree = json.loads(json.dumps(document.json))
        tree["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": len(picture)})
        tree["images"] = [{"bufferView": len(tree["bufferViews"]) - 1, "mimeType": "image/png"}]
        tree["textures"] = [{"source": 0}]
        pbr = tree["materials"][0]["pbrMetallicRoughness"]
        pbr["baseColorTexture"], pbr["baseColorFactor"] = {"index": 0}, [1, 1, 1, 1]
        for mesh in tree["meshes"]:
            for primitive in mesh["primitives"]:
                count = tree["accessors"][primitive["attributes"]["POSITION"]]["count"]
                tree["accessors"].append({"componentType": 5126, "count": count, "type": "VEC2"})  # zeros
                primitive["attributes"]["TEXCOORD_0"] = len(tree["accessors"]) - 1
        tree["buffers"][0]["byteLength"] = len(data) + len(picture)
        write_glb(f"{name}.glb", tree, data + picture)
        said = run("play", f"{name}.glb", "--clip", "walk", "--frames", "1", "-o", f"{name}.png", *SMALL)
        pixels = png(f"{name}.png").astype(int)
        blue = (pixels[:, :, 2] - pixels[:, :, 0] > 60).mean()
        assert (blue > 0.1) == (name == "blue"), (name, blue, body)
        assert ("note: 1 texture" in said) == (name != "blue"), said


def animations():
    run("play", "soft.glb", "--clip", "walk", "--fps", "6", "-o", "walk.webp", *SMALL)
    if not shutil.which("webpmux"):
        skipped("animations")
        return
    info = subprocess.run(["webpinfo", "walk.webp"], capture_output=True, text=True, check=True).stdout
    assert "No error detected." in info and "Animation: 1" in info and "Loop count      : 0" in info, info
    durations = [int(line.split(":")[1]) for line in info.splitlines() if "Duration" in line]
    assert abs(sum(durations) - 2000) <= 2, durations  # a loop of 2 s, its last frame not twice
    subprocess.run(["webpmux", "-get", "frame", "1", "walk.webp", "-o", "one.webp"], check=True, capture_output=True)
    subprocess.run(["dwebp", "-quiet", "one.webp", "-ppm", "-o", "one.ppm"], check=True)
    head, size, _, body = pathlib.Path("one.ppm").read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    assert head == b"P6"
    left, right = np.array_split(pink(np.frombuffer(body, "u1").reshape(height, width, 3)), 2, axis=1)
    assert 0.15 < left.mean() < 0.7 and 0.15 < right.mean() < 0.7
    run("play", "soft.glb", "--clip", "walk", "--fps", "6", "-o", "again.webp", "--size", "96", "--threads", "1")
    assert pathlib.Path("again.webp").read_bytes() == pathlib.Path("walk.webp").read_bytes()
    # A part of it in slow motion: fewer frames, each twice as long.
    run("play", "soft.glb", "--clip", "walk", "--fps", "10", "--start", "0.3", "--end", "0.8", "--slow", "2", "-o",
        "part.webp", *SMALL)
    part = subprocess.run(["webpinfo", "part.webp"], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"Duration: (\d+)", part) == ["200"] * 5, part


def refusals():
    before = sorted(os.listdir())
    for words, sentence in (
            (("--size", "64", "-o", "x.pc2"), "--size is for pictures; give the output a name that ends in .png or .webp"),
            (("--frames", "4", "-o", "x.webp"), "--frames is for strips (.png)"),
            (("--as", "helpers", "-o", "x.png"), "x.png is a picture, for which --as has no meaning"),
            (("--order", "body", "-o", "x.png"), "x.png is a picture, for which --order has no meaning"),
            (("--fps", "500", "-o", "x.webp"), "an animation has at most 120 frames per second"),
            (("--frames", "64", "--size", "4096", "-o", "x.png"), "give a smaller --size"),
            (("--size", "5", "-o", "x.png"), "--size"),
            (("--azimuth", "north", "-o", "x.png"), "--azimuth"),
            (("--before", "none.glb", "-o", "x.png"), "none.glb"),
            (("--after", "none.pc2", "-o", "x.png"), "none.pc2"),
            (("--after", "walk.pc2", "--clip", "walk", "-o", "x.png"), "--after shows one clip"),
            (("--after", "walk.pc2", "-o", "x.pc2"), "--after is for pictures"),
            (("--after", "walk.pc2", "--before", "mochi.glb", "-o", "x.png"), "--before or --after"),
            (("--before", "mochi.glb", "--amplitude", "2", "-o", "x.png"), "so it cannot go with --amplitude"),
            (("-o", "x.jpg"), ".png or .webp"),
            (("-o", "none/x.png"), "none"),
            (("--clip", "jumpp", "-o", "x.png"), "did you mean 'jump'"),
    ):
        said = run("play", "mochi.glb", *(() if "jumpp" in words else ("--clip", "jump")), *words, good=False)
        assert said.startswith("supple: ") and said.count("\n") == 1 and sentence in said, said
    assert sorted(os.listdir()) == before, sorted(os.listdir())
    document = Document("mochi.glb")
    binary = bytearray(document.bytes)
    walk = next(a for a in document.json["animations"] if a["name"] == "walk")
    for index in {sampler["input"] for sampler in walk["samplers"]}:
        at, _ = document.place(index)
        times = document.accessor(index).astype("<f4") * 100
        binary[at:at + times.nbytes] = times.tobytes()
        document.json["accessors"][index]["max"] = [float(times.max())]
    write_glb("long.glb", document.json, binary)
    said = run("play", "long.glb", "--clip", "walk", "-o", "x.webp", good=False)
    assert "give a smaller --fps, or draw a strip (.png)" in said and not os.path.exists("x.webp"), said


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("make", "mochi", "--vertices", "1500", "-o", "mochi.glb")
        run("build", "surface", "mochi.glb", "--preset", "fat", "-o", "soft.glb")
        strips()
        cameras()
        textures()
        if "no libwebp" in run("play", "mochi.glb", "--clip", "walk", "--size", "32", "--fps", "2", "-o", "try.webp",
                               good=None):
            skipped("webp")
        else:
            animations()
        refusals()
    print("pictures: strips, animations, textures and refusals are right")


main()
