"""Writes tests/golden/data/policy_loss.json: GRPO losses and gradients of TRL on random numbers.

Run as `python tools/golden/policy_loss.py` with torch 2.13 and trl 1.13. TRL's own
GRPOTrainer._compute_loss runs in float64 on three completions of different lengths; only the
model is replaced, by the log-probabilities and entropies of the case.
"""

import json
import random
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import torch
import trl
from trl import GRPOTrainer

LENGTHS = [5, 3, 4]
MAX_LENGTH = 7


class Twin(GRPOTrainer):
    """TRL's loss without TRL's set-up."""

    def __init__(self, case, log_prob, entropy):
        self.numbers = (log_prob, entropy, None)
        self.model = SimpleNamespace(training=True)
        self.accelerator = SimpleNamespace(
            num_processes=1,
            sync_gradients=False,
            gather=lambda value: value,
            reduce=lambda value, **_: value,
        )
        self.args = SimpleNamespace(
            delta=None, use_bias_correction_kl=False, steps_per_generation=1
        )
        self.current_gradient_accumulation_steps = 1
        self.aux_loss_enabled = self.use_vllm = self.use_adaptive_entropy = False
        self.top_entropy_quantile, self.off_policy_mask_threshold = 1.0, None
        self.importance_sampling_level = "token"
        self.loss_type, self.beta = case["loss_type"], case["beta"]
        self.epsilon_low, self.epsilon_high = case["clip_low"], case["clip_high"]
        self.max_completion_length = MAX_LENGTH
        self.entropy_coef = case["entropy_coef"]
        self._entropy_bonus_enabled = self.entropy_coef != 0
        self._metrics = {"train": defaultdict(list)}

    def _get_per_token_logps_and_entropies(self, *_, **__):
        return self.numbers


def padded(values):
    rows = torch.zeros(len(LENGTHS), max(LENGTHS), dtype=torch.float64)
    begin = 0
    for row, length in enumerate(LENGTHS):
        rows[row, :length] = torch.tensor(values[begin : begin + length], dtype=torch.float64)
        begin += length
    return rows


def flat(rows):
    return [value for row, length in zip(rows.tolist(), LENGTHS) for value in row[:length]]


def compute(case):
    log_prob = padded(case["log_prob"]).requires_grad_()
    entropy = padded(case["entropy"]).requires_grad_()
    mask = padded([1.0] * sum(LENGTHS))
    empty = torch.zeros(len(LENGTHS), 0, dtype=torch.long)
    inputs = {
        "prompt_ids": empty,
        "prompt_mask": empty,
        "completion_ids": mask.long(),
        "completion_mask": mask,
        "advantages": torch.tensor(case["advantage"], dtype=torch.float64),
        "old_per_token_logps": padded(case["old_log_prob"]),
        "ref_per_token_logps": padded(case["reference_log_prob"]),
        "num_items_in_batch": mask.sum(),
    }
    twin = Twin(case, log_prob, entropy)
    loss = twin._compute_loss(twin.model, inputs)
    loss.backward()
    case["loss"], case["grad_log_prob"] = loss.item(), flat(log_prob.grad)
    for key in ("clip_ratio/low_mean", "clip_ratio/high_mean"):
        case[key] = twin._metrics["train"][key][0]


def draw(generator, **options):
    def numbers(low, high):
        return [round(generator.uniform(low, high), 6) for _ in range(sum(LENGTHS))]

    old = numbers(-4, -0.1)
    near = [round(value + generator.gauss(0, 0.3), 6) for value in old]
    far = [round(value + generator.gauss(0, 0.5), 6) for value in old]
    case = {"loss_type": "grpo", "beta": 0.0, "entropy_coef": 0.0, "clip_low": 0.2}
    case |= {"clip_high": 0.2, "old_log_prob": old, "log_prob": near}
    case |= {"reference_log_prob": far, "entropy": numbers(0, 2)}
    case["advantage"] = [round(generator.gauss(0, 1), 6) for _ in LENGTHS]
    return case | options


def main():
    generator = random.Random(5)
    cases = [draw(generator, loss_type=t) for t in ("grpo", "dapo", "bnpo", "dr_grpo", "luspo")]
    cases += [draw(generator, loss_type="dapo", clip_high=0.28)]
    cases += [draw(generator, loss_type="grpo", beta=0.04)]
    cases += [draw(generator, loss_type="dr_grpo", beta=0.1, clip_low=0.1, clip_high=0.3)]
    cases += [draw(generator, loss_type="bnpo", entropy_coef=0.01)]
    for case in cases:
        compute(case)
    golden = {"trl": trl.__version__, "lengths": LENGTHS, "max_length": MAX_LENGTH}
    golden["cases"] = cases
    path = Path(__file__).parents[2] / "tests/golden/data/policy_loss.json"
    path.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
