# SPDX-License-Identifier: MIT
"""Brings the curves of `supple play --as curves --rig-command` back into the .blend file. Runs inside Blender 3.4:

    blender --background hero.blend --python rig_curves.py -- CURVES.json OUT.blend [--object NAME ...]
    blender --background hero.blend --python rig_curves.py -- CURVES.csv OUT.blend --clip NAME [--object NAME ...]

Every curve becomes an F-curve on the channel that rig_process.py gave to the rig, in the action that the clip has there, or in a
new one. A .json has few keys with tangents (free Bezier handles, the same curve), a .csv a key per frame. Channels without a curve
keep theirs.
"""
import csv
import json
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rig_process  # noqa: E402  pylint: disable=wrong-import-position


def read_curves(path, clip):
    """{clip: {parameter: [(seconds, value, value per second or None), ...]}}"""
    if path.lower().endswith(".json"):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if not isinstance(document, dict) or document.get("rig_curves") != 1:
            raise ValueError(f"{path} holds no curves of this version")
        return {c["clip"]: {k["parameter"]: list(zip(k["key_times"], k["key_values"], k["key_tangents"])) for k in c["curves"]}
                for c in document["clips"]}
    if not clip:
        raise ValueError("a .csv does not say of which clip it is; give --clip NAME")
    with open(path, encoding="utf-8", newline="") as file:
        names, *rows = list(csv.reader(file))
    return {clip: {name: [(float(r[0]), float(r[k + 1]), None) for r in rows] for k, name in enumerate(names[1:])}}


def action_for(owner, clip):
    """The action of a clip on a data-block; made, on an NLA track called so, where there is none."""
    action = rig_process.action_of(owner, clip)
    if action:
        return action
    data = owner.animation_data or owner.animation_data_create()
    action = bpy.data.actions.new(f"{clip}_{owner.name}")
    track = data.nla_tracks.new()
    track.name = clip
    track.mute = True  # as the importer of glTF leaves them
    return track.strips.new(clip, 0, action).action


def put_curve(action, channel, keys, rate):
    index = max(channel.index, 0)
    old = action.fcurves.find(channel.path, index=index)
    if old:
        action.fcurves.remove(old)
    curve = action.fcurves.new(channel.path, index=index)
    curve.keyframe_points.add(len(keys))
    for k, (point, (time, value, tangent)) in enumerate(zip(curve.keyframe_points, keys)):
        point.co = time * rate, value
        if tangent is None:
            point.interpolation = "LINEAR"
            continue
        before = (time - keys[k - 1][0]) / 3 if k else 0.1
        after = (keys[k + 1][0] - time) / 3 if k + 1 < len(keys) else 0.1
        point.interpolation = "BEZIER"
        point.handle_left_type = point.handle_right_type = "FREE"
        point.handle_left = (time - before) * rate, value - before * tangent
        point.handle_right = (time + after) * rate, value + after * tangent
    curve.extrapolation = "CONSTANT"


def main():
    words = sys.argv[sys.argv.index("--") + 1:]
    meshes = rig_process.bodies(rig_process.words_after("--object", words))
    near = rig_process.parts(meshes)
    by_name = {c.name: c for c in rig_process.channels(near)}
    scene = bpy.context.scene
    rate = scene.render.fps / scene.render.fps_base
    curves = read_curves(words[0], (rig_process.words_after("--clip", words) or [""])[0])
    count = 0
    for clip, found in curves.items():
        missing = [n for n in found if n not in by_name]
        if missing:
            raise ValueError(f"there is no channel '{missing[0]}' in this file, or it has a driver; nothing was written")
        for name, keys in found.items():
            channel = by_name[name]
            put_curve(action_for(channel.owner, clip), channel, keys, rate)
            count += 1
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(words[1]), copy=True)
    print(f"{count} curves written to {words[1]}")


if __name__ == "__main__":
    try:
        main()
    except Exception as failure:  # pylint: disable=broad-except # Blender would go on, and end with status 0
        print(f"rig_curves.py: {failure}", file=sys.stderr)
        sys.exit(1)
