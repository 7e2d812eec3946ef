#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks every #include against the table of layers (docs/design.md, "Layers").

usage: check-layers.py [root of the tree]

A layer may include itself, the layers named beside it, and what those may include. Public headers
belong to a layer too: include/supple/LAYER/x.h and include/supple/LAYER.h to LAYER, any other
include/supple/x.h to the layer that HEADERS says, else to the folder of libsupple with x.c in it.
"""
import pathlib
import re
import sys

LAYERS = {
    "base": [],
    "math": ["base"],
    "anim": ["math"],
    "runtime": ["anim"],
    "geom": ["math"],
    "author": ["runtime", "geom"],
    "numerics": ["math"],
    "fem": ["author", "numerics"],
    "rig": ["author"],
    "train": ["fem", "rig"],
    "sim": ["fem"],
    "io": ["author"],
    "draw": ["geom"],
    "app": ["train", "sim", "io", "draw"],
    "cuda": ["runtime"],
}
LIBSUPPLE = ("base", "math", "anim", "runtime")
FREESTANDING_LAYERS = LIBSUPPLE + ("geom", "author")
# Headers of plain data. The shapes of the backend table and of the model block are known to all;
# only `runtime`, which sees every folder of libsupple, fills the one and checks the other.
HEADERS = {
    "backend": "base", "model": "base", "math_types": "math",
    "skeleton": "anim", "clip": "anim", "pose": "anim", "skin": "anim",
    "surface": "runtime", "surface_types": "runtime", "stack": "runtime", "technique": "runtime",
    "external_forces": "math", "patch_parts": "math",
}
# They use what the public headers give, and files of their own folder and of those named here.
OUTSIDE = {"cli": ["bench"], "web": [], "bench": [], "examples": [], "blender": []}

# What needs no C library.
FREESTANDING = {
    "float.h", "limits.h", "stdalign.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h",
    "arm_neon.h", "cpuid.h", "emmintrin.h", "immintrin.h", "wasm_simd128.h",
}
# Other people's libraries, and the one layer that may see them.
FOREIGN = {
    "jansson.h": "io", "meshoptimizer.h": "io",
    "lapacke.h": "numerics", "arpack/arpack.h": "numerics", "cblas.h": "numerics", "cholmod.h": "numerics",
    "webp/encode.h": "draw", "webp/mux.h": "draw",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def closure(layer):
    seen = {layer}
    for lower in LAYERS[layer]:
        seen |= closure(lower)
    return seen


def layer_of_header(root, path):
    """`path` is what follows include/supple/."""
    if len(path.parts) > 1:
        return path.parts[0] if path.parts[0] in LAYERS else None
    if path.stem in LAYERS:
        return path.stem
    if path.stem in HEADERS:
        return HEADERS[path.stem]
    for layer in LIBSUPPLE:
        if any((root / "src" / layer).rglob(f"{path.stem}.c")):
            return layer
    return None


def check_quoted(root, file, layer, name):
    """What is wrong with #include "name" in `file`, or None. layer is None outside of src."""
    path = pathlib.Path(name)
    if path.parts[0] == "supple":
        if not (root / "include" / path).exists():
            return "does not exist"
        target = layer_of_header(root, path.relative_to("supple"))
    elif len(path.parts) == 1 and (file.parent / path).exists():
        return None
    elif layer is None:
        own = file.relative_to(root).parts[0]
        beside = [own, *OUTSIDE[own]]
        return None if any((root / b / path).exists() for b in beside) else "is not a public header"
    else:
        target = path.parts[0]
        if target not in LAYERS or not (root / "src" / path).exists():
            return "is neither a public header nor a file of a layer"
    if target is None:
        return "belongs to no layer (HEADERS in scripts/check-layers.py)"
    if layer is not None and target not in closure(layer):
        return f"belongs to {target}, which {layer} may not include"
    return None


def check_system(layer, name):
    home = FOREIGN.get(name) or FOREIGN.get(pathlib.Path(name).name)
    if home is not None and home != layer:
        return f"belongs to {home} alone"
    if layer in FREESTANDING_LAYERS and name not in FREESTANDING:
        return f"needs a C library, and {layer} is freestanding"
    return None


def check_file(root, file, layer):
    text = file.read_text()
    for match in INCLUDE.finditer(text):
        bracket, name = match.groups()
        if bracket == '"':
            problem = check_quoted(root, file, layer, name)
        else:
            problem = check_system(layer, name)
        if problem:
            line = text.count("\n", 0, match.start(2)) + 1
            yield f"{file.relative_to(root)}:{line}: {name} {problem}"


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".c", ".h", ".inl", ".cpp", ".cu"))


def problems(root):
    public = root / "include" / "supple"
    for file in sources(public):
        layer = layer_of_header(root, file.relative_to(public))
        if layer is None:
            yield f"{file.relative_to(root)}: belongs to no layer (HEADERS here)"
        else:
            yield from check_file(root, file, layer)
    for file in sources(root / "src"):
        layer = file.relative_to(root / "src").parts[0]
        if layer not in LAYERS:
            yield f"{file.relative_to(root)}: {layer} is not a layer"
        else:
            yield from check_file(root, file, layer)
    for folder in OUTSIDE:
        for file in sources(root / folder):
            if "node_modules" not in file.parts:
                yield from check_file(root, file, None)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if len(sys.argv) < 2:
        root = root.parent.parent
    found = list(problems(root))
    print("\n".join(found) if found else "layers: every include is allowed")
    return 1 if found else 0


sys.exit(main())
