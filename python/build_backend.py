"""Builds wheels and source archives: by PEP 517 for pip, and as a program for make.

It needs only Python, Go and a C compiler. The same sources, compilers and SOURCE_DATE_EPOCH (the time of
the last commit by default) give the same bytes.

    python3 build_backend.py wheel [--arch amd64 | --arch arm64 | --arch all] [--cc gcc] [--out dist]
    python3 build_backend.py library [--arch amd64 | --arch arm64] [--cc gcc]
    python3 build_backend.py sdist [--out dist]
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from typing import Any, Iterator, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PACKAGE = os.path.join(HERE, "blskernel")
# By GOARCH: Python's name for the machine, and the cross compiler. The library needs glibc 2.34 or later.
MACHINES = {"amd64": ("x86_64", "x86_64-linux-gnu-gcc"), "arm64": ("aarch64", "aarch64-linux-gnu-gcc")}
GLIBC = (2, 34)
NEEDS = {
    "go": "Go from https://go.dev/dl",
    "gcc": "the package gcc",
    "aarch64-linux-gnu-gcc": "the packages gcc-aarch64-linux-gnu and libc6-dev-arm64-cross",
    "x86_64-linux-gnu-gcc": "the packages gcc-x86-64-linux-gnu and libc6-dev-amd64-cross",
}


def need(program: str) -> str:
    """Return the name of a program, or exit with advice on what to install."""
    if shutil.which(program) is None:
        raise SystemExit(f"blskernel: building the library needs {program}, which is missing; install {NEEDS.get(program, program)}")
    return program


def version() -> str:
    with open(os.path.join(PACKAGE, "_native.py"), encoding="utf-8") as file:
        return re.search(r'^__version__ = "(.*)"$', file.read(), re.M).group(1)  # type: ignore[union-attr]


def epoch() -> int:
    """Return the modification time of all files in an archive, in Unix seconds."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None and os.path.exists(os.path.join(ROOT, ".git")):
        given = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True).stdout.strip()
    return max(int(given or 0), 315532800)  # a ZIP file has no times before 1980


def host() -> str:
    """Return the GOARCH of this machine."""
    machine = platform.machine()
    for arch, (name, _) in MACHINES.items():
        if machine in (name, arch):
            return arch
    raise SystemExit(f"blskernel: there is no library for {machine}, only for {', '.join(m for m, _ in MACHINES.values())} on Linux")


def compiler(arch: str, cc: Optional[str] = None) -> str:
    """Return the C compiler for an architecture: cc if given, the native compiler, or a cross compiler."""
    return need(cc or (os.environ.get("CC", "gcc") if arch == host() else MACHINES[arch][1]))


def build_library(out: str, arch: str, cc: Optional[str] = None) -> None:
    """Build the library, without OpenBLAS. It exports only the functions of blskernel.h."""
    env = {**os.environ, "CGO_ENABLED": "1", "GOOS": "linux", "GOARCH": arch, "GOFLAGS": "", "CGO_CFLAGS": "-O2", "CGO_LDFLAGS": ""}
    env["CC"] = compiler(arch, cc)
    exports = os.path.join(HERE, "native", "exports.map")
    link = f"-s -w -buildid= -extldflags '-Wl,--version-script={exports} -Wl,--build-id=none'"
    flags = ["-tags", "noopenblas", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags", link]
    subprocess.run([need("go"), "build", *flags, "-o", out, "./native"], cwd=HERE, env=env, check=True)
    os.unlink(os.path.splitext(out)[0] + ".h")


def output(*command: str, **env: str) -> str:
    """Return what a command prints."""
    return subprocess.run(command, cwd=HERE, env={**os.environ, **env}, capture_output=True, text=True, check=True).stdout


def notices() -> str:
    """Return the license texts of the modules in the library."""
    line = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}"
    listed = output("go", "list", "-tags", "noopenblas", "-deps", "-f", line, "./native", CGO_ENABLED="1", GOFLAGS="")
    about = output("go", "env", "GOVERSION", "GOROOT").split()
    modules = {tuple(s.split()) for s in listed.split("\n") if s and not s.startswith("blskernel ")} | {("Go", *about)}
    out = ["The library of this package contains blskernel and parts of the following."]
    for name, number, folder in sorted(modules):
        for file in sorted(os.listdir(folder)):
            if re.match("LICEN[CS]E|COPYING|NOTICE", file):
                with open(os.path.join(folder, file), encoding="utf-8") as text:
                    out.append(f"========\n{name} {number}: {file}\n\n{text.read()}")
    return "\n".join(out)


def metadata() -> str:
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (
        f"Metadata-Version: 2.1\nName: blskernel\nVersion: {version()}\n"
        "Summary: Incremental broad learning systems, and dense linear algebra with kernels of its own\n"
        "License: BSD-3-Clause\nRequires-Python: >=3.9\nRequires-Dist: numpy>=1.20\nProvides-Extra: sklearn\n"
        'Requires-Dist: scikit-learn>=1.0; extra == "sklearn"\nDescription-Content-Type: text/markdown\n\n' + readme
    )


def python_files() -> Iterator[tuple[str, str]]:
    """Yield the files of the Python package, with their names in a wheel."""
    for folder, folders, names in os.walk(PACKAGE):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(names):
            if name.endswith(".py") or name == "py.typed":
                path = os.path.join(folder, name)
                yield path, "blskernel/" + os.path.relpath(path, PACKAGE).replace(os.sep, "/")


def wheel_of(arch: str, out: str, cc: Optional[str] = None, library: Optional[str] = None) -> str:
    """Write a wheel and return its name."""
    tag = f"py3-none-manylinux_{GLIBC[0]}_{GLIBC[1]}_{MACHINES[arch][0]}"
    info = f"blskernel-{version()}.dist-info"
    files: list[tuple[str, bytes]] = []
    for path, name in python_files():
        with open(path, "rb") as file:
            files.append((name, file.read()))
    with tempfile.TemporaryDirectory() as work:
        built = library or os.path.join(work, "libblskernel.so")
        if library is None:
            build_library(built, arch, cc)
        with open(built, "rb") as file:
            files.append(("blskernel/libblskernel.so", file.read()))
    with open(os.path.join(ROOT, "LICENSE"), "rb") as file:
        files.append((f"{info}/LICENSE", file.read()))
    files.append((f"{info}/THIRD_PARTY_LICENSES", notices().encode()))
    files.append((f"{info}/METADATA", metadata().encode()))
    files.append((f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: blskernel\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()))
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode()))
    name, when = f"blskernel-{version()}-{tag}.whl", time.gmtime(epoch())[:6]
    os.makedirs(out, exist_ok=True)
    with zipfile.ZipFile(os.path.join(out, name), "w") as archive:
        for path, data in files:
            entry = zipfile.ZipInfo(path, when)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if path.endswith(".so") else 0o100644) << 16
            archive.writestr(entry, data)
    return name


def sources() -> list[str]:
    """Return the tracked files from which the library and the package are built."""
    if not os.path.exists(os.path.join(ROOT, ".git")):  # an unpacked source archive
        found = (os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, names in os.walk(ROOT) for name in names)
        return sorted(f for f in found if "__pycache__" not in f and not f.endswith((".so", ".pyc")) and f not in ("PKG-INFO", "pyproject.toml"))
    fields = "GoFiles CgoFiles CFiles HFiles SFiles EmbedFiles IgnoredGoFiles IgnoredOtherFiles".split()
    line = "".join("{{range .%s}}{{$.Dir}}/{{.}}\n{{end}}" % field for field in fields)
    found = {"go.mod", "go.sum", "LICENSE"}
    for arch in MACHINES:  # each imports some packages that the other does not
        listed = output(need("go"), "list", "-deps", "-f", line, "./native", CGO_ENABLED="1", GOOS="linux", GOARCH=arch)
        found.update(os.path.relpath(name, ROOT) for name in listed.splitlines() if not name.endswith("_test.go"))
    tracked = output("git", "-C", ROOT, "ls-files", "-z").split("\0")
    return [name for name in sorted(tracked) if name in found or name.startswith("python/")]


def sdist_of(out: str) -> str:
    """Write a source archive, which pip can build with Go and a C compiler, and return its name."""
    top = f"blskernel-{version()}"
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        project = file.read().replace('backend-path = ["."]', 'backend-path = ["python"]').replace('"README.md"', '"python/README.md"')
    files = [("PKG-INFO", metadata().encode()), ("pyproject.toml", project.encode())]
    for name in sources():
        with open(os.path.join(ROOT, name), "rb") as file:
            files.append((name, file.read()))
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, top + ".tar.gz"), "wb") as raw, gzip.GzipFile("", "wb", mtime=epoch(), fileobj=raw) as packed:
        with tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as archive:
            for name, data in sorted(files):
                entry = tarfile.TarInfo(f"{top}/{name}")
                entry.size, entry.mtime, entry.mode = len(data), epoch(), 0o644
                archive.addfile(entry, io.BytesIO(data))
    return top + ".tar.gz"


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """Build a wheel, as a hook of PEP 517."""
    return wheel_of(host(), wheel_directory)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build a source archive, as a hook of PEP 517."""
    return sdist_of(sdist_directory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["library", "wheel", "sdist"])
    parser.add_argument("--arch", choices=[*sorted(MACHINES), "all"], default=None, help="architecture to build for, as a GOARCH; all: a wheel for each (default: the GOARCH of this machine)")
    parser.add_argument("--cc", default=None, help="C compiler for the architecture (default: $CC or gcc for this machine's GOARCH, a cross compiler for any other)")
    parser.add_argument("--out", default="dist", help="folder for the files (default: dist)")
    given = parser.parse_args()
    if given.what == "library" and given.arch == "all":
        parser.error("the folder of the package has room for one library: give --arch amd64 or --arch arm64")
    arches = sorted(MACHINES) if given.arch == "all" else [given.arch or host()]
    if given.what != "sdist":
        for arch in arches:  # before the first is built
            compiler(arch, given.cc)
        need("go")
    if given.what == "library":
        build_library(os.path.join(PACKAGE, "libblskernel.so"), arches[0], given.cc)
        return
    for name in [sdist_of(given.out)] if given.what == "sdist" else (wheel_of(arch, given.out, given.cc) for arch in arches):
        path = os.path.join(given.out, name)
        with open(path, "rb") as file:
            print(f"{hashlib.sha256(file.read()).hexdigest()}  {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
