"""Builds documents. The methods of Model come from the schema of documents, so that they know every element."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

import mbsd
from _mbsd import library

SCHEMA = library.schema()["$defs"]

# ---- expressions ----------------------------------------------------------------------------------------------------


def _operand(value: Any) -> str:
    """Returns the text of an operand, in parentheses if it is not a name or a number."""
    text = value if isinstance(value, str) else repr(value.item() if hasattr(value, "item") else value)
    return text if re.fullmatch(r"[\w.]+(\[\d+\])?|\w+\([^()]*\)|[\d.]+e[-+]\d+", text) else f"({text})"


def _binary(symbol: str) -> Any:
    return lambda self, other: Expression(f"{_operand(self)}{symbol}{_operand(other)}")


def _reflected(symbol: str) -> Any:
    return lambda self, other: Expression(f"{_operand(other)}{symbol}{_operand(self)}")


def _condition(symbol: str) -> Any:
    return lambda self, other: Condition(f"{_operand(self)} {symbol} {_operand(other)}")


class Expression(str):
    """The text of an expression of a document. Operators make longer expressions of it, and comparisons conditions."""

    __array_ufunc__ = None  # NumPy's numbers leave operators to this class
    __add__, __radd__ = _binary(" + "), _reflected(" + ")
    __sub__, __rsub__ = _binary(" - "), _reflected(" - ")
    __mul__, __rmul__ = _binary("*"), _reflected("*")
    __truediv__, __rtruediv__ = _binary("/"), _reflected("/")
    __pow__, __rpow__ = _binary("^"), _reflected("^")
    __lt__, __le__, __gt__, __ge__ = _condition("<"), _condition("<="), _condition(">"), _condition(">=")

    def __neg__(self) -> Expression:
        return Expression(f"-{_operand(self)}")

    def __call__(self, *arguments: Any) -> Expression:
        """Calls a named function of the document."""
        return Expression(f"{self}({', '.join(str(argument) for argument in arguments)})")


class Condition(Expression):
    """A comparison, for instance of an event: ball.y < 0. Conditions are combined with & and |."""

    __and__, __or__ = _condition("&&"), _condition("||")

    def __bool__(self) -> bool:
        raise TypeError(f"'{self}' is known only during a run; in a document write if(condition, a, b)")


class Element(Expression):
    """The name of an element. Its attributes are the quantities of the element in expressions: bob.y is "bob.y"."""

    def __getattr__(self, name: str) -> Element:
        if name.startswith("_"):
            raise AttributeError(name)
        return Element(f"{self}.{name}")


class Body(Element):
    """The name of a body, or the ground. body["B"] is one of its points or vectors."""

    _model: Model
    _fields: Dict[str, Any]

    def __new__(cls, name: str, model: Model, fields: Dict[str, Any]) -> Body:
        self = super().__new__(cls, name)
        self._model, self._fields = model, fields
        return self

    def __getitem__(self, name: Any) -> Element:
        names = [*self._fields.get("points", {}), *self._fields.get("vectors", {})]
        if name not in names:
            raise KeyError(mbsd._unknown(f"point or vector on {self}", str(name), names))
        return Element(f"{self}.{name}")

    def point(self, name: str, at: Any) -> Element:
        """Adds a point, at coordinates in the body's axes, from its mass centre [m]. Returns its name "body.point"."""
        return self._add("points", name, at)

    def vector(self, name: str, direction: Any) -> Element:
        """Adds a direction in the body's axes. Returns its name "body.vector"."""
        return self._add("vectors", name, direction)

    def shape(self, type: str, **fields: Any) -> None:
        """Adds a shape, for drawings and contacts."""
        shapes = self._fields.setdefault("shapes", [])
        shapes.append({"type": type, **fields})
        self._model._check(self._fields, ("shapes", len(shapes) - 1), shapes.pop)

    def _add(self, key: str, name: str, value: Any) -> Element:
        entries = self._fields.setdefault(key, {})
        entries[name] = value
        self._model._check(self._fields, (key, name), lambda: entries.pop(name))
        return Element(f"{self}.{name}")


# ---- models ---------------------------------------------------------------------------------------------------------


class Model:
    """A model document that a program builds.

        m = mbsd.Model("pendulum", gravity=[0, -9.81])
        L = m.parameter("L", 1.0)
        bob = m.body("bob", mass=2, inertia=0.2, points={"B": [0, L/2]})
        m.joint("revolute", "pin", [m.ground.point("O", [0, 0]), bob["B"]])
        mbsd.run(m, analysis={"t_end": 1, "dt": 0.01})

    Positional arguments are the fields of the element in the order of the reference. Each method returns the name of
    its element, for use in fields and expressions. It raises InvalidModel if the element has a mistake, and then does
    not add it. An element must be added before another one names it. With check=False mistakes are found by run(), all
    together, and large models are built faster. space is "spatial" if gravity has three numbers, else "planar".
    """

    def __init__(self, name: str = "", *, space: Optional[str] = None, check: bool = True, **fields: Any) -> None:
        if space is None:
            space = "spatial" if len(fields.get("gravity", ())) == 3 else "planar"
        self._document: Dict[str, Any] = {**({"name": name} if name else {}), "space": space, **fields}
        self._checked = check
        self._check(self._document, (), lambda: None)

    @classmethod
    def from_document(cls, document: mbsd.Source) -> Model:
        """Returns a model that begins as a copy of a document: a path, a text or a dict."""
        found = json.loads(mbsd._text_of(document))
        inner = found.get("model", found)
        model = cls(check=False)
        model._document = {**inner, **({"analysis": found["analysis"]} if "analysis" in found else {})}
        model._checked = True
        return model

    def __repr__(self) -> str:
        return f"<mbsd.Model {self._document.get('name', '')!r}>"

    @property
    def document(self) -> Dict[str, Any]:
        """A copy of the document, a dict of plain values."""
        plain: Dict[str, Any] = json.loads(mbsd._json_of(self._document))
        return plain

    @property
    def ground(self) -> Body:
        """The ground: m.ground.point("O", [0, 0])."""
        return Body("ground", self, self._document.setdefault("ground", {}))

    def __getitem__(self, name: str) -> Element:
        """Returns the name of an existing element, of a parameter or of the ground."""
        names: Dict[str, Element] = {"ground": self.ground}
        for key, value in self._document.items():
            if key in _MAPS:
                names |= {entry: Element(entry) for entry in value}
            elif key in _LISTS:
                names |= {fields["name"]: Body(fields["name"], self, fields) if key == "bodies" else
                          Element(fields["name"]) for fields in value if "name" in fields}
        if name not in names:
            raise KeyError(mbsd._unknown("element", name, names))
        return names[name]

    def _pointer_of(self, owner: Dict[str, Any]) -> str:
        """Returns the pointer of an object that is the document, its ground or an item of one of its lists."""
        if owner is self._document:
            return ""
        if owner is self._document.get("ground"):
            return "/ground"
        return next(f"/{key}/{i}" for key in _LISTS for i, item in enumerate(self._document.get(key, []))
                    if item is owner)

    def _check(self, owner: Dict[str, Any], added: tuple[Any, ...], remove: Callable[[], Any]) -> None:
        """Raises the mistakes of what was added to an object, and removes it then."""
        if not self._checked:
            return
        try:
            answer = library.check(mbsd._json_of(self._document))
        except (TypeError, ValueError):  # a value that JSON does not have
            remove()
            raise
        place = self._pointer_of(owner) + "".join(f"/{_escaped(str(part))}" for part in added)
        places = [place] if added else [f"/{key}" for key in self._document]
        errors = [error for error in (answer.error() or {}).get("errors", [])
                  if any(f"{error['pointer']}/".startswith(f"{own}/") for own in places)]
        if errors:
            remove()
            raise mbsd.InvalidModel(None, {"title": "Invalid element", "errors": errors})

    def _add_element(self, key: str, fields: Dict[str, Any]) -> Element:
        items: List[Dict[str, Any]] = self._document.setdefault(key, [])
        items.append(fields)
        self._check(self._document, (key, len(items) - 1), items.pop)
        name = str(fields.get("name", ""))
        return Body(name, self, fields) if key == "bodies" else Element(name)

    def _add_entry(self, key: str, name: str, value: Any) -> Element:
        entries: Dict[str, Any] = self._document.setdefault(key, {})
        missing = name not in entries
        before = entries.get(name)
        entries[name] = value
        self._check(self._document, (key, name),
                    lambda: entries.pop(name) if missing else entries.update({name: before}))
        return Element(name)

    def _set_object(self, key: str, fields: Dict[str, Any]) -> None:
        before = self._document.get(key)
        self._document[key] = fields
        self._check(self._document, (key,),
                    lambda: self._document.pop(key) if before is None else self._document.update({key: before}))


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")


# ---- the methods of the schema --------------------------------------------------------------------------------------


def _definition(schema: Mapping[str, Any]) -> str:
    """Returns the name of the definition that a schema refers to, or ""."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _singular(name: str) -> str:
    return re.sub(r"s$", "", re.sub(r"ies$", "y", name))


def _classes_of(definition: str) -> Iterator[tuple[str, Dict[str, Any]]]:
    """Returns the type and the definition of each class of a family; "" and the definition of a single class."""
    family = SCHEMA[definition]
    if "allOf" not in family:
        yield "", family
    for case in family.get("allOf", []):
        yield case["if"]["properties"]["type"]["const"], SCHEMA[_definition(case["then"])]


def _text_of_class(type: str, cls: Mapping[str, Any]) -> str:
    """Returns a paragraph about a class, with its fields."""
    lines = [f"{type}: {cls.get('description', '')}" if type else cls.get("description", "")]
    for name, field in cls["properties"].items():
        if name not in ("type", "description"):
            needed = " (required)" if name in cls.get("required", []) else ""
            lines.append(f"    {name}{needed}: {field.get('description', '')}")
    return "\n".join(textwrap.fill(line, 100, subsequent_indent="        ") for line in lines)


def _fill(names: List[str], method: str, arguments: tuple[Any, ...], fields: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the fields of a call: positional arguments in the order of the reference, then named ones."""
    if len(arguments) > len(names):
        raise TypeError(f"{method}() takes at most {len(names)} positional arguments: {', '.join(names)}")
    filled = dict(zip(names, arguments))
    for name in filled:
        if name in fields:
            raise TypeError(f"{method}() got multiple values for argument '{name}'")
    return {**filled, **fields}


def _element_method(key: str, definition: str) -> Callable[..., Element]:
    """Returns the method that adds an element to the list `key`."""
    classes = dict(_classes_of(definition))
    typed = "type" in SCHEMA[definition].get("required", [])
    default = next(iter(classes))

    def method(self: Model, *arguments: Any, **fields: Any) -> Element:
        type = fields.get("type", arguments[0] if typed and arguments else default)
        if type not in classes:
            raise ValueError(mbsd._unknown(_singular(key), str(type), classes))
        names = [name for name in classes[type]["properties"] if name not in ("type", "description")]
        names = ["type"] + names if typed else names
        return self._add_element(key, _fill(names, _singular(key), arguments, fields))

    head = SCHEMA["model"]["properties"][key]["description"]
    method.__doc__ = "\n\n".join([f"Adds to the list of {head}.", *(_text_of_class(*item) for item in classes.items())])
    named = ["type"] * typed + ["name"]
    rest = [] if len(classes) > 1 else [name for name in classes[default]["properties"] if name not in
                                        ("name", "description")]
    _sign(method, named, rest)
    return method


def _entry_method(key: str) -> Callable[..., Element]:
    """Returns the method that adds an entry to the map `key`."""
    field = SCHEMA["model"]["properties"][key]
    of = _definition(field["additionalProperties"])

    def method(self: Model, name: str, value: Any) -> Element:
        return self._add_entry(key, name, value)

    about = _text_of_class("", SCHEMA[of]) if of else field["additionalProperties"].get("description", "")
    method.__doc__ = f"Adds to the {field['description']}.\n\n{about}"
    return method


def _object_method(key: str, definition: str) -> Callable[..., None]:
    """Returns the method that sets the object `key`."""
    def method(self: Model, **fields: Any) -> None:
        self._set_object(key, fields)

    method.__doc__ = f"Sets the {key} of the model.\n\n{_text_of_class('', SCHEMA[definition])}"
    _sign(method, [], list(SCHEMA[definition]["properties"]))
    return method


def _sign(method: Callable[..., Any], positional: List[str], rest: List[str]) -> None:
    """Gives a method the signature that help() and editors show."""
    kind = inspect.Parameter
    parameters = [kind("self", kind.POSITIONAL_ONLY), *(kind(name, kind.POSITIONAL_OR_KEYWORD) for name in positional),
                  *(kind(name, kind.KEYWORD_ONLY, default=None) for name in rest if name.isidentifier()),
                  kind("fields", kind.VAR_KEYWORD)]
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]


_LISTS: List[str] = []
_MAPS: List[str] = []


def _add_methods() -> None:
    for key, field in SCHEMA["model"]["properties"].items():
        method: Optional[Callable[..., Any]] = None
        if _definition(field.get("items", {})):
            method = _element_method(key, _definition(field["items"]))
            _LISTS.append(key)
        elif "additionalProperties" in field:
            method = _entry_method(key)
            _MAPS.append(key)
        elif _definition(field):
            method = _object_method(key, _definition(field))
        name = _singular(key) if key in _LISTS + _MAPS else key
        if method and not hasattr(Model, name):
            method.__name__, method.__qualname__ = name, f"Model.{name}"
            setattr(Model, name, method)


_add_methods()
