"""Writes tests/golden/data/adamw.json: 100 steps of torch.optim.AdamW in float64 and float32.

Run as `python tools/golden/adamw.py` with torch 2.13 and numpy. Gradients are a formula that the
test repeats: sin(1.7 i + 0.3 t) scaled by 2^-(i mod 12), rounded to float32.
"""
import json
import math
import pathlib

import numpy
import torch

COUNT, STEPS = 37, 100
LR, BETAS, EPS, DECAY = 1e-2, (0.9, 0.999), 1e-8, 0.1


def f32(value):
    return float(numpy.float32(value))


def gradient(step):
    return [f32(math.sin(1.7 * i + 0.3 * step) * 2.0 ** -(i % 12)) for i in range(COUNT)]


def trajectory(dtype):
    start = [f32(math.cos(0.9 * i)) for i in range(COUNT)]
    weight = torch.nn.Parameter(torch.tensor(start, dtype=dtype))
    optimizer = torch.optim.AdamW([weight], lr=f32(LR), betas=tuple(f32(b) for b in BETAS),
                                  eps=f32(EPS), weight_decay=f32(DECAY), foreach=False)
    for step in range(1, STEPS + 1):
        weight.grad = torch.tensor(gradient(step), dtype=dtype)
        optimizer.step()
    state = optimizer.state[weight]
    return {"weight": weight.detach().tolist(), "first_moment": state["exp_avg"].tolist(),
            "second_moment": state["exp_avg_sq"].tolist()}


golden = {"made_by": f"torch {torch.__version__}", "count": COUNT, "steps": STEPS, "lr": f32(LR),
          "beta1": f32(BETAS[0]), "beta2": f32(BETAS[1]), "eps": f32(EPS), "decay": f32(DECAY),
          "float64": trajectory(torch.float64), "float32": trajectory(torch.float32)}
root = pathlib.Path(__file__).resolve().parents[2]
(root / "tests/golden/data/adamw.json").write_text(json.dumps(golden, indent=1) + "\n")
