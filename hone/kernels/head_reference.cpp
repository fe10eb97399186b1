#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/kernels/head.h"
#include "hone/kernels/row_kernel.h"

namespace hone::kernels {
namespace {

/// Softmax of one row in double.
struct RowTwin {
  std::vector<double> z, slope;  // slope: d z / d logit
  double log_sum_exp = 0, entropy = 0;

  RowTwin(const Head& head, int64_t row) : z(head.vocabulary), slope(head.vocabulary) {
    const double cap = head.softcap;
    for (int64_t v = 0; v < head.vocabulary; ++v) {
      double logit = 0;
      for (int64_t c = 0; c < head.columns; ++c) {
        logit += read(head.x, head.type, row * head.columns + c) *
                 read(head.w, head.type, v * head.columns + c);
      }
      const double t = cap > 0 ? std::tanh(logit / cap) : 0;
      z[v] = (cap > 0 ? cap * t : logit) * head.inverse_temperature[row];
      slope[v] = (1 - t * t) * head.inverse_temperature[row];
    }
    const double maximum = *std::max_element(z.begin(), z.end());
    double total = 0;
    for (double value : z) total += std::exp(value - maximum);
    log_sum_exp = maximum + std::log(total);
    for (int64_t v = 0; v < head.vocabulary; ++v) entropy -= probability(v) * log_probability(v);
  }

  double log_probability(int64_t v) const { return z[v] - log_sum_exp; }
  double probability(int64_t v) const { return std::exp(log_probability(v)); }
};

}  // namespace

void head_log_probs_reference(const Head& problem) {
  for (int64_t row = 0; row < problem.rows; ++row) {
    const RowTwin twin(problem, row);
    const RowStatistics& out = problem.out;
    if (out.log_prob) {
      out.log_prob[row] = static_cast<float>(twin.log_probability(problem.targets[row]));
    }
    if (out.log_sum_exp) out.log_sum_exp[row] = static_cast<float>(twin.log_sum_exp);
    if (out.entropy) out.entropy[row] = static_cast<float>(twin.entropy);
  }
}

void head_backward_reference(const HeadBackward& problem) {
  const Head& head = problem.forward;
  const int64_t columns = head.columns, size_w = head.vocabulary * columns;
  std::vector<double> grad_x(head.rows * columns), grad_w(size_w);
  for (int64_t row = 0; row < head.rows; ++row) {
    const RowTwin twin(head, row);
    for (int64_t v = 0; v < head.vocabulary; ++v) {
      const double p = twin.probability(v), is_target = v == head.targets[row];
      double grad = problem.grad_log_prob[row] * (is_target - p);
      if (problem.grad_entropy) {
        grad -= problem.grad_entropy[row] * p * (twin.log_probability(v) + twin.entropy);
      }
      grad *= twin.slope[v];
      for (int64_t c = 0; c < columns; ++c) {
        grad_x[row * columns + c] += grad * read(head.w, head.type, v * columns + c);
        grad_w[v * columns + c] += grad * read(head.x, head.type, row * columns + c);
      }
    }
  }
  if (problem.grad_x) std::copy(grad_x.begin(), grad_x.end(), problem.grad_x);
  for (int64_t i = 0; problem.grad_w && i < size_w; ++i) {
    problem.grad_w[i] = static_cast<float>(problem.grad_w[i] + grad_w[i]);
  }
}

}  // namespace hone::kernels
