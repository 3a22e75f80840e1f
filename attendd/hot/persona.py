"""Display names: what sessions are called where people and agents read of them. Never a key."""

from attendd.hot import places

_POOL = (
    "Abel Ada Aiko Alba Amir Anouk Arlo Asa Astrid Aya Basil Bea Birk Bo Bram Bruna Cai Cleo "
    "Cosima Cyra Dag Dalia Dara Demir Dov Edda Eino Elio Ember Enzo Esme Ezra Fay Femi Finn "
    "Flora Freya Gael Gilda Goran Greta Hale Hanna Hiro Hugo Ida Ilse Imani Ines Ingo Ivo Jara "
    "Jonas Jorun Juno Kaia Kenji Kiro Kofi Lark Leif Lena Linus Lior Luca Lumi Mads Maeve Maja "
    "Malik Mara Milo Mina Moss Nadia Naoki Nell Nico Nils Noor Nova Odin Olga Omar Orla Oscar "
    "Otis Pablo Paloma Pax Petra Pia Quill Rafa Rana Remy Rhea Rio Rosa Rune Sage Sami Sanna "
    "Selma Silas Sina Sol Soren Stella Suri Taiga Tariq Tess Theo Tilda Timo Tova Ugo Ulla Uma "
    "Vega Vera Viggo Wanda Wren Xenia Yara Yuki Zaid Zelda Zora"
)
NAMES = _POOL.split()
_LONGEST_PLACE = 32


def name(origin: str, instance: int) -> str:
    """Name a session after where it began and its number among those that began there.

    Args:
        origin: the key of that project, as `identity.project_of` gives it.
        instance: 1 for the first; its name has no number.
    """
    first = NAMES[int(places.digest(origin), 16) % len(NAMES)]
    return first if instance <= 1 else f"{first}-{instance}"


def place(project: str) -> str:
    """Shorten the key of a project to what a line has room for, its folder's name.

    Only letters, digits and ``._-`` are left as they are, so that it ends no part of a line.
    """
    if project.startswith("bytes:"):
        project = bytes.fromhex(project.removeprefix("bytes:")).decode("utf-8", "replace")
    head, _, tail = project.rstrip("/").rpartition("/")
    if tail == ".git":
        tail = head.rpartition("/")[2]
    tail = tail.removesuffix(".git") or project
    plain = "".join(ch if ch.isalnum() or ch in "._-" else "-" for ch in tail)
    return plain[:_LONGEST_PLACE]
