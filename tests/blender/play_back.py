# SPDX-License-Identifier: MIT
"""Runs inside Blender, with a file from rig_curves.py: what it shows. play_back.py -- CLIP OUT.npz [MOVED]

OUT.npz has the vertices of all frames in glTF's axes ("vertices"), and the F-curves of the clip ("curves", "keys"). With MOVED the
key nearest to the middle of the F-curve of that shape key of the lattice is moved first ("moved" is its frame).
"""
import sys

import bpy
import numpy as np

CLIP, OUT, *MOVED = sys.argv[sys.argv.index("--") + 1:]


def actions():
    for owner in list(bpy.data.objects) + list(bpy.data.shape_keys):
        data = owner.animation_data
        if not data:
            continue
        data.action = None
        for track in data.nla_tracks:
            track.mute = True
            if track.name == CLIP:
                data.action = track.strips[0].action
                yield owner, data.action


def main():
    found, moved = {}, -1
    for owner, action in actions():
        for curve in action.fcurves:
            user = owner.user.name if isinstance(owner, bpy.types.Key) else owner.name
            found[f"{user} {curve.data_path} {curve.array_index}"] = len(curve.keyframe_points)
            if MOVED and MOVED[0] in curve.data_path:
                point = curve.keyframe_points[len(curve.keyframe_points) // 2]
                moved = point.co.x
                for place in (point.co, point.handle_left, point.handle_right):
                    place.y += 0.5
    mesh = next(o for o in bpy.data.objects if o.type == "MESH")
    rows = []
    for frame in range(73):
        bpy.context.scene.frame_set(frame)
        evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
        shape = evaluated.to_mesh()
        flat = np.empty(3 * len(shape.vertices), np.float32)
        shape.vertices.foreach_get("co", flat)
        matrix = np.array(evaluated.matrix_world)
        world = flat.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        rows.append(np.stack([world[:, 0], world[:, 2], -world[:, 1]], 1))
        evaluated.to_mesh_clear()
    np.savez(OUT, vertices=np.array(rows), curves=np.array(list(found)), keys=np.array(list(found.values())), moved=moved)
    print("played back")


main()
