#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a compute shader out of src/runtime/tiles/tiles.comp and the C headers that it includes.

usage: make-shader.py [--version "430 core"] [--define NAME=VALUE]... OUTPUT

The step of the surface technique is written once (src/runtime/tiles/tiles_body.h), for C, CUDA and GLSL.
GLSL has no #include: this puts the files in. Included once each, guards left out.
"""
import argparse
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"
INCLUDE = re.compile(r'^#include "([^"]+)"$', re.M)


def without_guard(text):
    guard = re.compile(r"^#ifndef (SUP_\w+_H)\n#define \1\n(.*)^#endif\n*\Z", re.M | re.S)
    return guard.sub(lambda m: m.group(2), text)


def expanded(name):
    text = without_guard((SOURCE / name).read_text())
    return INCLUDE.sub(lambda m: expanded(m.group(1)), text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", default="430 core")
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("output")
    options = parser.parse_args()
    text = expanded("runtime/tiles/tiles.comp")
    lines = [f"#version {options.version}"]
    lines += ["#define " + define.replace("=", " ", 1) for define in options.define]
    pathlib.Path(options.output).write_text("\n".join(lines) + "\n" + text)


main()
