"""Writes tests/golden/data/gguf_blocks.txt with the package gguf 0.19 (and numpy): per line a type,
random blocks and their values as little-endian floats, both in hexadecimal."""

import sys
import numpy as np
from gguf import GGMLQuantizationType as Type, GGML_QUANT_SIZES
from gguf.quants import dequantize

HALVES = {
    "F16": [0],
    "Q4_0": [0],
    "Q4_1": [0, 2],
    "Q5_0": [0],
    "Q5_1": [0, 2],
    "Q8_0": [0],
    "Q2_K": [80, 82],
    "Q3_K": [108],
    "Q4_K": [0, 2],
    "Q5_K": [0, 2],
    "Q6_K": [208],
    "IQ4_NL": [0],
    "IQ4_XS": [0],
}
random = np.random.default_rng(7)
with open(sys.argv[1], "w") as out:
    for name in list(HALVES) + ["BF16"]:
        elements, size = GGML_QUANT_SIZES[Type[name]]
        count = 64 // elements if elements < 64 else 2
        blocks = random.integers(0, 256, (count, size), dtype=np.uint8)
        if name == "BF16":
            blocks = (random.standard_normal(count).astype("<f4").view("<u4") >> 16).astype("<u2")
            blocks = blocks.view(np.uint8).reshape(count, 2)
        for offset in HALVES.get(name, []):  # finite scales
            halves = random.standard_normal(count).astype("<f2")
            blocks[:, offset : offset + 2] = halves.view(np.uint8).reshape(count, 2)
        values = dequantize(blocks, Type[name]).astype("<f4")
        print(name, blocks.tobytes().hex(), values.tobytes().hex(), file=out)
