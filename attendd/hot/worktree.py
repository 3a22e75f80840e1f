"""Which work tree a directory lies in, and which branch is checked out there."""

from attendd.hot import folders, identity

_HEADS = "ref: refs/heads/"
_SHORT = 7


def of(path: str) -> tuple[str, str]:
    """Return the top of the work tree that a directory lies in, and its branch.

    Args:
        path: absolute. What of it no longer exists is resolved as far as it goes.

    Returns:
        Of a detached head the beginning of its commit, as ``(1a2b3c4)``. Outside a repository
        the directory itself and ``''``.
    """
    here = folders.real(path)
    folder = here
    while True:
        found = identity.git_dir(folder)
        if found:
            return folder, _branch(found)
        if folder == "/":
            return here, ""
        folder = folder.rpartition("/")[0] or "/"


def _branch(git_dir: str) -> str:
    head = folders.read(f"{git_dir}/HEAD").partition("\n")[0]
    if head.startswith(_HEADS):
        return head.removeprefix(_HEADS)
    return f"({head[:_SHORT]})" if head.isalnum() else ""
