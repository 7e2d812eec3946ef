# SPDX-License-Identifier: MIT
"""Runs inside Blender: a character with a lattice belly. lattice_belly.py -- MOCHI.glb OUT.blend

A lattice that the spine carries shapes the skin after the armature. Its inner points follow a bone (a hook) and two shape keys of
the lattice, one of them driven by a custom property of the armature. The skin has a shape key of its own.
"""
import os
import sys

import bpy
import numpy as np
from mathutils import Vector

np.bool = bool  # Debian 12's Blender 3.4 asks its numpy for a name that is gone
SOURCE, TARGET = sys.argv[sys.argv.index("--") + 1:]
CENTRE, SIZE = Vector((0, -0.12, 0.5)), Vector((0.55, 0.5, 0.5))


def add_control_bone(armature, parent):
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("belly")
    bone.head, bone.tail = CENTRE, CENTRE + Vector((0, -0.3, 0))
    bone.parent = armature.data.edit_bones[parent]
    bone.use_deform = False
    bpy.ops.object.mode_set(mode="OBJECT")


def add_lattice(armature, parent):
    data = bpy.data.lattices.new("Belly")
    data.points_u = data.points_v = data.points_w = 4
    obj = bpy.data.objects.new("Belly", data)
    bpy.context.scene.collection.objects.link(obj)
    obj.location, obj.scale = CENTRE, SIZE / 3  # points are one apart
    bpy.context.view_layer.update()
    placed = obj.matrix_world.copy()
    obj.parent, obj.parent_type, obj.parent_bone = armature, "BONE", parent
    bpy.context.view_layer.update()
    obj.matrix_world = placed
    bpy.context.view_layer.update()
    return obj


def inner(data):
    return [k for k, p in enumerate(data.points) if max(abs(c) for c in p.co) < 1]


def add_keys(lattice, armature):
    lattice.shape_key_add(name="Basis")
    moves = {"sag": lambda p: Vector((0, 0, -0.6 if p.z < 0 else 0)), "swell": lambda p: 0.6 * p}
    for name, move in moves.items():
        key = lattice.shape_key_add(name=name)
        key.slider_min, key.slider_max = -1, 1
        for k in inner(lattice.data):
            key.data[k].co = key.data[k].co + move(key.data[k].co)
    armature["breath"] = 0.0
    armature.id_properties_ui("breath").update(min=-1.0, max=1.0, default=0.0)
    driver = lattice.data.shape_keys.key_blocks["swell"].driver_add("value").driver
    variable = driver.variables.new()
    variable.name = "b"
    variable.targets[0].id = armature
    variable.targets[0].data_path = '["breath"]'
    driver.expression = "b"


def add_hook(lattice, armature):
    hook = lattice.modifiers.new("Hook", "HOOK")
    hook.object, hook.subtarget = armature, "belly"
    hook.vertex_indices_set(inner(lattice.data))
    bpy.context.view_layer.update()
    bone = armature.matrix_world @ armature.pose.bones["belly"].matrix
    hook.matrix_inverse = bone.inverted() @ lattice.matrix_world


def add_skin_key(mesh):
    mesh.shape_key_add(name="Basis")
    key = mesh.shape_key_add(name="cheeks")
    key.slider_min, key.slider_max = -1, 1
    for k, vertex in enumerate(mesh.data.vertices):
        if vertex.co.z > 0.75:
            key.data[k].co = vertex.co + Vector((0.05 * (1 if vertex.co.x > 0 else -1) * min(1, abs(vertex.co.x) / 0.1), 0, 0))


def main():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=SOURCE)
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    mesh = next(o for o in bpy.data.objects if o.type == "MESH" and o.parent == armature)
    armature.animation_data.action = None
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    print("bones:", [b.name for b in armature.data.bones], "mesh:", mesh.name)
    corners = np.array([v.co[:] for v in mesh.data.vertices])
    print("extent:", corners.min(0), corners.max(0))
    parent = "spine" if "spine" in armature.data.bones else armature.data.bones[0].name
    armature.data.pose_position = "REST"
    add_control_bone(armature, parent)
    lattice = add_lattice(armature, parent)
    add_keys(lattice, armature)
    add_hook(lattice, armature)
    add_skin_key(mesh)
    armature.data.pose_position = "POSE"
    bend = mesh.modifiers.new("Belly", "LATTICE")
    bend.object = lattice
    for obj in [o for o in bpy.data.objects if o.type == "MESH" and o != mesh]:
        bpy.data.objects.remove(obj)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(TARGET))
    print("character written")


main()
