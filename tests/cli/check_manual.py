#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Manual pages and completions say what the help says, and their readers accept them: check_manual.py SUPPLE"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SUPPLE = os.path.abspath(sys.argv[1])
MACROS = {"TH", "SH", "PP", "TP", "nf", "fi"}
SECTIONS = ["NAME", "SYNOPSIS", "OPTIONS OF EVERY VERB", "EXIT STATUS", "SEE ALSO"]


def output(*words, good=True):
    done = subprocess.run([SUPPLE, *words], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == good, f"{words}: {done.stderr}"
    return done.stdout if good else done.stderr


def pages():
    """All pages, as words after `supple`: "add", "build", "build surface"."""
    row = re.compile(r"^  ([a-z]+) +\S", re.MULTILINE)
    verbs = row.findall(output("help"))
    kinds = row.findall(output("build", "--help").split("\nKinds ")[1].split("\n\n")[0])
    assert len(verbs) > 10 and len(kinds) >= 5, (verbs, kinds)
    return verbs, kinds, verbs + [f"build {kind}" for kind in kinds]


def options_of(page):
    """Every option that the help of a page shows, in order."""
    found = re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", output(*page.split(), "--help"), re.MULTILINE)
    assert "--json" in found and "--help" in found, found
    return found


def plain(roff):
    return re.sub(r"\\f[BIR]", "", roff).replace("\\-", "-").replace("\\&", "").replace("\\(aq", "'").replace(
        "\\(ga", "`").replace("\\e", "\\")


def check_page(path, page):
    with open(path, encoding="utf-8") as file:
        roff = file.read()
    lines = roff.splitlines()
    name = os.path.basename(path)[:-2]
    assert plain(lines[0]).startswith(f'.TH "{name.upper()}" 1 '), lines[0]
    for line in lines:
        assert not line.startswith("'"), line
        assert not line.startswith(".") or line[1:3] in MACROS, line
    sections = [line[4:] for line in lines if line.startswith(".SH ")]
    assert sections[:2] == SECTIONS[:2] and all(section in sections for section in SECTIONS), sections
    assert sum(line == ".nf" for line in lines) == sum(line == ".fi" for line in lines)
    text = plain(roff)
    assert f"\n{name} - " in text
    if page:
        shown = re.findall(r"^\.TP\n(?:-[a-z], )?(--[a-z-]+)", text, re.MULTILINE)
        assert shown == options_of(page), (page, shown)
        summary = output(*page.split(), "--help").splitlines()[0].split(": ", 1)[1]
        assert f"\n{name} - {summary}\n" in text, page
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", path], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stderr, done.stderr


def complete(script, *words):
    """What bash offers for the last of the words."""
    asks = 'source "$1"; shift; COMP_WORDS=(supple "$@"); COMP_CWORD=$#; _supple; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", asks, "bash", script, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, (words, done.stderr)
    return done.stdout.split()


def check_bash(script, verbs, kinds, all_pages):
    subprocess.run(["bash", "-n", script], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", script], check=True)
    assert complete(script, "bui") == ["build"]
    assert complete(script, "") == verbs + ["--help", "--version"]
    assert complete(script, "build", "") == kinds
    assert complete(script, "build", "sur") == ["surface"]
    for page in all_pages:
        assert sorted(complete(script, *page.split(), "--")) == sorted(options_of(page)), page
    assert complete(script, "build", "surface", "--preset", "") == ["fat", "soft", "firm", "muscle", "jelly"]
    assert complete(script, "build", "surface", "x.glb", "--preset", "=", "fi") == ["firm"]
    assert complete(script, "add", "x.glb", "--as", "m") == ["morphs"]
    assert complete(script, "play", "--fps", "") == []  # a number
    assert complete(script, "help", "lea") == ["learn"]
    with open("hero.glb", "w", encoding="utf-8"):
        os.mkdir("herd")
    assert complete(script, "info", "her") == ["herd", "hero.glb"] or complete(script, "info", "her") == ["hero.glb", "herd"]
    assert complete(script, "add", "hero.glb", "-o", "hero") == ["hero.glb"]
    assert complete(script, "demo", "-o", "her") == ["herd"]


def check_zsh(script, verbs, kinds):
    with open(script, encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("#compdef supple\n")
    for name in verbs + kinds:
        assert f"    '{name}:" in text, name
    for name in [verb for verb in verbs if verb != "build"] + [f"build {kind}" for kind in kinds]:
        assert f"    '{name}')\n" in text, name
    if shutil.which("zsh"):
        subprocess.run(["zsh", "-n", script], check=True)


def main():
    verbs, kinds, all_pages = pages()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        output("help", "--manual", "share")
        named = {f"supple-{page.replace(' ', '-')}.1": page for page in all_pages}
        assert set(os.listdir("share/man/man1")) == {"supple.1", *named}
        check_page("share/man/man1/supple.1", None)
        for name, page in named.items():
            check_page(f"share/man/man1/{name}", page)
        for shell, path in (("bash", "share/bash-completion/completions/supple"),
                            ("zsh", "share/zsh/site-functions/_supple")):
            with open(path, encoding="utf-8") as file:
                assert file.read() == output("help", "--completion", shell)
        check_bash("share/bash-completion/completions/supple", verbs, kinds, all_pages)
        check_zsh("share/zsh/site-functions/_supple", verbs, kinds)
        assert "leave out 'add'" in output("help", "add", "--completion", "bash", good=False)
        assert "not both" in output("help", "--manual", "x", "--completion", "bash", good=False)
        assert "hero.glb/x" in output("help", "--manual", "hero.glb/x", good=False)
        os.chdir("/")
    print(f"{len(all_pages) + 1} pages; bash and zsh complete {len(verbs)} verbs")


main()
