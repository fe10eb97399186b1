"""Writes tests/golden/data/chat_templates.jsonl: what transformers renders from chat templates.

Made with jinja2 3.1.6 in the configuration of transformers 5.18. The templates are the lines of
chat_templates_cases.txt and the files of tests/golden/data/chat_templates.

Usage: chat_templates.py [tests/golden/data]"""

import datetime
import json
import pathlib
import sys

import jinja2
import transformers
from transformers.utils import chat_template_utils as hf

from chat_templates_inputs import CONVERSATIONS, VARIABLES

HERE = pathlib.Path(__file__).parent
NOW = 1_790_000_000


class FixedTime(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc).replace(tzinfo=None)


hf.datetime = FixedTime


def byte_spans(text, spans):
    """Spans in bytes; empty ones are dropped and neighbours joined, as Hone reports them."""
    result = []
    for begin, end in sorted(spans):
        begin, end = (len(text[:i].encode()) for i in (begin, end))
        if begin == end:
            continue
        if result and result[-1][1] == begin:
            result[-1][1] = end
        else:
            result.append([begin, end])
    return result


def render(source, messages, tools, add_generation_prompt, variables):
    try:
        text, spans = hf._render_with_assistant_indices(
            hf._cached_compile_jinja_template(source),
            messages,
            tools,
            None,
            add_generation_prompt,
            **variables,
        )
        return {"text": text, "assistant": byte_spans(text, spans)}
    except Exception:
        return {"error": True}


def main():
    data = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "../../tests/golden/data")
    lines = [
        {
            "jinja2": jinja2.__version__,
            "transformers": transformers.__version__,
            "now": NOW,
            "variables": VARIABLES,
            "conversations": CONVERSATIONS,
        }
    ]
    default = CONVERSATIONS["plain"]
    for source in (HERE / "chat_templates_cases.txt").read_text().split("\n"):
        if not source or source.startswith("# "):
            continue
        source = source.replace("¶", "\n")
        result = render(source, default["messages"], default["tools"], True, VARIABLES)
        lines.append({"source": source, **result})
    tokens = {key: VARIABLES[key] for key in ("bos_token", "eos_token")}
    for path in sorted((data / "chat_templates").glob("*.jinja")):
        source = path.read_text()
        for name, chat in CONVERSATIONS.items():
            for prompt in (False, True):
                result = render(source, chat["messages"], chat["tools"], prompt, tokens)
                lines.append({"file": path.name, "chat": name, "prompt": prompt, **result})
    with open(data / "chat_templates.jsonl", "w") as out:
        for line in lines:
            print(json.dumps(line, ensure_ascii=False), file=out)
    errors = sum("error" in line for line in lines)
    print(f"{len(lines)} lines, {errors} errors")


if __name__ == "__main__":
    main()
