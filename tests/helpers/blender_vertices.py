# SPDX-License-Identifier: MIT
"""Runs inside Blender: where it puts the vertices of .glb files.

blender --background --factory-startup --python blender_vertices.py -- JOBS.json

JOBS.json: [{"file": X.glb, "out": Y.npz, "fps": 60, "clips": {NAME: [frame, ...]}}, ...]. Y.npz has, for every clip,
an array [frames, vertices, 3] in glTF's axes, of the skinned meshes in the order of the file's nodes. There is no Y.npz
for a file that Blender cannot import.
"""
import json
import sys

import bpy
import numpy as np

np.bool = bool  # Debian 12's Blender 3.4 asks its numpy for a name that is gone


def vertices_of(obj, depsgraph):
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    to_world = np.array(evaluated.matrix_world)
    evaluated.to_mesh_clear()
    world = flat.reshape(-1, 3).astype(float) @ to_world[:3, :3].T + to_world[:3, 3]
    return np.stack([world[:, 0], world[:, 2], -world[:, 1]], 1)


def play_clip(name):
    """Makes a clip the active action of all that it moves; the importer keeps clips as muted NLA tracks."""
    for owner in list(bpy.data.objects) + list(bpy.data.shape_keys):
        data = owner.animation_data
        if not data:
            continue
        data.action = None
        for track in data.nla_tracks:
            track.mute = True
            if track.name == name:
                data.action = track.strips[0].action
    for obj in bpy.data.objects:  # bones that the clip does not move are at rest
        for bone in obj.pose.bones if obj.type == "ARMATURE" else ():
            bone.matrix_basis.identity()
    for keys in bpy.data.shape_keys:
        for block in keys.key_blocks[1:]:
            block.value = 0


def dump(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = job["fps"]
    bpy.ops.import_scene.gltf(filepath=job["file"])
    with open(job["file"], "rb") as file:
        data = file.read()
    document = json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])
    skinned = [node.get("name", "") for node in document["nodes"] if "mesh" in node and "skin" in node]
    by_name = {o.name: o for o in bpy.data.objects if o.type == "MESH"}
    meshes = [by_name[name] for name in skinned if name in by_name]
    if len(meshes) != len(skinned):  # a node with a mesh may have got another name
        meshes = [o for o in bpy.data.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]
    out = {}
    for clip, frames in job["clips"].items():
        play_clip(clip)
        rows = []
        for frame in frames:
            bpy.context.scene.frame_set(int(frame))
            depsgraph = bpy.context.evaluated_depsgraph_get()
            rows.append(np.concatenate([vertices_of(o, depsgraph) for o in meshes]))
        out[clip] = np.array(rows, np.float32)
    np.savez(job["out"], **out)


def main():
    with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as file:
        jobs = json.load(file)
    for job in jobs:
        try:
            dump(job)
        except RuntimeError as error:  # the importer's own; the job has no output then
            print(job["file"], str(error).strip().splitlines()[-1])
    print("vertices written")


main()
