"""Writes tests/golden/data/tokenizer.json: small tokenizers of every kind and hashes of their ids.

The ids are those that Python tokenizers 0.23.3 gives for the corpus that corpus() and the C++
test both generate.

Usage: tokenizer.py OUT [real tokenizer.json whose hashes go in as well, without its vocabulary]"""

import json
import sys

import tokenizers as tk
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

RANGES = [
    (0x61, 0x7A),
    (0x41, 0x5A),
    (0x21, 0x7E),
    (0xA0, 0x17F),
    (0x300, 0x36F),
    (0x391, 0x3A1),
    (0x3B1, 0x3C9),
    (0x410, 0x44F),
    (0x5D0, 0x5EA),
    (0x621, 0x64A),
    (0x64B, 0x652),
    (0x905, 0x939),
    (0x93E, 0x94C),
    (0xE01, 0xE3A),
    (0x1E00, 0x1EFF),
    (0x2010, 0x2027),
    (0x2070, 0x2071),
    (0x2160, 0x2188),
    (0x2200, 0x22FF),
    (0x3041, 0x3096),
    (0x30A1, 0x30FA),
    (0x4E00, 0x4FFF),
    (0xAC00, 0xACFF),
    (0xFB00, 0xFB06),
    (0xFF01, 0xFF5E),
    (0x1F600, 0x1F64F),
    (0x1F3FB, 0x1F3FF),
    (0x1D400, 0x1D454),
    (0x20000, 0x200FF),
]
SNIPPETS = [
    "the",
    "Hello",
    "world",
    "token",
    "'s",
    "'S",
    "'\u017f",
    "'re",
    "'LL",
    "don't",
    "I'VE",
    "iPhone",
    "HTMLParser",
    "camelCase",
    "if (x == 1) {",
    "return a[i]->b;",
    "\n",
    "\r\n",
    "\n\n\n",
    "  ",
    "    ",
    "\t",
    " \n ",
    "\u00a0",
    "\u3000",
    "\u2028",
    "\u0085",
    "123",
    "4567890",
    "3.14",
    "\u0661\u0662\u0663",
    "\u00bd",
    "//",
    "/\n/",
    "...\n",
    "<|end|>",
    "<s>",
    " <mask> ",
    "[X]",
    "\u2581",
    "_",
    "\u200d",
    "\ufeff",
    "\u0130",
    "\u00df",
    "e\u0301",
    "\u1e9b\u0323",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\ufffd",
    "a\u0000b",
    "ing",
    "tion",
    " the",
    " of",
    ",",
    ".",
    "!?",
    "--",
    "<0x41>",
]
LINES, BLOCK = 10000, 100


def corpus():
    state = 1

    def draw(n):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % n

    for _ in range(LINES):
        line = ""
        for _ in range(1 + draw(12)):
            kind = draw(4)
            if kind == 0:
                low, high = RANGES[draw(len(RANGES))]
                for _ in range(1 + draw(6)):
                    line += chr(low + draw(high - low + 1))
            elif kind == 1:
                line += " "
            else:
                line += SNIPPETS[draw(len(SNIPPETS))]
        yield line


CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
TAIL = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
LEAD = r"[^\r\n\p{L}\p{N}]?"
PATTERNS = {
    "llama3": CONTRACTION + "|" + LEAD + r"\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*" + TAIL,
    "qwen2": CONTRACTION + "|" + LEAD + r"\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*" + TAIL,
    "qwen35": CONTRACTION
    + "|"
    + LEAD
    + r"[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
    + TAIL,
    "o200k": f"{LEAD}{UPPER}*{LOWER}+{CONTRACTION}?|{LEAD}{UPPER}+{LOWER}*{CONTRACTION}?"
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*"
    + TAIL,
    "other": r"\p{L}++|\p{N}{2}|\s+|[^\s\p{L}\p{N}]+",
}
DEEPSEEK = [
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
    r"""| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+""",
]
P, N, D, R = pre_tokenizers, normalizers, decoders, tk.Regex


def split(pattern):
    return P.Split(R(pattern), "isolated")


def bytes_only():
    return P.ByteLevel(add_prefix_space=False, use_regex=False)


def train(model, trainer, norm=None, pre=None, dec=None, post=None, lines=2000):
    t = tk.Tokenizer(model)
    t.normalizer, t.pre_tokenizer, t.decoder = norm, pre, dec
    t.train_from_iterator(list(corpus())[:lines], trainer)
    if post:
        t.post_processor = post
    t.add_tokens([tk.AddedToken("[X]", single_word=True), tk.AddedToken("Hello", normalized=True)])
    t.add_special_tokens(
        [
            tk.AddedToken("<|end|>", special=True),
            tk.AddedToken("<mask>", special=True, lstrip=True, rstrip=True),
        ]
    )
    return t


def bpe(norm=None, pre=None, dec=None, size=400, **options):
    special = ["<s>", "<unk>"] + (
        [f"<0x{b:02X}>" for b in range(256)] if options.get("byte_fallback") else []
    )
    alphabet = P.ByteLevel.alphabet() if isinstance(dec, D.ByteLevel) else []
    trainer_options = {
        k: options[k] for k in ("continuing_subword_prefix", "end_of_word_suffix") if k in options
    }
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=special,
        show_progress=False,
        initial_alphabet=alphabet,
        limit_alphabet=256,
        **trainer_options,
    )
    return train(models.BPE(**options), trainer, norm, pre, dec)


def charsmap():
    """A SentencePiece character map whose only entry turns "A" into "b"."""
    units = [0] * 256
    units[0] = 1 << 10
    units[1 ^ 0x41] = 2 << 10 | 1 << 8 | 0x41
    units[(1 ^ 0x41) ^ 2] = 1 << 31
    trie = b"".join(u.to_bytes(4, "little") for u in units)
    return len(trie).to_bytes(4, "little") + trie + b"b\0"


def byte_unigram():
    pieces = [("<unk>", 0.0), ("\u2581", -2.0), ("the", -3.0), ("\u2581the", -3.5), ("<", -9.0)]
    pieces += [(f"<0x{b:02X}>", -8.0) for b in range(256)]
    t = tk.Tokenizer(models.Unigram(pieces, 0, True))
    t.pre_tokenizer = P.Metaspace(prepend_scheme="never", split=False)
    t.decoder = D.Sequence([D.ByteFallback(), D.Metaspace(prepend_scheme="never")])
    return t


def small():
    out = {
        "gpt2": bpe(pre=P.ByteLevel(add_prefix_space=True), dec=D.ByteLevel()),
        "smol": bpe(
            pre=P.Sequence([P.Digits(True), P.ByteLevel(add_prefix_space=False)]),
            dec=D.ByteLevel(),
        ),
        "deepseek": bpe(
            pre=P.Sequence([split(p) for p in DEEPSEEK] + [bytes_only()]), dec=D.ByteLevel()
        ),
    }
    for name, pattern in PATTERNS.items():
        out[name] = bpe(
            N.NFC() if "qwen" in name else None,
            P.Sequence([split(pattern), bytes_only()]),
            D.ByteLevel(),
            ignore_merges=name == "llama3",
        )
    sp = D.Sequence([D.Replace("\u2581", " "), D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)])
    out["gemma"] = bpe(
        N.Sequence([N.Prepend("\u2581"), N.Replace(" ", "\u2581")]),
        None,
        sp,
        500,
        unk_token="<unk>",
        fuse_unk=True,
        byte_fallback=True,
    )
    out["suffix"] = bpe(
        N.Lowercase(),
        P.WhitespaceSplit(),
        D.BPEDecoder("</w>"),
        unk_token="<unk>",
        end_of_word_suffix="</w>",
    )
    out["prefix"] = bpe(
        N.Nmt(),
        P.UnicodeScripts(),
        D.Fuse(),
        unk_token="<unk>",
        fuse_unk=True,
        continuing_subword_prefix="##",
    )
    out["unigram"] = train(
        models.Unigram(),
        trainers.UnigramTrainer(
            vocab_size=1200,
            unk_token="<unk>",
            special_tokens=["<unk>", "<s>"],
            show_progress=False,
        ),
        N.Sequence([N.NFKC(), N.Strip()]),
        P.Metaspace(prepend_scheme="first"),
        D.Metaspace(),
        lines=150,
    )
    words = ["[UNK]", "[CLS]", "[SEP]"]
    out["bert"] = train(
        models.WordPiece(unk_token="[UNK]"),
        trainers.WordPieceTrainer(
            vocab_size=600, special_tokens=words, show_progress=False, limit_alphabet=200
        ),
        N.BertNormalizer(),
        P.BertPreTokenizer(),
        D.WordPiece(),
        processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1)),
    )
    level = trainers.WordLevelTrainer(vocab_size=300, special_tokens=words, show_progress=False)
    template = processors.TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", 1), ("[SEP]", 2)])
    for name, norm, pre in [
        ("words", N.Sequence([N.NFKD(), N.StripAccents()]), P.Whitespace()),
        ("punctuation", N.NFD(), P.Sequence([P.Punctuation("merged_with_previous"), P.Digits()])),
        ("fixed", None, P.Sequence([P.CharDelimiterSplit(" "), P.FixedLength(2)])),
        ("next", None, P.Split(" ", "merged_with_next")),
        ("contiguous", None, P.Split(R(r"\p{L}"), "contiguous", invert=True)),
        ("removed", None, P.Split(R(r"[aeiou]"), "removed")),
    ]:
        out[name] = train(
            models.WordLevel(unk_token="[UNK]"),
            level,
            norm,
            pre,
            D.CTC("[UNK]", " ", True),
            template,
        )
    out["precompiled"] = train(
        models.WordLevel(unk_token="[UNK]"),
        level,
        N.Sequence([N.Precompiled(charsmap()), N.Replace(R("l+"), "L"), N.ByteLevel()]),
        P.WhitespaceSplit(),
        D.Sequence([D.WordPiece("d", False), D.Fuse(), D.Strip("[", 1, 1)]),
        processors.RobertaProcessing(("[SEP]", 2), ("[CLS]", 1)),
    )
    out["byte_unigram"] = byte_unigram()
    return out


def fnv(data, state=0xCBF29CE484222325):
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


def record(t, lines):
    hashes, encoded = [], [e.ids for e in t.encode_batch(lines)]
    decoded = t.decode_batch(encoded, skip_special_tokens=False)
    for first in range(0, LINES, BLOCK):
        state = 0xCBF29CE484222325
        for ids, text in zip(encoded[first : first + BLOCK], decoded[first : first + BLOCK]):
            state = fnv(b"".join(i.to_bytes(4, "little") for i in ids), state)
            state = fnv(text.encode(), state)
        hashes.append(f"{state:016x}")
    examples = [{"line": i, "ids": encoded[i], "text": decoded[i]} for i in (0, 7, 4321)]
    return {"hashes": hashes, "examples": examples}


def main():
    lines = list(corpus())
    cases = {}
    for name, t in small().items():
        cases[name] = {"tokenizer": json.loads(t.to_str()), **record(t, lines)}
    for path in sys.argv[2:]:
        cases["smollm2"] = record(tk.Tokenizer.from_file(path), lines)
    document = {"tokenizers": tk.__version__, "cases": cases}
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(
            json.dumps(document, ensure_ascii=False, separators=(",", ":")).replace(
                ',"hashes"', ',\n"hashes"'
            )
            + "\n"
        )


if __name__ == "__main__":
    main()
