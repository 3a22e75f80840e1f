"""Says in words what a key holds: for the documents, and for whoever wrote something else."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import inspect as shapes

_WORDS: dict[type[shapes.Type], str] = {
    shapes.BoolType: "true or false",
    shapes.IntType: "whole number",
    shapes.FloatType: "number",
    shapes.StrType: "text",
}
_COUNTED = ("whole", "number", "list", "table")


def expected(struct: type[msgspec.Struct], key: Sequence[str]) -> str:
    """Say what a struct takes for a key, with its article; empty where it has no such key."""
    shape: shapes.Type = shapes.type_info(struct)
    for part in key:
        fields = shape.fields if isinstance(shape, shapes.StructType) else ()
        found = next((field.type for field in fields if field.name == part), None)
        if found is None:
            return ""
        shape = found
    words = said(shape)
    return f"a {words}" if words.startswith(_COUNTED) else words


def said(shape: shapes.Type) -> str:
    """Say in words what a type holds."""
    while isinstance(shape, shapes.Metadata):
        shape = shape.type
    if isinstance(shape, shapes.UnionType):
        return " or ".join(said(inner) for inner in shape.types)
    if isinstance(shape, shapes.ListType | shapes.VarTupleType | shapes.SetType):
        return f"list of {said(shape.item_type)}"
    if isinstance(shape, shapes.LiteralType):
        return " or ".join(_literal(value) for value in shape.values)
    if isinstance(shape, shapes.EnumType):
        return " or ".join(_literal(member.value) for member in shape.cls)
    return " ".join([_WORDS.get(type(shape), "table"), *_bounds(shape)])


def _bounds(shape: shapes.Type) -> Iterator[str]:
    for attribute, words in (("gt", "above"), ("ge", "from"), ("lt", "below"), ("le", "to")):
        bound = getattr(shape, attribute, None)
        if bound is not None:
            yield f"{words} {bound:g}"


def _literal(value: object) -> str:
    return msgspec.json.encode(value).decode()
