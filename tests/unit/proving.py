"""Ways in which a message may stand in a transcript: those that prove it, and all others."""

import html
import json
from collections.abc import Callable
from typing import Any

from tests.transcripts import Written

ID = "k3f9q2xm"
LINE = f"[attend sensor=peers priority=high] message from Juno <web> & co #{ID}: hello: there"
LINES = f"{LINE}\n| and more"
Write = Callable[[Written, str], str]


def notification(text: str, task: str = "b1") -> str:
    body = html.escape(text, quote=False)
    return (
        f"<task-notification>\n<task-id>{task}</task-id>\n<summary>Monitor event: "
        f'"attend"</summary>\n<event>{body}</event>\n</task-notification>'
    )


def enqueue(to: Written, content: str, **fields: Any) -> None:
    row = {"type": "queue-operation", "operation": "enqueue", "content": content, **fields}
    to.rows.append(json.dumps({"timestamp": "2027-01-15T08:00:00Z", **row}).encode())


def event_turn(to: Written, text: str) -> str:
    """An event that became a turn of its own."""
    origin = {"kind": "task-notification", "producer": "session-task"}
    return to.prompt(notification(text), origin=origin, promptSource="system")


def event_attached(to: Written, text: str) -> str:
    """An event that came while a tool ran."""
    attached = {
        "type": "queued_command",
        "prompt": notification(text),
        "commandMode": "task-notification",
        "origin": {"kind": "task-notification"},
    }
    return to.row("attachment", attachment=attached)


def hook_context(to: Written, text: str, name: str = "UserPromptSubmit") -> str:
    attached = {"type": "hook_additional_context", "content": [text], "hookEvent": name}
    return to.row("attachment", attachment=attached)


def stop_context(to: Written, text: str) -> str:
    return hook_context(to, text, "Stop")


def stop_feedback(to: Written, text: str) -> str:
    said = {"role": "user", "content": f"Stop hook feedback:\n{text}"}
    return to.row("user", message=said, isMeta=True)


def stop_error(to: Written, text: str) -> str:
    error = {"blockingError": text, "command": "attend hook"}
    return to.row(
        "attachment", attachment={"type": "hook_blocking_error", "blockingError": error}
    )


PROOFS: list[Write] = [
    event_turn, event_attached, hook_context, stop_context, stop_feedback, stop_error,
]  # fmt: skip


def typed(to: Written, text: str) -> str:
    return to.prompt(text)


def typed_with_a_tag(to: Written, text: str) -> str:
    return to.prompt(notification(text))


def typed_ahead(to: Written, text: str) -> str:
    origin = {"kind": "human"}
    attached = {
        "type": "queued_command",
        "prompt": text,
        "commandMode": "prompt",
        "origin": origin,
    }
    return to.row("attachment", attachment=attached)


def tool_input(to: Written, text: str) -> str:
    block = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": text}}
    return to.row("assistant", message={"id": "m", "model": "x", "content": [block]})


def tool_result(to: Written, text: str) -> str:
    block = {"type": "tool_result", "tool_use_id": "t", "content": text}
    return to.row("user", message={"role": "user", "content": [block]})


def answer_text(to: Written, text: str) -> str:
    block = {"type": "text", "text": text}
    return to.row("assistant", message={"id": "m", "model": "x", "content": [block]})


def summary(to: Written, text: str) -> str:
    said = {"role": "user", "content": text}
    return to.row("user", message=said, isCompactSummary=True)


def hook_output(to: Written, text: str) -> str:
    """A hook's whole standard output, beside what of it came in."""
    attached = {"type": "hook_success", "hookEvent": "Stop", "content": "", "stdout": text}
    return to.row("attachment", attachment=attached)


def hook_notice(to: Written, text: str) -> str:
    """What was shown to the person alone."""
    return to.row("attachment", attachment={"type": "hook_system_message", "content": text})


def side_chain(to: Written, text: str) -> str:
    origin = {"kind": "task-notification"}
    return to.prompt(notification(text), origin=origin, isSidechain=True)


def quoted(to: Written, text: str) -> str:
    return hook_context(to, f"it said: {text}")


def other_sensor(to: Written, text: str) -> str:
    return event_turn(to, text.replace("sensor=peers", "sensor=git"))


def pointer(to: Written, text: str) -> str:
    return event_turn(to, f"[attend sensor=peers priority=high] #{ID} was perhaps not shown")


NO_PROOFS: list[Write] = [
    typed, typed_with_a_tag, typed_ahead, tool_input, tool_result, answer_text, summary,
    hook_output, hook_notice, side_chain, quoted, other_sensor, pointer,
]  # fmt: skip
