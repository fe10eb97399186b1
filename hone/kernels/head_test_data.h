#pragma once

#include "hone/kernels/head.h"
#include "hone/kernels/row_test_data.h"

/// A language-model head with everything that it points at, for the tests of head.
namespace hone::kernels {

struct HeadShape {
  int64_t rows = 0, columns = 0, vocabulary = 0;
  DType type = DType::f32;
  float softcap = 0;
  float logit_scale = 1;  // multiplies the rows of w
};

/// The arrays of one head problem, random but for `shape`, and places for its results.
struct HeadCase {
  explicit HeadCase(const HeadShape& shape, uint64_t seed = 1)
      : shape(shape),
        x(shape.type, random_values(shape.rows * shape.columns, seed)),
        w(shape.type,
          random_values(shape.vocabulary * shape.columns, seed + 100, shape.logit_scale)),
        log_prob(shape.rows, NAN),
        log_sum_exp(shape.rows, NAN),
        entropy(shape.rows, NAN),
        grad_log_prob(random_values(shape.rows, seed + 200)),
        grad_entropy(random_values(shape.rows, seed + 300)),
        grad_x(shape.rows * shape.columns, NAN),
        grad_w(random_values(shape.vocabulary * shape.columns, seed + 400)) {
    const RandomStream random{seed, 1};
    for (int64_t row = 0; row < shape.rows; ++row) {
      targets.push_back(static_cast<int32_t>(random.below(row, shape.vocabulary)));
      const float temperature[] = {1, 0.7f, 1.3f, 0.1f};
      inverse_temperature.push_back(1 / temperature[row % 4]);
    }
  }
  HeadCase(const HeadCase&) = delete;

  Head head() {
    return {.rows = shape.rows,
            .columns = shape.columns,
            .vocabulary = shape.vocabulary,
            .type = shape.type,
            .x = x.data(),
            .w = w.data(),
            .softcap = shape.softcap,
            .inverse_temperature = inverse_temperature.data(),
            .targets = targets.data(),
            .out = {log_prob.data(), log_sum_exp.data(), entropy.data()}};
  }

  /// Row `row` as a problem of its own, with the same outputs.
  Head row_alone(int64_t row) {
    Head one = head();
    one.rows = 1;
    one.x = static_cast<const char*>(one.x) + row * shape.columns * size_of(shape.type);
    one.inverse_temperature += row;
    one.targets += row;
    one.out = {log_prob.data() + row, log_sum_exp.data() + row, entropy.data() + row};
    return one;
  }

  HeadBackward backward() {
    return {head(), grad_log_prob.data(), grad_entropy.data(), grad_x.data(), grad_w.data()};
  }

  /// The bits of the three statistics.
  std::vector<uint32_t> statistics() const {
    std::vector<float> all = log_prob;
    all.insert(all.end(), log_sum_exp.begin(), log_sum_exp.end());
    all.insert(all.end(), entropy.begin(), entropy.end());
    return bits_of(all);
  }

  HeadShape shape;
  Typed x, w;
  std::vector<float> log_prob, log_sum_exp, entropy;
  std::vector<float> grad_log_prob, grad_entropy, grad_x, grad_w;
  std::vector<float> inverse_temperature;
  std::vector<int32_t> targets;
};

/// logit_log_probs of head_logits, into the statistics of `problem`.
inline void log_probs_of_logits(HeadCase& problem, Isa isa, ThreadPool& pool) {
  const Head head = problem.head();
  const int64_t stride = head.vocabulary + 3;
  std::vector<float> logits(head.rows * stride);
  head_logits(head, logits.data(), stride, isa, pool);
  logit_log_probs({head.rows, head.vocabulary, logits.data(), stride, head.inverse_temperature,
                   head.targets, head.out},
                  isa, pool);
}

}  // namespace hone::kernels
