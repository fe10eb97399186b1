"""Seconds of GRPO steps by TRL 1.13 with transformers generating (bf16, torch's default threads).

usage: grpo_step_trl.py MODEL PROMPTS.jsonl STEPS: 4 prompts x 8 completions of at most 128 tokens.
"""

import json
import sys
import tempfile
import time

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

model_path, prompts_path, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
rows = [json.loads(line) for line in open(prompts_path)]
data = Dataset.from_list([{"prompt": [{"role": "user", "content": r["prompt"]}]} for r in rows])


class Clock(TrainerCallback):
    def on_step_begin(self, args, state, control, **kwargs):
        self.start = time.time()

    def on_step_end(self, args, state, control, **kwargs):
        print(json.dumps({"step_s": time.time() - self.start}), flush=True)

    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "completions/mean_length" in logs:
            print(json.dumps({"mean_length": logs["completions/mean_length"]}), flush=True)


config = GRPOConfig(
    output_dir=tempfile.mkdtemp(),
    per_device_train_batch_size=32,
    num_generations=8,
    max_completion_length=128,
    max_steps=steps,
    learning_rate=1e-6,
    bf16=True,
    logging_steps=1,
    report_to=[],
    use_cpu=True,
    beta=0.0,
    temperature=1.0,
    gradient_checkpointing=False,
    save_strategy="no",
    disable_tqdm=True,
)
trainer = GRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained(model_path, dtype=torch.bfloat16),
    reward_funcs=lambda completions, **_: [len(set(c[0]["content"])) / 50 for c in completions],
    args=config,
    train_dataset=data,
    processing_class=AutoTokenizer.from_pretrained(model_path),
    callbacks=[Clock()],
)
trainer.train()
