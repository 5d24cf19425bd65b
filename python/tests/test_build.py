"""The program that builds wheels says what is missing before it builds anything."""

import os
import shutil
import subprocess
import sys

import pytest

BUILD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build_backend.py")


@pytest.mark.parametrize(
    "given, there, want",
    [
        ([], [], "install the package gcc"),
        (["--arch", "all"], ["gcc"], "install the packages gcc-"),
        (["--arch", "all"], ["gcc", "aarch64-linux-gnu-gcc", "x86_64-linux-gnu-gcc"], "install Go from https://go.dev/dl"),
    ],
)
def test_missing(tmp_path, given, there, want):
    programs, out = tmp_path / "bin", tmp_path / "out"
    programs.mkdir()
    for name in there:
        (programs / name).symlink_to(shutil.which("true"))
    env = {**os.environ, "PATH": str(programs)}
    env.pop("CC", None)
    done = subprocess.run([sys.executable, BUILD, "wheel", *given, "--out", str(out)], env=env, capture_output=True, text=True)
    assert done.returncode == 1 and want in done.stderr and not out.exists()


def test_one_library():
    """The package has room for the library of one architecture."""
    done = subprocess.run([sys.executable, BUILD, "library", "--arch", "all"], env={"PATH": ""}, capture_output=True, text=True)
    assert done.returncode == 2 and "give --arch amd64 or --arch arm64" in done.stderr
