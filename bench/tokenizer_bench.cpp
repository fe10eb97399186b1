// Encodes a text file line block by line block on one thread and prints MB/s.
// Usage: tokenizer_bench tokenizer.json TEXT; bench/peers/tokenizer.py alternates it with its twin.
#include <fmt/core.h>

#include <chrono>

#include "hone/base/files.h"
#include "hone/text/tokenizer.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: tokenizer_bench tokenizer.json TEXT\n");
    return 2;
  }
  constexpr size_t kBlockBytes = 4096;
  const auto tokenizer = hone::text::Tokenizer::from_file(argv[1]);
  const std::string text = hone::read_file(argv[2]);
  const auto start = std::chrono::steady_clock::now();
  size_t tokens = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', std::min(at + kBlockBytes, text.size()));
    end = end == text.npos ? text.size() : end + 1;
    tokens += tokenizer.encode(std::string_view(text).substr(at, end - at)).size();
    at = end;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{} {:.6f}\n", tokens, seconds.count());
}
