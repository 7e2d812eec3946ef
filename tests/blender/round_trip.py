# SPDX-License-Identifier: MIT
"""Runs inside Blender: the add-on, as an artist would use it. round_trip.py -- ADDON.py FOLDER

FOLDER has mochi.glb. Writes what it sees into FOLDER/seen.npz for check_addon.py to judge.
"""
import importlib.util
import os
import sys

import bpy
import numpy as np

np.bool = bool
ADDON, FOLDER = sys.argv[sys.argv.index("--") + 1:]
FRAMES = [0, 20, 60, 100]


def load():
    spec = importlib.util.spec_from_file_location("supple_addon", ADDON)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.register()
    return module


def points(objects, frame):
    bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    rows = []
    for obj in objects:
        evaluated = obj.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        flat = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", flat)
        matrix = np.array(evaluated.matrix_world)
        rows.append(flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
        evaluated.to_mesh_clear()
    return np.concatenate(rows)


def show(objects, name):
    for owner in list(objects) + list(bpy.data.shape_keys):
        data = owner.animation_data
        for track in data.nla_tracks if data else ():
            track.mute = True
            if track.name == name:
                data.action = track.strips[0].action


def main():
    addon = load()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 60
    bpy.ops.import_scene.gltf(filepath=os.path.join(FOLDER, "mochi.glb"))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    meshes = [o for o in bpy.data.objects if o.type == "MESH"]
    seen = {}
    # Only the jump, so that it is quick.
    for track in list(armature.animation_data.nla_tracks):
        if track.name != "jump":
            armature.animation_data.nla_tracks.remove(track)
    show([armature], "jump")
    bpy.context.view_layer.objects.active = meshes[0]
    seen["plain"] = np.array([points(meshes, f) for f in FRAMES])
    # Maps, from the tool ...
    scene.supple.preset = "fat"
    selected = {o.name for o in bpy.data.objects if o.select_get()}
    assert bpy.ops.supple.fetch_maps() == {"FINISHED"}
    assert selected == {o.name for o in bpy.data.objects if o.select_get()}, "the selection has changed"
    assert bpy.context.view_layer.objects.active == meshes[0]
    seen["rest"] = np.array([v.co[:] for v in meshes[0].data.vertices])
    group = meshes[0].vertex_groups["supple_amount"]
    seen["amount"] = np.array([group.weight(v.index) for v in meshes[0].data.vertices])
    for group in [g for g in meshes[0].vertex_groups if g.name.startswith("supple_")]:
        meshes[0].vertex_groups.remove(group)
    # ... and back: everything above a height is held.
    assert bpy.ops.supple.paint_lock() == {"FINISHED"}
    top = [v.index for v in meshes[0].data.vertices if v.co.z > 0.55]
    meshes[0].vertex_groups["supple_lock"].add(top, 1.0, "REPLACE")
    seen["held"] = np.array([v.co.z > 0.55 for v in meshes[0].data.vertices])
    # Keys on helper bones.
    scene.supple.bones = 6
    scene.supple.bake_as = "helpers"
    before = set(bpy.data.objects)
    assert bpy.ops.supple.add() == {"FINISHED"}
    made = [o for o in bpy.data.objects if o not in before]
    other = next(o for o in made if o.type == "ARMATURE")
    helpers = [b.name for b in other.data.bones if b.name.startswith("helper_")]
    show(made, "jump")
    keys = sum(len(c.keyframe_points) for c in other.animation_data.action.fcurves if "helper_" in c.data_path)
    seen["helpers"], seen["keys"] = len(helpers), keys
    seen["hidden"] = armature.hide_get() and all(o.hide_get() for o in meshes)
    seen["as_helpers"] = np.array([points([o for o in made if o.type == "MESH"], f) for f in FRAMES])
    # Mesh Cache on the mesh itself.
    for obj in [armature, *meshes]:
        obj.hide_set(False)
    bpy.context.view_layer.objects.active = meshes[0]
    scene.supple.bake_as = "cache"
    assert bpy.ops.supple.add() == {"FINISHED"}
    seen["as_cache"] = np.array([points(meshes, f) for f in FRAMES])
    seen["report"] = scene.supple.report
    np.savez(os.path.join(FOLDER, "seen.npz"), **seen)
    addon.unregister()
    print("round trip done")


main()
