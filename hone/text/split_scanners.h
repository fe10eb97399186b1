#pragma once

#include <cstddef>
#include <string_view>

namespace hone::text {

/// Where the match that starts at `at` ends; `at` itself where nothing matches.
using SplitScanner = size_t (*)(std::string_view text, size_t at);

/// GPT-2's pattern, the one of the ByteLevel pre-tokenizer.
size_t scan_gpt2(std::string_view text, size_t at);

/// The hand-written scanner of a known split pattern (GPT-2, Llama-3, Qwen2/3, Qwen3.5, o200k, the
/// three DeepSeek-V3 stages), or null.
SplitScanner find_scanner(std::string_view pattern);

}  // namespace hone::text
