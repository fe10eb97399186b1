"""Golden logits and gradients of tiny random models.

By transformers 5.18.0 on torch 2.13.0 (float32, eager attention). usage: models.py OUT.json.
The weights are a function of their names (fill below), which the C++ test computes too, so
that no weights are stored.
"""

import copy
import json
import sys

import numpy as np
import torch
from transformers import AutoModelForCausalLM
from transformers import Gemma3TextConfig, LlamaConfig, MistralConfig, Qwen2Config, Qwen3Config

SIZES = dict(
    vocab_size=80,
    hidden_size=48,
    intermediate_size=112,
    num_hidden_layers=3,
    num_attention_heads=6,
    num_key_value_heads=2,
    head_dim=8,
    max_position_embeddings=256,
    rms_norm_eps=1e-5,
    attn_implementation="eager",
)
LLAMA3 = dict(
    rope_type="llama3",
    rope_theta=5e5,
    factor=8.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=32,
)
CASES = {
    "llama": LlamaConfig(**SIZES, tie_word_embeddings=True),
    "llama3": LlamaConfig(**SIZES, rope_parameters=LLAMA3),
    "mistral": MistralConfig(**SIZES, sliding_window=9),
    "qwen2": Qwen2Config(**SIZES),
    "qwen3": Qwen3Config(**SIZES, tie_word_embeddings=True),
    "gemma3": Gemma3TextConfig(
        **SIZES,
        sliding_window=9,
        query_pre_attn_scalar=24,
        layer_types=["sliding_attention", "sliding_attention", "full_attention"]
    ),
}


def fill(name, shape):
    """uniform in [-1, 1) by a hash of (name, index); scaled by role."""
    seed = np.uint32(2166136261)
    with np.errstate(over="ignore"):
        for byte in name.encode():
            seed = np.uint32((seed ^ np.uint32(byte)) * np.uint32(16777619))
        x = np.arange(int(np.prod(shape)), dtype=np.uint32) * np.uint32(0x9E3779B9) + seed
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
            x = (x ^ (x >> np.uint32(shift))) * np.uint32(factor)
    u = (x.astype(np.float64) / 2**31 - 1).reshape(shape)
    return u * 0.2 if len(shape) > 1 or name.endswith("bias") else u * 0.1


def golden(config):
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    gemma = "Gemma" in type(config).__name__
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            value = fill(name, tuple(parameter.shape))
            if parameter.dim() == 1 and "norm" in name and not gemma:
                value = value + 1
            parameter.copy_(torch.from_numpy(value))
    tokens = [(7 * i * i + 3 * i + 1) % 80 for i in range(40)]
    logits = model(torch.tensor([tokens])).logits[0]
    log_probs = torch.log_softmax(logits[:-1], -1)
    chosen = log_probs.gather(1, torch.tensor(tokens[1:])[:, None])[:, 0]
    (-chosen.mean()).backward()
    # How far transformers' own bfloat16 is from its float32: mean KL over positions.
    half = copy.deepcopy(model).to(torch.bfloat16)
    half_log_probs = torch.log_softmax(half(torch.tensor([tokens])).logits[0].double(), -1)
    full_log_probs = torch.log_softmax(logits.double(), -1)
    kl = (full_log_probs.exp() * (full_log_probs - half_log_probs)).sum(-1).mean()
    config_json = json.loads(config.to_json_string(use_diff=False))
    keep = [
        "architectures",
        "vocab_size",
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "head_dim",
        "max_position_embeddings",
        "rms_norm_eps",
        "tie_word_embeddings",
        "rope_parameters",
        "sliding_window",
        "layer_types",
        "query_pre_attn_scalar",
        "hidden_act",
        "hidden_activation",
        "attention_bias",
        "mlp_bias",
    ]
    config_json["architectures"] = [type(model).__name__]
    gradients = {
        name: [float(p.grad.norm())] + [float(x) for x in p.grad.flatten()[:3]]
        for name, p in model.named_parameters()
    }
    return dict(
        config={k: config_json[k] for k in keep if k in config_json},
        tokens=tokens,
        logits_last=[float(x) for x in logits[-1]],
        log_probs=[float(x) for x in chosen],
        gradients=gradients,
        kl_bf16=float(kl),
    )


def main():
    torch.set_num_threads(1)
    with open(sys.argv[1], "w") as out:
        json.dump(
            {
                "versions": {"transformers": "5.18.0", "torch": "2.13.0"},
                "cases": {name: golden(config) for name, config in CASES.items()},
            },
            out,
        )


main()
