# SPDX-License-Identifier: MIT
"""Bodies of other shapes, as an artist's tool makes them: blender -b --python make_bodies.py -- FOLDER [NAME ...]

Written by Blender's own skin modifier, automatic weights and glTF exporter, so that nothing of ours had a hand in them:
a snake, a bird with sheets for wings, a fish, a spider with thin legs, a figure in a robe that holds a staff. Z is up
and -Y ahead, metres; the exporter turns that into glTF's axes.
"""
import math
import pathlib
import sys

import bmesh
import bpy
from mathutils import Matrix, Vector

FPS = 30


class Body:
    """A skeleton of chains, the flesh around it, pieces that hang on one bone each, and clips."""

    def __init__(self, name):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.render.fps = FPS
        self.name = name
        self.bones = []  # name, parent's name or None, head, tail
        self.points, self.edges, self.radii = [], [], []
        self.actions = []

    def chain(self, name, points, radii, parent=None, bones=True):
        """Flesh along points, radii (r or (across, along)), from the nearest point of what there is if it has a parent; a
        bone for each stretch: name_1, name_2, ..."""
        points = [Vector(p) for p in points]
        before = None
        if parent is not None:
            before = min(range(len(self.points)), key=lambda i: (self.points[i] - points[0]).length)
        for k, (point, radius) in enumerate(zip(points, radii)):
            self.points.append(point)
            self.radii.append(radius if isinstance(radius, tuple) else (radius, radius))
            if before is not None:
                self.edges.append((before, len(self.points) - 1))
            before = len(self.points) - 1
        if bones:
            above = parent
            for k in range(len(points) - 1):
                own = f"{name}_{k + 1}" if len(points) > 2 else name
                self.bones.append((own, above, points[k], points[k + 1]))
                above = own

    def flesh(self, colour, levels=2):
        mesh = bpy.data.meshes.new(self.name)
        mesh.from_pydata([tuple(p) for p in self.points], self.edges, [])
        body = bpy.data.objects.new(self.name, mesh)
        bpy.context.collection.objects.link(body)
        select(body)
        body.modifiers.new("skin", "SKIN").use_smooth_shade = True
        for k, vertex in enumerate(mesh.skin_vertices[0].data):
            vertex.radius = self.radii[k]
            vertex.use_root = k == 0
        body.modifiers.new("smooth", "SUBSURF").levels = levels
        for modifier in ("skin", "smooth"):
            bpy.ops.object.modifier_apply(modifier=modifier)
        mesh = body.data
        mesh.materials.append(material("skin", colour))
        self.body = body

    def skeleton(self):
        data = bpy.data.armatures.new("rig")
        rig = bpy.data.objects.new("rig", data)
        bpy.context.collection.objects.link(rig)
        select(rig)
        bpy.ops.object.mode_set(mode="EDIT")
        for name, parent, head, tail in self.bones:
            bone = data.edit_bones.new(name)
            bone.head, bone.tail = head, tail
            if parent:
                bone.parent = data.edit_bones[parent]
        bpy.ops.object.mode_set(mode="OBJECT")
        self.body.select_set(True)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.parent_set(type="ARMATURE_AUTO")
        self.rig = rig

    def piece(self, name, mesh, bone, colour, metal=0.0):
        """A part of its own that follows one bone."""
        made = bpy.data.objects.new(name, mesh)
        bpy.context.collection.objects.link(made)
        mesh.materials.append(material(name, colour, metal))
        for polygon in mesh.polygons:
            polygon.use_smooth = True
        made.vertex_groups.new(name=bone).add(range(len(mesh.vertices)), 1.0, "REPLACE")
        self.tie(made)

    def sheet(self, name, mesh, colour):
        """A part of its own that bends with the bones nearest to it."""
        made = bpy.data.objects.new(name, mesh)
        bpy.context.collection.objects.link(made)
        mesh.materials.append(material(name, colour))
        for polygon in mesh.polygons:
            polygon.use_smooth = True
        select(made)
        self.rig.select_set(True)
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.parent_set(type="ARMATURE_ENVELOPE")
        made.vertex_groups.clear()
        weigh(made, [(b.name, b.head_local, b.tail_local) for b in self.rig.data.bones])

    def tie(self, made):
        made.parent = self.rig
        made.modifiers.new("rig", "ARMATURE").object = self.rig

    def clip(self, name, seconds, pose):
        """pose(t) -> {bone: (turn about x, y, z in body axes[, shift])}, for a time in 0 .. 1 of the clip."""
        action = bpy.data.actions.new(name)
        self.rig.animation_data_create()
        self.rig.animation_data.action = action
        frames = max(2, round(seconds * FPS))
        for frame in range(frames + 1):
            for bone in self.rig.pose.bones:
                bone.rotation_mode = "QUATERNION"
                turn = pose(frame / frames).get(bone.name, (0, 0, 0))
                rest = bone.bone.matrix_local.to_3x3()
                world = Matrix.Rotation(turn[2], 3, "Z") @ Matrix.Rotation(turn[1], 3, "Y") @ Matrix.Rotation(turn[0], 3, "X")
                bone.rotation_quaternion = (rest.inverted() @ world @ rest).to_quaternion()
                bone.location = rest.inverted() @ Vector(turn[3]) if len(turn) > 3 else (0, 0, 0)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
                if not bone.parent:
                    bone.keyframe_insert("location", frame=frame)
        self.actions.append(action)
        self.rig.animation_data.action = None

    def write(self, folder):
        for action in self.actions:
            track = self.rig.animation_data.nla_tracks.new()
            track.name = action.name
            track.strips.new(action.name, 0, action)
        bpy.ops.export_scene.gltf(filepath=str(folder / f"{self.name}.glb"), export_format="GLB", export_yup=True,
                                  export_animations=True, export_nla_strips=True, export_def_bones=False,
                                  export_apply=False, export_texcoords=False)


def select(thing):
    bpy.ops.object.select_all(action="DESELECT")
    thing.select_set(True)
    bpy.context.view_layer.objects.active = thing


def material(name, colour, metal=0.0):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1)
    shader.inputs["Metallic"].default_value = metal
    shader.inputs["Roughness"].default_value = 0.6
    return made


def weigh(made, bones):
    """The two nearest bones hold a vertex, by the inverse square of their distances."""
    for vertex in made.data.vertices:
        near = sorted((distance(vertex.co, head, tail), name) for name, head, tail in bones)[:2]
        shares = [1 / max(d, 1e-4) ** 2 for d, _ in near]
        for (_, name), share in zip(near, shares):
            group = made.vertex_groups.get(name) or made.vertex_groups.new(name=name)
            group.add([vertex.index], share / sum(shares), "REPLACE")


def distance(point, head, tail):
    way = tail - head
    along = min(max((point - head).dot(way) / way.length_squared, 0), 1)
    return (point - head - along * way).length


def made_of(build):
    mesh = bpy.data.meshes.new("part")
    shape = bmesh.new()
    build(shape)
    shape.to_mesh(mesh)
    shape.free()
    return mesh


def ball(at, radius):
    where = Matrix.Translation(Vector(at))
    return made_of(lambda b: bmesh.ops.create_uvsphere(b, u_segments=12, v_segments=8, radius=radius, matrix=where))


def rod(start, end, thick, thin=None):
    """A closed cone from one point to another."""
    start, end = Vector(start), Vector(end)
    way = end - start
    where = Matrix.Translation((start + end) / 2) @ way.to_track_quat("Z", "Y").to_matrix().to_4x4()
    return made_of(lambda b: bmesh.ops.create_cone(b, cap_ends=True, segments=12, radius1=thick,
                                                   radius2=thick if thin is None else thin, depth=way.length, matrix=where))


def surface(rows):
    """Quads between rows of points."""
    mesh = bpy.data.meshes.new("sheet")
    wide = len(rows[0])
    faces = [(r * wide + c, r * wide + c + 1, (r + 1) * wide + c + 1, (r + 1) * wide + c)
             for r in range(len(rows) - 1) for c in range(wide - 1)]
    mesh.from_pydata([tuple(p) for row in rows for p in row], [], faces)
    return mesh


def wave(t, shift=0.0):
    return math.sin(2 * math.pi * (t - shift))


def bump(t, start, end):
    """0 outside start .. end, 1 in the middle."""
    x = (t - start) / (end - start)
    return math.sin(math.pi * x) ** 2 if 0 < x < 1 else 0.0


# ---- The five ------------------------------------------------------------------------------------


def snake():
    n = 22
    body = Body("snake")
    points = [(0, 2.0 * k / n - 1, 0.07) for k in range(n + 1)]
    radii = [0.035] + [0.055 + 0.02 * math.sin(math.pi * k / n) for k in range(1, n)] + [0.01]
    radii[0:3] = [0.03, 0.065, 0.05]
    body.chain("spine", points, radii)
    body.flesh((0.15, 0.35, 0.12))
    body.skeleton()
    for side in (-1, 1):
        body.piece(f"eye.{'LR'[side > 0]}", ball((0.035 * side, -0.94, 0.092), 0.012), "spine_1", (0.9, 0.7, 0.05))
    names = [b[0] for b in body.bones]
    body.clip("slither", 2, lambda t: {b: (0, 0, 0.33 * wave(2 * t, k / 11)) for k, b in enumerate(names)})

    def strike(t):
        pose = {b: (0, 0, 0.25 * math.sin(2.6 * k / 3)) for k, b in enumerate(names)}
        hit = bump(t, 0.25, 0.55)
        for k, b in enumerate(names[:6]):
            pose[b] = (0.0, 0, pose[b][2] * (1 - hit))
        pose[names[0]] = (0, 0, 0, (0, -0.25 * hit, 0.12 * hit))
        return pose
    body.clip("strike", 1.5, strike)
    return body


def bird():
    body = Body("bird")
    body.chain("spine", [(0, 0.14, 0.30), (0, 0.02, 0.31), (0, -0.10, 0.36), (0, -0.15, 0.45), (0, -0.20, 0.50)],
               [0.05, 0.10, 0.09, 0.045, 0.055])
    body.chain("tail", [(0, 0.15, 0.30), (0, 0.28, 0.28)], [(0.05, 0.02), (0.02, 0.01)], parent="spine_1")
    for side, letter in ((1, "L"), (-1, "R")):
        body.chain(f"leg.{letter}", [(0.05 * side, 0.02, 0.24), (0.05 * side, -0.01, 0.12), (0.05 * side, 0.01, 0.02),
                                     (0.05 * side, -0.06, 0.01)], [0.03, 0.010, 0.008, 0.006], parent="spine_2")
        body.bones += [(f"wing.{letter}", "spine_2", Vector((0.08 * side, -0.04, 0.36)), Vector((0.28 * side, -0.05, 0.37))),
                       (f"wing_mid.{letter}", f"wing.{letter}", Vector((0.28 * side, -0.05, 0.37)), Vector((0.48 * side, -0.02, 0.37))),
                       (f"wing_tip.{letter}", f"wing_mid.{letter}", Vector((0.48 * side, -0.02, 0.37)), Vector((0.66 * side, 0.06, 0.37)))]
    body.flesh((0.75, 0.35, 0.10))
    body.skeleton()
    body.piece("beak", rod((0, -0.24, 0.50), (0, -0.32, 0.48), 0.02, 0.002), "spine_4", (0.9, 0.7, 0.1))
    for side, letter in ((1, "L"), (-1, "R")):
        rows = [[Vector(((0.06 + 0.6 * r / 10) * side, -0.06 + 0.05 * (r / 10) ** 2 + (0.20 - 0.10 * (r / 10) ** 2) * c / 5,
                         0.36 + 0.01 * math.sin(math.pi * r / 10))) for c in range(6)] for r in range(11)]
        body.sheet(f"feathers.{letter}", surface(rows), (0.55, 0.22, 0.08))
        body.piece(f"eye.{letter}", ball((0.028 * side, -0.215, 0.510), 0.011), "spine_4", (0.02, 0.02, 0.02))

    def flap(t):
        pose = {"spine_1": (0, 0, 0, (0, 0, 0.05 * wave(3 * t, 0.25))), "spine_4": (0.1 * wave(3 * t), 0, 0)}
        for side, letter in ((1, "L"), (-1, "R")):
            pose[f"wing.{letter}"] = (0, -0.8 * side * wave(3 * t), 0)
            pose[f"wing_mid.{letter}"] = (0, -0.4 * side * wave(3 * t, 0.08), 0)
            pose[f"wing_tip.{letter}"] = (0, -0.3 * side * wave(3 * t, 0.16), 0)
        return pose
    body.clip("flap", 1, flap)

    def hop(t):
        up = bump(t, 0.15, 0.45) + bump(t, 0.55, 0.85)
        pose = {"spine_1": (0, 0, 0, (0, 0, 0.10 * up)), "spine_3": (0, 0, 0.5 * bump(t, 0.4, 0.6)), "tail": (-0.3 * up, 0, 0)}
        for letter in "LR":
            pose[f"leg.{letter}_1"] = (-0.5 * up, 0, 0)
            pose[f"leg.{letter}_2"] = (0.9 * up, 0, 0)
        return pose
    body.clip("hop", 1.2, hop)
    return body


def fish():
    body = Body("fish")
    points = [(0, -0.30 + 0.1 * k, 0.2) for k in range(7)]
    body.chain("spine", points, [(0.03, 0.05), (0.06, 0.11), (0.07, 0.14), (0.06, 0.12), (0.04, 0.08), (0.02, 0.04), (0.01, 0.03)])
    for side, letter in ((1, "L"), (-1, "R")):
        body.bones.append((f"fin.{letter}", "spine_2", Vector((0.06 * side, -0.14, 0.16)), Vector((0.16 * side, -0.06, 0.12))))
    body.bones.append(("fin_tail", "spine_6", Vector((0, 0.30, 0.2)), Vector((0, 0.42, 0.2))))
    body.flesh((0.85, 0.40, 0.15))
    body.skeleton()
    body.sheet("fin_tail", surface([[Vector((0, 0.29 + 0.14 * r / 6, 0.2 + (c - 3) / 3 * (0.03 + 0.12 * r / 6))) for c in range(7)]
                                    for r in range(7)]), (0.95, 0.6, 0.2))
    body.sheet("fin_back", surface([[Vector((0, -0.12 + 0.3 * c / 8, 0.31 + 0.09 * r / 4 * math.sin(math.pi * (c + 1) / 10) - 0.02 * c / 8))
                                     for c in range(9)] for r in range(5)]), (0.95, 0.6, 0.2))
    for side, letter in ((1, "L"), (-1, "R")):
        body.sheet(f"fin.{letter}", surface([[Vector((side * (0.06 + 0.1 * r / 5), -0.15 + 0.09 * c / 4 + 0.06 * r / 5, 0.16 - 0.05 * r / 5))
                                              for c in range(5)] for r in range(6)]), (0.95, 0.6, 0.2))
        body.piece(f"eye.{letter}", ball((0.034 * side, -0.26, 0.22), 0.016), "spine_1", (0.02, 0.02, 0.02))

    def swim(t, rate=2, far=0.22):
        pose = {f"spine_{k + 1}": (0, 0, far * (0.3 + 0.2 * k) * wave(rate * t, k / 8)) for k in range(6)}
        pose["fin_tail"] = (0, 0, 0.5 * wave(rate * t, 0.85))
        for side, letter in ((1, "L"), (-1, "R")):
            pose[f"fin.{letter}"] = (0, 0.4 * side * wave(rate * t), 0)
        return pose
    body.clip("swim", 1.5, swim)
    body.clip("dart", 1, lambda t: {**swim(t, 4, 0.3), "spine_1": (0, 0, 0.2 * wave(4 * t), (0, -0.5 * bump(t, 0.1, 0.9), 0))})
    return body


def spider():
    body = Body("spider")
    body.chain("thorax", [(0, 0, 0.16), (0, -0.10, 0.16)], [0.05, 0.045])
    body.chain("abdomen", [(0, 0.05, 0.17), (0, 0.14, 0.19), (0, 0.24, 0.19)], [0.03, 0.09, 0.06], parent="thorax")
    for side, letter in ((1, "L"), (-1, "R")):
        for k in range(4):
            turn = math.radians(-50 + 34 * k)
            out = Vector((side * math.cos(turn), math.sin(turn), 0))
            hip = Vector((0, -0.05, 0.16)) + 0.045 * out
            body.chain(f"leg{k + 1}.{letter}", [hip, hip + 0.12 * out + Vector((0, 0, 0.13)), hip + 0.26 * out + Vector((0, 0, 0.02)),
                                                hip + 0.34 * out + Vector((0, 0, -0.155))], [0.014, 0.011, 0.008, 0.004], parent="thorax")
    body.flesh((0.10, 0.08, 0.09))
    body.skeleton()
    for side, letter in ((1, "L"), (-1, "R")):
        body.piece(f"eye.{letter}", ball((0.018 * side, -0.135, 0.19), 0.010), "thorax", (0.6, 0.0, 0.0))

    def walk(t):
        pose = {"thorax": (0, 0, 0, (0, 0, 0.012 * wave(4 * t))), "abdomen_1": (0.08 * wave(4 * t, 0.2), 0, 0.05 * wave(2 * t))}
        for side, letter in ((1, "L"), (-1, "R")):
            for k in range(4):
                step = 2 * t + (0.5 if (k + (side > 0)) % 2 else 0)
                lift = max(0.0, wave(step, 0.25))
                pose[f"leg{k + 1}.{letter}_1"] = (0, -0.35 * side * lift, 0.3 * side * wave(step))
                pose[f"leg{k + 1}.{letter}_3"] = (0, 0.4 * side * lift, 0)
        return pose
    body.clip("walk", 1.6, walk)

    def rear(t):
        up = bump(t, 0.1, 0.9)
        pose = {"thorax": (-0.5 * up, 0, 0), "abdomen_1": (0.5 * up + 0.1 * bump(t, 0.4, 0.5), 0, 0)}
        for side, letter in ((1, "L"), (-1, "R")):
            pose[f"leg1.{letter}_1"] = (0, -0.8 * side * up, 0)
            pose[f"leg2.{letter}_1"] = (0, -0.5 * side * up, 0)
        return pose
    body.clip("rear", 1.5, rear)
    return body


def monk():
    body = Body("monk")
    body.chain("spine", [(0, 0, 0.95), (0, 0.01, 1.15), (0, 0, 1.38), (0, -0.01, 1.52), (0, -0.02, 1.70)],
               [(0.17, 0.14), (0.19, 0.17), (0.16, 0.12), 0.07, 0.16])
    body.chain("crown", [(0, -0.02, 1.78)], [0.13], parent="spine_4", bones=False)
    for side, letter in ((1, "L"), (-1, "R")):
        body.chain(f"arm.{letter}", [(0.19 * side, 0, 1.38), (0.45 * side, 0.02, 1.30), (0.68 * side, -0.05, 1.28), (0.78 * side, -0.08, 1.27)],
                   [0.06, 0.045, 0.032, 0.03], parent="spine_3")
        body.chain(f"leg.{letter}", [(0.10 * side, 0, 0.90), (0.11 * side, -0.01, 0.48), (0.11 * side, 0.02, 0.08), (0.11 * side, -0.14, 0.04)],
                   [0.085, 0.06, 0.045, 0.035], parent="spine_1")
    body.flesh((0.80, 0.58, 0.45))
    body.skeleton()
    rows = [[Vector((math.cos(a) * r, 0.85 * math.sin(a) * r, z)) for a in [2 * math.pi * c / 32 for c in range(33)]]
            for z, r in [(1.46, 0.16), (1.36, 0.23), (1.2, 0.225), (1.05, 0.23), (0.9, 0.26), (0.7, 0.29), (0.5, 0.31), (0.3, 0.33), (0.15, 0.345)]]
    body.sheet("robe", surface(rows), (0.25, 0.13, 0.06))
    for side, letter in ((1, "L"), (-1, "R")):
        body.piece(f"eye.{letter}", ball((0.035 * side, -0.115, 1.70), 0.016), "spine_4", (0.05, 0.05, 0.05))
    body.piece("staff", rod((-0.76, -0.08, 0.05), (-0.76, -0.08, 1.85), 0.018), "arm.R_3", (0.3, 0.18, 0.08))
    body.piece("staff_top", ball((-0.76, -0.08, 1.9), 0.06), "arm.R_3", (0.8, 0.75, 0.3), 1.0)

    def walk(t):
        pose = {"spine_1": (0, 0, 0.06 * wave(t), (0, 0, 0.02 * wave(2 * t))), "spine_2": (0.03, 0, -0.08 * wave(t))}
        for side, letter, phase in ((1, "L", 0), (-1, "R", 0.5)):
            pose[f"leg.{letter}_1"] = (0.45 * wave(t, phase), 0, 0)
            pose[f"leg.{letter}_2"] = (-0.5 * max(0, wave(t, phase + 0.2)), 0, 0)
            pose[f"arm.{letter}_1"] = (-0.3 * wave(t, phase), 0.7 * side, 0)
        return pose
    body.clip("walk", 1.1, walk)

    def cast(t):
        up = bump(t, 0.1, 0.9)
        return {"arm.R_1": (0, -0.6 * up, -0.3 * up), "arm.L_1": (0, -0.8 * up, 0.4 * up), "spine_2": (-0.15 * up, 0, 0.5 * bump(t, 0.3, 0.5)),
                "spine_1": (0, 0, 0, (0, 0, 0.08 * bump(t, 0.4, 0.6)))}
    body.clip("cast", 1.6, cast)
    return body


BODIES = {made.__name__: made for made in (snake, bird, fish, spider, monk)}


def main():
    folder, *names = sys.argv[sys.argv.index("--") + 1:]
    for name in names or BODIES:
        BODIES[name]().write(pathlib.Path(folder))


main()
