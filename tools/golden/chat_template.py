"""Golden renderings by jinja2 3.1.6 as transformers 5.18.0 configures it.

usage: chat_template.py OUT.json. A case is a template with messages; `text` is what it renders to,
`spans` the {% generation %} parts as character offsets; `error` marks templates that must fail.
"""

import json
import sys

import jinja2
from transformers.utils import chat_template_utils

MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "  Hé llo <b>'\"&\\ \n world  "},
    {"role": "assistant", "content": "<think>hm</think>\n\nYes: 4 😀"},
    {"role": "user", "content": "again?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"function": {"name": "add", "arguments": {"a": 1, "b": [1.5, True, None]}}}
        ],
    },
    {"role": "tool", "content": '{"sum": 3}'},
    {"role": "assistant", "content": "3"},
]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Adds “two” numbers",
            "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
        },
    }
]

EXPRESSIONS = """
1 + 2 * 3 - 4 // 3 | 7 % 3 | -7 // 2 | -7 % 3 | 2 ** 10 | 2 ** -1 | 7 / 2 | 1e3 | 10.0 / 4
0.1 + 0.2 | 'a' ~ 1 ~ none ~ true | 'ab' * 3 | [1, 2] + [3] | [0] * 3 | 'a' 'b' | "x" 'y'
(1, 2) | (1,) | [] | {'a': 1, 'b': [1, 'x', none, true, 1.5]} | {} | 'it\\'s' | "tab\\tq"
'é\\u00e9\\n' | not true and false or true | 1 < 2 < 3 | 1 < 2 > 5 | 'b' in 'abc'
'k' in {'k': 1} | 3 not in [1, 2] | 1 == 1.0 | '1' == 1 | none == false | [1, 2] == [1, 2]
true == 1 | 'a' < 'b' | 'a' != 'b' | 'abc'[0] | 'abc'[-1] | 'abcdef'[1:4] | 'abcdef'[::2]
'abcdef'[::-1] | [1, 2, 3, 4][1:-1] | 'héé'[1:] | [1, 2, 3][5] is defined
{'a': 1}.b is defined | {'a': 1}['a'] | missing is defined | missing | 'x' if true else 'y'
'x' if false | ('x' if 0 else 'y') ~ 'z' | 1 if missing is defined else 2 | ' a b '|trim
'xxaxx'|trim('x') | 'abc'|upper | 'ABC'|lower | 'hello world'|title | 'hELLO'|capitalize
[1, 2, 3]|join(', ') | ['a', 'b']|join | [{'n': 1}, {'n': 2}]|map(attribute='n')|list
[1, 2]|first | [3, 1, 2]|sort | ['b', 'A', 'c']|sort | [1, 2, 2, 1]|unique|list | [1, 5, 3]|max
[4, 2]|min | [1, 2]|sum | [1, 2]|last | ''|default('d', true) | missing|default('d')
none|default('d') | 'abc'|length | {'a': 1}|length | {'b': 2, 'a': 1}|dictsort
{'b': 2}|items|list | [0, 1, '', 'x']|select|list | [0, 1, 2]|reject('odd')|list
[{'r': 'u'}, {'r': 'a'}]|selectattr('r', 'equalto', 'a')|list
[{'r': 1}, {}]|selectattr('r', 'defined')|list | [{'r': 1}, {'r': 0}]|rejectattr('r')|list
'5'|int + 1 | 'x'|int | '3.7'|float | 3.7|int | 'x'|float | 5|string + 'a' | 'a-b-c'.split('-')
'a b  c'.split() | 'a-b-c'.split('-', 1) | 'a-b-c'.rsplit('-', 1) | ' x '.strip() ~ '|'
'xxay'.lstrip('x') | 'ayy'.rstrip('y') | 'abc'.startswith('ab') | 'abc'.endswith('c')
'abc'.startswith(('x', 'a')) | 'aXbX'.replace('X', '-') | 'aXbX'.replace('X', '-', 1)
'abc'.upper() | 'abc'.find('c') | 'abcabc'.count('b') | 'Hello {} {}'.format(1, 'x')
'{0}{1}{0}'.format('a', 'b') | '%s-%d'|format('a', 5) | '12'.isdigit() | 'a1'.isalpha()
'l1\\nl2'.splitlines() | '-'.join(['a', 'b']) | 'ab'.title() | 'x'.center(5) | {'a': 1}.get('a')
{'a': 1}.get('b', 7) | {'a': 1}.keys()|list | {'a': 1}.values()|list | {'a': 1}.items()|list
range(4)|list | range(1, 7, 2)|list | range(3, 0, -1)|list | namespace(a=1).a | dict(a=1)
[1, 2, 3]|tojson | {'a': [1, 2.0, none, true, 'é"\\n</b>']}|tojson
{'a': {'b': [1, 2]}}|tojson(indent=2) | []|tojson(indent=2) | 'é'|tojson
'é'|tojson(ensure_ascii=true) | 1 is number | 'a' is string | [] is iterable | {} is mapping
none is none | 1.5 is float | 1 is integer | true is boolean | true is true | 0 is false
[] is sequence | 4 is even | 4 is divisibleby 2 | 4 is divisibleby(3) | 'a' is in ['a']
not missing is defined | 'abc'|reverse | [1, 2]|reverse|list | 'a b c'|wordcount | -3|abs
3.14159|round(2) | 2.5|round | 7|round | 'a\\nb'|indent(2) | 'a\\nb'|indent(2, true)
'abc'|replace('b', 'x') | [[1, 2], [3]]|sum(start=[]) | '<&>'|escape
[1, 2, 3, 4, 5]|batch(2)|list | 'abc'|list | {'a': 1, 'b': 2}|list | ('a', 'b')[1]
messages|length | messages[0].role | messages[0]['content'] | messages[-1].content
messages[1].content|trim | messages[4].content is none
messages[4].tool_calls[0].function.arguments|tojson
messages[2].content.split('</think>')[-1].lstrip('\\n') | tools[0]|tojson
tools[0].function.name | (messages|selectattr('role', 'equalto', 'user')|list)|length
"""

STATEMENTS = [
    "{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}"
    "{{ loop.last }}|{% endfor %}",
    "{% for x in [1,2,3] %}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.revindex }};{% endfor %}",
    "{% for x in [] %}a{% else %}empty{% endfor %}",
    "{% for x in [1,2,3,4] if x % 2 == 0 %}{{ x }}{{ loop.length }}{% endfor %}",
    "{% for a, b in [(1, 2), (3, 4)] %}{{ a + b }},{% endfor %}",
    "{% for x in range(5) %}{% if x == 1 %}{% continue %}{% endif %}"
    "{% if x == 3 %}{% break %}{% endif %}{{ x }}{% endfor %}",
    "{% set x = 1 %}{% for i in [1,2] %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}",
    "{% set ns = namespace(x=1) %}{% for i in [1,2] %}{% set ns.x = ns.x + i %}{% endfor %}"
    "{{ ns.x }}",
    "{% if 0 %}a{% elif '' %}b{% else %}c{% endif %}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set t %}in {{ 1 + 1 }}{% endset %}[{{ t }}]",
    "{% set t | upper %}abc{% endset %}{{ t }}",
    "{% macro f(a, b=2) %}<{{ a }}{{ b }}>{% endmacro %}{{ f(1) }}{{ f(1, 3) }}{{ f(a=5) }}",
    "{% macro r(n) %}{{ n }}{% if n > 0 %}{{ r(n - 1) }}{% endif %}{% endmacro %}{{ r(3) }}",
    "{% macro w() %}[{{ caller() }}]{% endmacro %}{% call w() %}in{% endcall %}",
    "{% filter upper %}abc {{ 'd' }}{% endfilter %}",
    "a\n  {% if true %}\n  b\n  {% endif %}\nc\n",
    "  {%- if true -%}  x  {%- endif -%}  y",
    "x  {%+ if true %}y{% endif %}",
    "{% if true +%}\nx{% endif %}",
    "a {# c #} b\n{# d #}\ne",
    "{{- ' x ' -}}  y",
    "{% raw %}{{ x }}{% endraw %}z",
    "line\r\nnext",
    "trailing\n\n",
    "{{ '{{' }}{{ '%}' }}",
    "{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% for c in 'aé' %}[{{ c }}]{% endfor %}",
    "{% set m = messages[1:] %}{{ m|length }}{{ m[::-1][0].role }}",
    "{% set loop_messages = messages %}{% for m in loop_messages %}"
    "{% if m.role == 'user' and not loop.last %}u{% endif %}{% endfor %}",
    "{{ raise_exception('no') }}",
    "{% for %}",
    "{{ missing.attribute }}",
    "{{ 1 / 0 }}",
    "{{ 'a' + 1 }}",
    "{{ x|nope }}",
    "{% if true %}",
]

CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' }}"
    "{% if m.role == 'assistant' %}{% generation %}{{ (m['content'] or '') + '<|im_end|>' }}"
    "{% endgeneration %}{{ '\\n' }}{% else %}{{ m['content'] + '<|im_end|>\\n' }}{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
LLAMA3 = """{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is not none %}
    {{- "Tools:\\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'tool' or message.role == 'ipython' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'
            + message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '{"name": "' + tool_call.name + '", "parameters": ' }}
        {{- tool_call.arguments | tojson }}
        {{- "}" }}
    {%- else %}
        {{- message.content | tojson }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""
THINKING = """{%- set ns = namespace(last_user=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if message.role == "user" and ns.last_user == messages|length - 1 %}
        {%- set ns.last_user = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if message.role == "assistant" and '</think>' in content and loop.index0 < ns.last_user %}
        {{- content.split('</think>')[-1].lstrip('\\n') }}
    {%- else %}
        {{- message.role ~ ': ' ~ content }}
    {%- endif %}
    {{- '\\n' }}
{%- endfor %}
"""


def render(template, **more):
    try:
        compiled = chat_template_utils._compile_jinja_template(template)
        text, spans = chat_template_utils._render_with_assistant_indices(
            compiled,
            messages=MESSAGES,
            tools=TOOLS,
            documents=None,
            add_generation_prompt=True,
            bos_token="<s>",
            **more,
        )
        return dict(template=template, text=text, spans=spans)
    except (jinja2.TemplateError, TypeError, ZeroDivisionError):
        return dict(template=template, error=True)


def main():
    expressions = [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in split(line)]
    templates = ["{{ " + e + " }}" for e in expressions] + STATEMENTS + [CHATML, LLAMA3, THINKING]
    cases = [render(template) for template in templates]
    with open(sys.argv[1], "w") as out:
        json.dump(
            {
                "versions": {"transformers": "5.18.0", "jinja2": "3.1.6"},
                "messages": MESSAGES,
                "tools": TOOLS,
                "cases": cases,
            },
            out,
            indent=0,
        )


def split(line):
    """Cases stand between " | "; filters are written without blanks."""
    return line.split(" | ")


main()
