"""Single-thread encoding speed of Hone and of Python tokenizers, alternating in one run.

Usage: tokenizer.py path/to/tokenizer_bench tokenizer.json
The text is 4 MB of the Python standard library and the golden test's multilingual
corpus; medians of 7 runs each."""

import glob
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "golden"))
import tokenizer as golden
import tokenizers

BLOCK = 4096


def sources(size):
    out = b""
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.__file__), "*.py"))):
        out += pathlib.Path(path).read_bytes()
    return out[:size].decode(errors="ignore").encode()


def blocks(text):
    at = 0
    while at < len(text):
        end = text.find(b"\n", min(at + BLOCK, len(text)))
        end = len(text) if end < 0 else end + 1
        yield text[at:end].decode()
        at = end


def main():
    program, path = sys.argv[1:]
    peer = tokenizers.Tokenizer.from_file(path)
    texts = {"python": sources(4 << 20), "multilingual": "\n".join(golden.corpus()).encode()}
    print("| text | bytes | Hone MB/s | tokenizers MB/s | ratio |\n|---|---|---|---|---|")
    for name, text in texts.items():
        with tempfile.NamedTemporaryFile() as file:
            file.write(text)
            file.flush()
            ours, theirs, cut = [], [], list(blocks(text))
            for _ in range(7):
                out = subprocess.run(
                    [program, path, file.name], capture_output=True, text=True, check=True
                ).stdout.split()
                ours.append(float(out[1]))
                start = time.perf_counter()
                encoded = peer.encode_batch_fast(cut)
                theirs.append(time.perf_counter() - start)
                assert sum(len(e.ids) for e in encoded) == int(out[0]), "the token counts differ"
        a, b = statistics.median(ours), statistics.median(theirs)
        size = len(text) / 1e6
        print(f"| {name} | {len(text)} | {size / a:.1f} | {size / b:.1f} | {b / a:.1f} |")


if __name__ == "__main__":
    main()
