#pragma once

#include <functional>
#include <string>

#include "hone/base/files.h"

namespace hone::io {

/// Where and what to download. Empty fields come from the environment as in huggingface_hub:
/// HF_ENDPOINT (https://huggingface.co), HF_HUB_CACHE or HF_HOME/hub (~/.cache/huggingface/hub),
/// HF_TOKEN.
struct PullOptions {
  std::string repository;  // "ORG/NAME"
  std::string revision = "main";
  std::string endpoint, token;
  Path cache;
  /// Called as bytes come, with the file and how many of its bytes are there.
  std::function<void(const std::string& file, int64_t done)> progress;
};

/// Downloads the model files of a repository (*.json, *.jinja, *.safetensors, tokenizer files) into
/// the hub's cache layout, models--ORG--NAME/{blobs, refs, snapshots}, and gives the snapshot
/// folder. What is there is not loaded again; a broken download goes on where it stopped; every
/// file is checked against its hash before it gets its name. Errors say what was asked for and what
/// came.
Path pull(PullOptions options);

}  // namespace hone::io
