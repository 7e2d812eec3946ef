# SPDX-License-Identifier: MIT
"""Supple for Blender: secondary motion for the selected character.

A thin layer: the character goes to the `supple` command as .glb, and what that writes comes back, as a character with
helper bones (or shape keys) and their keys, or as a Mesh Cache on the mesh itself. Maps are vertex groups named
supple_lock, supple_amount, ...: they travel both ways.
"""
import array
import json
import os
import shutil
import struct
import subprocess
import tempfile

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from mathutils import Vector
from mathutils.kdtree import KDTree

bl_info = {
    "name": "Supple",
    "author": "the Supple project",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "View3D > Sidebar > Supple",
    "description": "Secondary motion: flesh that jiggles, on every action of a character",
    "category": "Animation",
}

if not hasattr(np, "bool"):
    np.bool = bool  # Blender 3.4's glTF importer asks newer numpys for a name that is gone

MAPS = ("lock", "amount", "stiffness", "detail", "volume", "damping")  # those that lie within 0 .. 1
PREFIX = "supple_"


# ---- The tool ---------------------------------------------------------------------------------


def tool():
    addon = bpy.context.preferences.addons.get(__name__)
    named = addon.preferences.tool if addon else ""
    found = named or os.environ.get("SUPPLE") or shutil.which("supple")
    if not found or not os.path.exists(found):
        raise RuntimeError("the supple command was not found: name it in the preferences of the add-on")
    return found


def call(*words):
    done = subprocess.run([tool(), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"supple {words[0]} failed")
    return done.stdout


# ---- glTF files ---------------------------------------------------------------------------------


class Glb:
    """The JSON and the bytes of a .glb, to read and add float attributes."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        length = struct.unpack("<I", data[12:16])[0]
        self.json = json.loads(data[20:20 + length])
        self.bytes = bytearray(data[28 + length:])

    def save(self, path):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.json["buffers"][0]["byteLength"] = len(self.bytes)
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(self.bytes)))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", len(self.bytes), b"BIN\0") + self.bytes)

    def floats(self, index, width):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        step = view.get("byteStride", 4 * width)
        raw = np.frombuffer(bytes(self.bytes), np.uint8)[start:]
        rows = np.lib.stride_tricks.as_strided(raw, (accessor["count"], 4 * width), (step, 1))
        return rows.copy().view("<f4").reshape(accessor["count"], width)

    def add_floats(self, values):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": 4 * len(values)})
        self.bytes += np.asarray(values, "<f4").tobytes()
        self.json["accessors"].append({"bufferView": len(self.json["bufferViews"]) - 1, "componentType": 5126,
                                       "count": len(values), "type": "SCALAR"})
        return len(self.json["accessors"]) - 1

    def skinned(self):
        """(name of the node, primitives) of every skinned mesh, in the order of nodes."""
        for node in self.json["nodes"]:
            if "mesh" in node and "skin" in node:
                yield node.get("name", ""), self.json["meshes"][node["mesh"]]["primitives"]


def to_blender(points):
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], 1)


def rest_points(obj):
    flat = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def nearest(of, to):
    """For every point of `of` the index of the nearest of `to`."""
    tree = KDTree(len(to))
    for k, point in enumerate(to):
        tree.insert(Vector(point), k)
    tree.balance()
    return np.array([tree.find(Vector(point))[1] for point in of], int)


def matching(file_points, obj):
    """Points of a file (Blender's axes) and the mesh's own, in the space in which they agree."""
    own = rest_points(obj)
    matrix = np.array(obj.matrix_world)
    world = own @ matrix[:3, :3].T + matrix[:3, 3]

    def apart(points):
        return np.abs(np.ptp(points, axis=0) - np.ptp(file_points, axis=0)).max() + np.abs(
            points.mean(0) - file_points.mean(0)).max()

    return min((own, world), key=apart)


# ---- Maps -----------------------------------------------------------------------------------------


def write_maps(path, meshes):
    """The vertex groups supple_* as attributes of an exported file. Returns how many."""
    glb, count = Glb(path), 0
    for name, primitives in glb.skinned():
        obj = next((o for o in meshes if o.name == name or o.data.name == name), None)
        groups = [g for g in obj.vertex_groups if g.name[len(PREFIX):] in MAPS] if obj else []
        if not groups:
            continue
        for primitive in primitives:
            points = to_blender(glb.floats(primitive["attributes"]["POSITION"], 3))
            match = nearest(points, matching(points, obj))
            for group in groups:
                values = np.zeros(len(obj.data.vertices), np.float32)
                for vertex in obj.data.vertices:
                    for element in vertex.groups:
                        if element.group == group.index:
                            values[vertex.index] = element.weight
                attribute = "_SUPPLE_" + group.name[len(PREFIX):].upper()
                primitive["attributes"][attribute] = glb.add_floats(values[match])
                count += 1
    if count:
        glb.save(path)
    return count


def read_maps(path, meshes):
    """The other way round: attributes of a file become vertex groups."""
    glb, names = Glb(path), set()
    for name, primitives in glb.skinned():
        obj = next((o for o in meshes if o.name == name or o.data.name == name), None)
        if not obj:
            continue
        points = np.concatenate([glb.floats(p["attributes"]["POSITION"], 3) for p in primitives])
        points = to_blender(points)
        match = nearest(matching(points, obj), points)
        for kind in MAPS:
            key = "_SUPPLE_" + kind.upper()
            if not all(key in p["attributes"] for p in primitives):
                continue
            values = np.concatenate([glb.floats(p["attributes"][key], 1)[:, 0] for p in primitives])[match]
            group = obj.vertex_groups.get(PREFIX + kind) or obj.vertex_groups.new(name=PREFIX + kind)
            for index, value in enumerate(np.clip(values, 0, 1)):
                group.add([index], float(value), "REPLACE")
            names.add(kind)
    return sorted(names)


# ---- Characters -----------------------------------------------------------------------------------


def character_of(context):
    """The armature that is active, or that deforms the active mesh, and its meshes."""
    active = context.object
    armature = active if active and active.type == "ARMATURE" else active.find_armature() if active else None
    if not armature:
        raise RuntimeError("select an armature, or a mesh that one deforms")
    meshes = [o for o in context.scene.objects if o.type == "MESH" and o.find_armature() == armature]
    if not meshes:
        raise RuntimeError(f"{armature.name} deforms no mesh")
    return armature, meshes


def export(context, path):
    armature, meshes = character_of(context)
    # What a bake has left on the meshes does not go back in.
    muted = [m for o in meshes for m in o.modifiers if m.type == "MESH_CACHE" and m.show_viewport]
    for modifier in muted:
        modifier.show_viewport = False
    objects = context.view_layer.objects
    active, selected = objects.active, [o for o in objects if o.select_get()]
    for obj in objects:
        obj.select_set(obj == armature or obj in meshes)
    try:
        bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", use_selection=True, export_animations=True,
                                  export_nla_strips=True, export_anim_single_armature=False,
                                  export_force_sampling=True, export_yup=True)
    finally:
        for modifier in muted:
            modifier.show_viewport = True
        for obj in objects:
            obj.select_set(obj in selected)
        objects.active = active
    write_maps(path, meshes)
    return armature, meshes


def import_result(context, path, name):
    """The file as a collection of its own."""
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=path)
    collection = bpy.data.collections.new(name)
    context.scene.collection.children.link(collection)
    made = [o for o in bpy.data.objects if o not in before]
    for obj in made:
        for other in list(obj.users_collection):
            other.objects.unlink(obj)
        collection.objects.link(obj)
    return made


# ---- Mesh Cache -----------------------------------------------------------------------------------


def read_pc2(path):
    with open(path, "rb") as file:
        head = file.read(32)
        points, count = struct.unpack("<i", head[16:20])[0], struct.unpack("<i", head[28:32])[0]
        return np.frombuffer(file.read(12 * points * count), "<f4").reshape(count, points, 3)


def write_pc2(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], 0.0, 1.0, frames.shape[0]))
        array.array("f", frames.astype("<f4").ravel()).tofile(file)


def put_cache(live, cache, meshes, folder, start):
    """Gives every mesh its part of a cache in the file's order, as a Mesh Cache modifier."""
    glb, frames, first = Glb(live), read_pc2(cache), 0
    for name, primitives in glb.skinned():
        points = np.concatenate([glb.floats(p["attributes"]["POSITION"], 3) for p in primitives])
        part = frames[:, first:first + len(points)]
        first += len(points)
        obj = next((o for o in meshes if o.name == name or o.data.name == name), None)
        if not obj:
            continue
        points = to_blender(points)
        match = nearest(matching(points, obj), points)
        back = np.linalg.inv(np.array(obj.matrix_world, float))
        world = np.stack([part[:, match, 0], -part[:, match, 2], part[:, match, 1]], 2)
        path = os.path.join(folder, f"{bpy.path.clean_name(obj.name)}.pc2")
        write_pc2(path, world @ back[:3, :3].T + back[:3, 3])
        modifier = obj.modifiers.get("Supple") or obj.modifiers.new("Supple", "MESH_CACHE")
        modifier.cache_format = "PC2"
        modifier.filepath = path
        modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
        modifier.interpolation = "LINEAR"
        modifier.play_mode, modifier.time_mode = "SCENE", "FRAME"
        modifier.frame_start = start


# ---- Operators ------------------------------------------------------------------------------------


class SuppleSettings(bpy.types.PropertyGroup):
    preset: EnumProperty(name="Flesh", default="soft", items=[
        ("fat", "Fat", "heavy and slow, rolls on after every step"),
        ("soft", "Soft", "relaxed flesh of an ordinary body"),
        ("firm", "Firm", "a trained body: small, quick, soon still"),
        ("muscle", "Muscle", "tight: quivers on impacts only"),
        ("jelly", "Jelly", "a cartoon: everything wobbles, long")])
    amount: FloatProperty(name="Amount", default=1, min=0, max=1, description="how much of it; 0 is none")
    bones: IntProperty(name="Helpers", default=16, min=1, max=128, description="bones, or shape keys, that are added")
    bake_as: EnumProperty(name="Bake as", default="helpers", items=[
        ("helpers", "Helper bones", "a copy of the character with more bones, and their keys"),
        ("morphs", "Shape keys", "a copy of the character with shape keys, and their keys"),
        ("cache", "Mesh Cache", "exactly, on this mesh, for the active action")])
    hide: BoolProperty(name="Hide the original", default=True)
    report: StringProperty()


def clip_name(armature, path):
    """The clip of the active action, as the exporter has named it: like the action, or like its NLA track, whose name the
    action may have begun with."""
    names = [a.get("name", "") for a in Glb(path).json.get("animations", [])]
    action = armature.animation_data.action if armature.animation_data else None
    if not names:
        raise RuntimeError("the character has no action")
    if action and action.name in names:
        return action.name
    alike = [n for n in names if action and n and action.name.startswith(n + "_")]
    return max(alike, key=len) if alike else names[0]


def run_add(context, folder):
    """Exports, runs `supple add`, and gives the paths of what it wrote."""
    settings = context.scene.supple
    source, out, live = (os.path.join(folder, n) for n in ("in.glb", "out.glb", "live.glb"))
    armature, meshes = export(context, source)
    words = ["add", source, "-o", out, "--live", live, "--preset", settings.preset, "--amount", str(settings.amount)]
    if settings.bake_as == "morphs":
        words += ["--as", "morphs", "--targets", str(settings.bones)]
    elif settings.bake_as == "cache":  # what is shown is played live; what is baked beside it does not matter
        words += ["--clip", clip_name(armature, source), "--bones", "1"]
    else:
        words += ["--bones", str(settings.bones)]
    settings.report = call(*words)
    return armature, meshes, out, live


class SUPPLE_OT_add(bpy.types.Operator):
    bl_idname = "supple.add"
    bl_label = "Add"
    bl_description = "Secondary motion on every action of the character"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        settings = context.scene.supple
        try:
            if settings.bake_as == "cache":
                bake_cache(context)
            else:
                with tempfile.TemporaryDirectory() as folder:
                    armature, meshes, out, _ = run_add(context, folder)
                    import_result(context, out, f"{armature.name} alive")
                for obj in [armature, *meshes] if settings.hide else ():
                    obj.hide_set(True)
        except RuntimeError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


def bake_cache(context):
    scene = context.scene
    folder = bpy.path.abspath("//supple_cache") if bpy.data.filepath else tempfile.mkdtemp(prefix="supple_")
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        armature, meshes, _, live = run_add(context, place)
        cache = os.path.join(place, "live.pc2")
        fps = scene.render.fps / scene.render.fps_base
        call("play", live, "--clip", clip_name(armature, live), "--fps", str(fps), "--preroll", "3", "-o", cache)
        action = armature.animation_data.action if armature.animation_data else None
        start = action.frame_range[0] if action else 0
        put_cache(live, cache, meshes, folder, start)


class SUPPLE_OT_fetch(bpy.types.Operator):
    bl_idname = "supple.fetch_maps"
    bl_label = "Fetch maps"
    bl_description = "What the preset would do, as vertex groups supple_* to paint on; Add then uses them"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            with tempfile.TemporaryDirectory() as folder:
                source, live = os.path.join(folder, "in.glb"), os.path.join(folder, "live.glb")
                _, meshes = export(context, source)
                call("build", "surface", source, "--preset", context.scene.supple.preset, "-o", live)
                names = read_maps(live, meshes)
        except RuntimeError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, "vertex groups: " + ", ".join(PREFIX + n for n in names))
        return {"FINISHED"}


class SUPPLE_OT_lock(bpy.types.Operator):
    bl_idname = "supple.paint_lock"
    bl_label = "Paint what is held"
    bl_description = "A vertex group supple_lock: what is painted on it follows its bones"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        obj = context.object
        if not obj or obj.type != "MESH":
            self.report({"ERROR"}, "select the mesh")
            return {"CANCELLED"}
        group = obj.vertex_groups.get(PREFIX + "lock") or obj.vertex_groups.new(name=PREFIX + "lock")
        obj.vertex_groups.active_index = group.index
        if not bpy.app.background:
            bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
        return {"FINISHED"}


class SUPPLE_PT_panel(bpy.types.Panel):
    bl_label = "Supple"
    bl_idname = "SUPPLE_PT_panel"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Supple"

    def draw(self, context):
        settings, layout = context.scene.supple, self.layout
        for name in ("preset", "amount", "bake_as", "bones", "hide"):
            layout.prop(settings, name)
        layout.operator("supple.add", icon="PLAY")
        row = layout.row()
        row.operator("supple.fetch_maps")
        row.operator("supple.paint_lock")
        for line in settings.report.splitlines():
            layout.label(text=line)


class SupplePreferences(bpy.types.AddonPreferences):
    bl_idname = __name__
    tool: StringProperty(name="The supple command", subtype="FILE_PATH",
                         description="empty: the one in the PATH, or what $SUPPLE names")

    def draw(self, _context):
        self.layout.prop(self, "tool")


CLASSES = (SuppleSettings, SUPPLE_OT_add, SUPPLE_OT_fetch, SUPPLE_OT_lock, SUPPLE_PT_panel, SupplePreferences)


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Scene.supple = PointerProperty(type=SuppleSettings)


def unregister():
    del bpy.types.Scene.supple
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)


if __name__ == "__main__":
    register()
