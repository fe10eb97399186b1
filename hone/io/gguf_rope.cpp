#include "hone/io/gguf_rope.h"

#include <cmath>
#include <numbers>

#include "hone/base/check.h"
#include "hone/io/gguf_dequantize.h"

namespace hone::io {
namespace {

constexpr double kLowFactor = 1, kHighFactor = 4, kOriginalPositions = 8192;

/// What llama.cpp's converter writes for a pair of Llama 3.1: the divisor of its frequency.
double llama3_divisor(double frequency, double factor) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  if (wavelength < kOriginalPositions / kHighFactor) return 1;
  if (wavelength > kOriginalPositions / kLowFactor) return factor;
  const double smooth = (kOriginalPositions / wavelength - kLowFactor) / (kHighFactor - kLowFactor);
  return 1 / ((1 - smooth) / factor + smooth);
}

Json llama3_scaling(const GgufTensor& table, const Json& config) {
  const auto pairs = config["head_dim"].get<int64_t>() / 2;
  HONE_CHECK(table.shape == std::vector<int64_t>{pairs},
             "rope_freqs.weight must have one number for each of {} pairs", pairs);
  std::vector<float> divisors(pairs);
  dequantize(table.type, table.data, pairs, divisors.data());
  const double factor = divisors.back(), theta = config["rope_theta"].get<double>();
  for (int64_t pair = 0; pair < pairs; ++pair) {
    const double frequency = std::pow(theta, -static_cast<double>(pair) / pairs);
    const double expected = llama3_divisor(frequency, factor);
    HONE_CHECK(std::abs(divisors[pair] - expected) <= 1e-4 * expected,
               "rope_freqs.weight[{}] is {}, but Llama 3.1's scaling by {} gives {}; other tables "
               "are not known",
               pair, divisors[pair], factor, expected);
  }
  return {{"rope_type", "llama3"},
          {"factor", factor},
          {"low_freq_factor", kLowFactor},
          {"high_freq_factor", kHighFactor},
          {"original_max_position_embeddings", static_cast<int64_t>(kOriginalPositions)}};
}

}  // namespace

Json gguf_rope_scaling(const GgufFile& file, const Json& config) {
  if (const GgufTensor* table = file.tensor("rope_freqs.weight")) {
    return llama3_scaling(*table, config);
  }
  const Json* architecture = file.value("general.architecture");
  const std::string prefix = architecture->get<std::string>() + ".rope.scaling.";
  const Json *type = file.value(prefix + "type"), *factor = file.value(prefix + "factor");
  if (!type || *type == "none") return nullptr;
  HONE_CHECK(*type == "linear" && factor && factor->is_number(),
             "{}type is {} with factor {}; known is \"linear\" with a factor", prefix,
             print_json(*type), factor ? print_json(*factor) : "absent");
  return {{"rope_type", "linear"}, {"factor", *factor}};
}

}  // namespace hone::io
