"""Which command lines are builds or test runs, and what to call them. Pure."""

import shlex
from collections.abc import Sequence

WATCHED = (
    "make", "gmake", "ninja", "cmake --build", "meson compile", "meson test", "ctest", "bazel",
    "buck2", "scons", "just", "pytest", "py.test", "tox", "nox", "unittest", "mypy", "build",
    "pip install", "pip3 install", "uv sync", "cargo build", "cargo test", "cargo check",
    "cargo clippy", "cargo nextest", "cargo bench", "cargo install", "rustc", "gcc", "g++",
    "cc", "c++", "clang", "clang++", "go build", "go test", "go vet", "go install", "npm test",
    "npm run", "npm install", "npm ci", "yarn test", "yarn build", "yarn install", "yarn run",
    "pnpm test", "pnpm run", "pnpm build", "pnpm install", "bun test", "bun run", "tsc", "jest",
    "vitest", "webpack", "mvn", "gradle", "gradlew", "ant", "sbt", "dotnet build",
    "dotnet test", "rake", "rspec", "mix test", "mix compile", "stack build", "stack test",
    "cabal build", "cabal test", "swift build", "swift test", "xcodebuild", "docker build",
)  # fmt: skip
"""What counts by default: a program, or one with the word that says what it is to do."""

_INTERPRETERS = ("python", "node", "ruby", "perl", "bash", "dash", "sh", "zsh", "pypy", "java")
_ENDINGS = (".py", ".js", ".mjs", ".cjs", ".rb", ".sh", ".exe")
_LONGEST = 60
_JAVA = {
    "org.gradle.wrapper.GradleWrapperMain": "gradle",
    "org.codehaus.plexus.classworlds.launcher.Launcher": "mvn",
    "org.apache.tools.ant.launch.Launcher": "ant",
}
"""Main classes of tools whose launcher turns into Java."""


def may_interest(name: str, watched: Sequence[str]) -> bool:
    """Tell from a program's name alone whether its command line is worth reading.

    Args:
        name: as the system has it, cut to 15 characters.
        watched: what counts.
    """
    short = _tool(name)
    return _is_interpreter(short) or any(
        each.partition(" ")[0][:15] == short for each in watched
    )


def called(words: Sequence[str], watched: Sequence[str]) -> str:
    """Return what to call a build, as one would type it; ``''`` for what is none.

    Args:
        words: the command line. A program that gave itself a title has a single one.
        watched: what counts.
    """
    titled = len(words) == 1
    rest = _unwrapped(words[0].split(" ") if titled else list(words))
    if not rest:
        return ""
    for each in watched:
        tool, _, what = each.partition(" ")
        if rest[0] == tool and (not what or what in rest[1:]):
            return _cut(" ".join(rest) if titled else shlex.join(rest))
    return ""


def _unwrapped(words: list[str]) -> list[str]:
    """Take the interpreter off, and folders and endings of what it runs."""
    if not words or not _is_interpreter(_tool(words[0])):
        return [_tool(word) for word in words[:1]] + words[1:]
    for at, word in enumerate(words[1:], 1):
        if word in _JAVA:
            return [_JAVA[word], *words[at + 1 :]]
        if word == "-m" and at + 1 < len(words):
            return [words[at + 1], *words[at + 2 :]]
        if word in ("-c", "-e"):
            break
        if not word.startswith("-") and ("/" in word or _tool(words[0]) != "java"):
            return [_tool(word), *words[at + 1 :]]
    return []


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _tool(word: str) -> str:
    name = word.rpartition("/")[2].removeprefix("-")
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name


def _is_interpreter(name: str) -> bool:
    return name.rstrip("0123456789.") in _INTERPRETERS
