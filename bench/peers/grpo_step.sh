#!/usr/bin/env bash
# GRPO step of Hone and of TRL 1.13 on the same work, alternating: SmolLM2, 4 prompts x 8 completions
# of at most 128 tokens, bf16. usage: grpo_step.sh HONE MODEL PYTHON [ROUNDS]; PYTHON has
# torch==2.13.0 transformers==5.18.0 trl==1.13.0 datasets. Prints every step's seconds.
set -euo pipefail
hone=$1 model=$2 python=$3 rounds=${4:-2}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for i in $(seq 0 63); do
  echo "{\"prompt\": \"Write a short story about the number $i.\"}"
done > "$work/prompts.jsonl"
cat > "$work/run.toml" <<TOML
method = "grpo"
output = "$work/run"
[model]
path = "$model"
[data.file]
path = "$work/prompts.jsonl"
answer_field = ""
[rollout]
prompts_per_step = 4
n = 8
max_response_length = 128
[reward]
functions = [{ kind = "length", unit = "characters", minimum = 400, maximum = 500, slack = 400 }]
[optim]
lr = 1e-6
[train]
steps = 3
TOML
grep -m1 'model name' /proc/cpuinfo
"$hone" doctor | head -1
for _ in $(seq "$rounds"); do
  rm -rf "$work/run"
  "$hone" train "$work/run.toml" > /dev/null 2>&1
  "$python" - "$work/run/metrics.jsonl" <<'PY'
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    print("hone", {k: round(v, 2) for k, v in row["time"].items() if k in ("generate", "update", "step")},
          "length", round(row["response_length"]["mean"], 1),
          "peak GiB", round(row["time"]["peak_memory_bytes"] / 2**30, 2))
PY
  (cd "$work" && /usr/bin/env time -f 'trl peak GiB %M KiB' "$python" "$here/grpo_step_trl.py" "$model" "$work/prompts.jsonl" 3 2>&1 |
    grep -E 'step_s|mean_length|peak' | sed 's/^/trl /')
done
