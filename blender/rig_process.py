# SPDX-License-Identifier: MIT
"""A Blender character as a rig for `supple play --as curves --rig-command`. Runs inside Blender 3.4:

    blender --background hero.blend --python rig_process.py -- [--object NAME ...] --free PATTERN ...

The parameters are bone channels (BONE.location.x, BONE.rotation.x, BONE.scale.x), values of shape keys of meshes and lattices
(OBJECT.KEY) and custom properties of objects and bones (OBJECT.PROPERTY, BONE.PROPERTY). What --free names is simulated
(* and ? stand for any letters), what actions move is scripted; channels with drivers follow. docs/formats.md has the protocol.
"""
import fnmatch
import os
import struct
import sys

import bpy
import numpy as np

MAGIC = b"\x8fSUPRIG\n"
VERSION = 1
HELLO, EVALUATE, SCRIPT, QUIT, ERROR = 1, 2, 3, 4, 0
FREE, SCRIPTED = 0, 1
AXES = "xyz"
TURN = 0.5  # rad, either way, of a bone's rotation
GROW = 0.5  # either way, of a bone's scale


# ---- Channels -----------------------------------------------------------------------------------


class Channel:
    """One number of the file: which data-block has it, where, and what it is at rest."""

    def __init__(self, name, zone, owner, path, index, rest, low, high):  # pylint: disable=too-many-arguments
        self.name, self.zone = name, zone
        self.owner, self.path, self.index = owner, path, index  # as F-curves name them; index -1: not an array
        self.rest, self.low, self.high = rest, low, high
        holder, _, attribute = path.rpartition(".")
        self.item = attribute if not path.endswith("]") else None
        if self.item is None:  # a custom property
            holder, _, key = path.rpartition('["')
            self.key = bpy.utils.unescape_identifier(key[:-2])
        self.holder = owner.path_resolve(holder) if holder else owner

    def get(self):
        if self.item is None:
            return float(self.holder[self.key])
        value = getattr(self.holder, self.item)
        return float(value if self.index < 0 else value[self.index])

    def set(self, value):
        if self.item is None:
            self.holder[self.key] = value
            self.owner.update_tag()  # drivers that read it do not notice otherwise
        elif self.index < 0:
            setattr(self.holder, self.item, value)
        else:
            getattr(self.holder, self.item)[self.index] = value


def bodies(names):
    """The meshes called so, or the only one that an armature or a lattice deforms."""
    if names:
        missing = [n for n in names if n not in bpy.data.objects or bpy.data.objects[n].type != "MESH"]
        if missing:
            there = ", ".join(sorted(o.name for o in bpy.data.objects if o.type == "MESH"))
            raise ValueError(f"there is no mesh object '{missing[0]}'; there are: {there}")
        return [bpy.data.objects[n] for n in names]
    found = [o for o in bpy.data.objects if o.type == "MESH" and any(m.type in ("ARMATURE", "LATTICE") for m in o.modifiers)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} meshes have an armature or a lattice; choose with --object NAME")
    return found


def parts(meshes):
    """The objects that shape the meshes: themselves, what their modifiers name, and parents, each once."""
    found, left = [], list(meshes)
    while left:
        obj = left.pop(0)
        if obj in found:
            continue
        found.append(obj)
        left += [m.object for m in obj.modifiers if getattr(m, "object", None)]
        if obj.parent:
            left.append(obj.parent)
    return found


def properties(holder, owner, prefix, name):
    """Custom properties that are numbers with a range."""
    for key in holder.keys():
        value = holder[key]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or key.startswith("_"):
            continue
        if not isinstance(value, float):
            continue  # whole numbers are switches
        told = holder.id_properties_ui(key).as_dict()
        yield Channel(f"{name}.{key}", name, owner, f'{prefix}["{bpy.utils.escape_identifier(key)}"]', -1,
                      told.get("default", value), told.get("min", -1.0), told.get("max", 1.0))


def bone_channels(obj, bone):
    path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]'
    length = bone.bone.length
    for k, axis in enumerate(AXES):
        yield Channel(f"{bone.name}.location.{axis}", bone.name, obj, path + ".location", k, 0.0, -length / 2, length / 2)
    if bone.rotation_mode == "QUATERNION":
        for k, axis in enumerate("wxyz"):
            yield Channel(f"{bone.name}.quaternion.{axis}", bone.name, obj, path + ".rotation_quaternion", k,
                          float(k == 0), -2.0, 2.0)
    elif bone.rotation_mode == "AXIS_ANGLE":
        for k, axis in enumerate(("angle", "x", "y", "z")):
            yield Channel(f"{bone.name}.axis_angle.{axis}", bone.name, obj, path + ".rotation_axis_angle", k,
                          float(k == 2), -7.0, 7.0)
    else:
        for k, axis in enumerate(AXES):
            yield Channel(f"{bone.name}.rotation.{axis}", bone.name, obj, path + ".rotation_euler", k, 0.0, -TURN, TURN)
    for k, axis in enumerate(AXES):
        yield Channel(f"{bone.name}.scale.{axis}", bone.name, obj, path + ".scale", k, 1.0, 1 - GROW, 1 + GROW)
    yield from properties(bone, obj, path, bone.name)


def channels(objects):
    """All numbers of these objects that may be animated and have no driver."""
    found = []
    for obj in objects:
        found += properties(obj, obj, "", obj.name)
        for bone in obj.pose.bones if obj.type == "ARMATURE" else ():
            found += bone_channels(obj, bone)
        keys = getattr(obj.data, "shape_keys", None)
        for block in keys.key_blocks[1:] if keys else ():
            found.append(Channel(f"{obj.name}.{block.name}", obj.name, keys,
                                 f'key_blocks["{bpy.utils.escape_identifier(block.name)}"].value', -1,
                                 0.0, block.slider_min, block.slider_max))
    driven = {(owner, d.data_path, d.array_index) for owner in owners_of(objects) if owner.animation_data
              for d in owner.animation_data.drivers}
    return [c for c in found if (c.owner, c.path, max(c.index, 0)) not in driven]


def owners_of(objects):
    """Data-blocks that can have actions."""
    keys = [o.data.shape_keys for o in objects if getattr(o.data, "shape_keys", None)]
    return list(objects) + keys


# ---- Clips --------------------------------------------------------------------------------------


def action_of(owner, clip):
    """The action that a clip gives to a data-block: an NLA track called so, or its active action."""
    data = owner.animation_data
    for track in data.nla_tracks if data else ():
        if track.name == clip and track.strips and track.strips[0].action:
            return track.strips[0].action
    return data.action if data and data.action and data.action.name == clip else None


def clip_names(owners):
    found = []
    for data in (o.animation_data for o in owners if o.animation_data):
        found += [t.name for t in data.nla_tracks] + ([data.action.name] if data.action else [])
    return sorted(set(found))


class Clips:
    """All actions by name of clip. Made before `silence` takes them away from their data-blocks."""

    def __init__(self, owners):
        self.owners = [o for o in owners if o.animation_data]
        self.names = clip_names(owners)
        self.actions = {n: [action_of(o, n) for o in self.owners] for n in self.names}

    def silence(self):
        for owner in self.owners:
            owner.animation_data.action = None
            owner.animation_data.use_nla = False

    def play(self, name):
        if name not in self.actions:
            raise ValueError(f"there is no action or NLA track '{name}'; there are: {', '.join(self.names)}")
        for owner, action in zip(self.owners, self.actions[name]):
            owner.animation_data.action = action

    def moved(self):
        """(owner, path, index) of everything that a clip moves."""
        return {(owner, curve.data_path, curve.array_index) for actions in self.actions.values()
                for owner, action in zip(self.owners, actions) if action for curve in action.fcurves}


# ---- The rig ------------------------------------------------------------------------------------


class Rig:
    def __init__(self, objects, free, ranges):
        self.meshes = bodies(objects)
        near = parts(self.meshes)
        self.clips = Clips(owners_of(near))
        self.clips.silence()
        self.channels = self.choose(channels(near), free)
        for pattern, low, high in ranges:
            for channel in self.channels:
                if fnmatch.fnmatchcase(channel.name, pattern):
                    channel.low, channel.high = low, high
        self.now = None
        bpy.context.scene.frame_set(bpy.context.scene.frame_start)
        for channel in channels(near):
            channel.set(channel.rest)
        self.rest = self.vertices([c.rest for c in self.channels])

    def choose(self, found, free):
        moved = self.clips.moved()
        chosen = []
        for pattern in free:
            if not any(fnmatch.fnmatchcase(c.name, pattern) for c in found):
                raise ValueError(f"--free: '{pattern}' is no channel; there are bone channels such as BONE.location.x, shape keys "
                                 "OBJECT.KEY and custom properties OBJECT.PROPERTY; those with drivers follow and are not free")
        for channel in found:
            channel.role = FREE if any(fnmatch.fnmatchcase(channel.name, p) for p in free) else SCRIPTED
            if channel.role == FREE and (".quaternion." in channel.name or ".axis_angle." in channel.name):
                raise ValueError(f"--free: {channel.name} is a part of a quaternion or of an axis; give the bone "
                                 f"'{channel.zone}' an Euler rotation mode")
            if channel.role == FREE or (channel.owner, channel.path, max(channel.index, 0)) in moved:
                chosen.append(channel)
        if not free:
            raise ValueError("no channel is free; name some with --free PATTERN")
        return chosen

    def vertices(self, values):
        for k, (channel, value) in enumerate(zip(self.channels, values)):
            if self.now is None or self.now[k] != value:
                channel.set(value)
        self.now = list(values)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        depsgraph.update()
        rows = []
        for mesh in self.meshes:
            evaluated = mesh.evaluated_get(depsgraph)
            shape = evaluated.to_mesh()
            flat = np.empty(3 * len(shape.vertices), np.float32)
            shape.vertices.foreach_get("co", flat)
            to_world = np.array(evaluated.matrix_world)
            evaluated.to_mesh_clear()
            world = flat.reshape(-1, 3).astype(float) @ to_world[:3, :3].T + to_world[:3, 3]
            rows.append(np.stack([world[:, 0], world[:, 2], -world[:, 1]], 1))
        return np.concatenate(rows).astype("<f4")

    def script(self, clip, times):
        """Values of all channels as the clip has them."""
        scene = bpy.context.scene
        rate = scene.render.fps / scene.render.fps_base
        for channel in self.channels:
            channel.set(channel.rest)
        self.clips.play(clip)
        rows = []
        for time in times:
            frame = time * rate
            scene.frame_set(int(frame // 1), subframe=frame % 1)
            rows.append([c.get() for c in self.channels])
        self.clips.silence()
        scene.frame_set(scene.frame_start)  # drivers may read it
        self.now = None
        return np.array(rows, "<f8").reshape(len(times), len(self.channels))


# ---- Messages -----------------------------------------------------------------------------------


def text(words):
    data = words.encode()
    return struct.pack("<I", len(data)) + data


def hello(rig, name):
    data = struct.pack("<III", len(rig.channels), len(rig.rest), 0) + text(name)
    for c in rig.channels:
        low, high = (c.low, c.high) if c.role == FREE else (-1e30, 1e30)
        data += struct.pack("<ddddI", c.rest, low, high, (c.high - c.low) or 1.0, c.role) + text(c.name) + text(c.zone)
    return data + rig.rest.tobytes()


def answer(rig, kind, count, data):
    if kind == HELLO:
        return hello(rig, rig.meshes[0].name)
    if kind == EVALUATE:
        vectors = np.frombuffer(data, "<f8").reshape(count, len(rig.channels))
        return b"".join(rig.vertices(v).tobytes() for v in vectors)
    if kind == SCRIPT:
        times = np.frombuffer(data[:8 * count], "<f8")
        return rig.script(data[8 * count + 8:].decode(), times).tobytes()
    raise ValueError(f"the question has kind {kind}, which this script does not know")


def read_exactly(source, count):
    data = b""
    while len(data) < count:
        more = source.read(count - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data


def serve(make):
    """Answers on the standard streams. Whatever Blender prints goes to standard error."""
    sys.stdout.flush()
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    rig = None
    while True:
        magic, version, kind, count, _, size = struct.unpack("<8sIIIIQ", read_exactly(source, 32))
        data = read_exactly(source, size)
        if kind == QUIT:
            return
        try:
            if magic != MAGIC or version != VERSION:
                raise ValueError(f"this script speaks version {VERSION} of the protocol, and it was asked in version {version}")
            rig = rig or make()
            said = answer(rig, kind, count, data)
        except Exception as error:  # pylint: disable=broad-except # whatever it is, the user is told
            kind, count, said = ERROR, 0, " ".join(str(error).split()).encode()[:290]
        sink.write(struct.pack("<8sIIIIQ", MAGIC, VERSION, kind, count, 0, len(said)) + said)
        sink.flush()


def words_after(option, words):
    return [words[k + 1] for k in range(len(words) - 1) if words[k] == option]


def read_range(words):
    """NAME=LOW,HIGH"""
    name, _, numbers = words.rpartition("=")
    try:
        low, high = (float(n) for n in numbers.split(","))
    except ValueError as error:
        raise ValueError(f"--range: '{words}' is not PATTERN=LOW,HIGH") from error
    return name, low, high


def main():
    words = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    serve(lambda: Rig(words_after("--object", words), words_after("--free", words),
                      [read_range(w) for w in words_after("--range", words)]))


if __name__ == "__main__":
    main()
