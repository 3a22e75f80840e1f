"""The program of the hot commands; runs as ``python -I -S …/attendd/hot/main.py COMMAND …``.

Python compiles this file anew at each start, and looks for our packages in every folder on its
path; both take longer than all that a quiet hook does. So the packages, whose own files are
empty, are named here, their modules are found by `attendd.hot.finder`, and the rest is in
`attendd.hot.commands`, whose compiled form is kept.
"""

if __name__ == "__main__":
    import sys

    hot = __file__.rpartition("/")[0]
    above = hot.rpartition("/")[0]
    sys.path.append(above.rpartition("/")[0] or "/")
    for name, folder in (("attendd", above), ("attendd.hot", hot)):
        package = sys.modules[name] = type(sys)(name)
        package.__path__ = [folder]
    sys.modules["attendd"].hot = package  # type: ignore[attr-defined]
    from attendd.hot import finder

    finder.install()
    finder.load("commands")
    from attendd.hot import commands

    commands.start(sys.argv[1:])
