#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/kernels/head.h"

/// Plain twins in double: one loop each over whole rows of logits.
namespace hone::kernels {
namespace {

double read(const void* data, DType type, int64_t index) {
  return type == DType::f32 ? static_cast<const float*>(data)[index]
                            : to_float(static_cast<const bf16*>(data)[index]);
}

/// One row: raw logits and the softmax of what they become.
struct Row {
  std::vector<double> raw, z, p;
  double log_sum_exp = 0, entropy = 0;
};

Row compute_row(const Head& problem, int64_t r) {
  Row row;
  for (int64_t v = 0; v < problem.vocabulary; ++v) {
    double logit = 0;
    for (int64_t c = 0; c < problem.columns; ++c) {
      logit += read(problem.x, problem.type, r * problem.columns + c) *
               read(problem.w, problem.type, v * problem.columns + c);
    }
    row.raw.push_back(logit);
    if (problem.softcap > 0) logit = problem.softcap * std::tanh(logit / problem.softcap);
    row.z.push_back(logit * problem.inverse_temperature[r]);
  }
  const double maximum = *std::max_element(row.z.begin(), row.z.end());
  double total = 0;
  for (double z : row.z) total += std::exp(z - maximum);
  row.log_sum_exp = maximum + std::log(total);
  for (double z : row.z) {
    row.p.push_back(std::exp(z - row.log_sum_exp));
    row.entropy -= row.p.back() * (z - row.log_sum_exp);
  }
  return row;
}

}  // namespace

void head_log_probs_reference(const Head& problem) {
  for (int64_t r = 0; r < problem.rows; ++r) {
    const Row row = compute_row(problem, r);
    if (problem.out.log_prob) {
      problem.out.log_prob[r] = static_cast<float>(row.z[problem.targets[r]] - row.log_sum_exp);
    }
    if (problem.out.log_sum_exp) problem.out.log_sum_exp[r] = static_cast<float>(row.log_sum_exp);
    if (problem.out.entropy) problem.out.entropy[r] = static_cast<float>(row.entropy);
  }
}

void head_backward_reference(const HeadBackward& problem) {
  const Head& head = problem.forward;
  if (problem.grad_x) std::fill_n(problem.grad_x, head.rows * head.columns, 0.0f);
  for (int64_t r = 0; r < head.rows; ++r) {
    const Row row = compute_row(head, r);
    for (int64_t v = 0; v < head.vocabulary; ++v) {
      const double log_p = row.z[v] - row.log_sum_exp;
      double grad = problem.grad_log_prob[r] * ((v == head.targets[r]) - row.p[v]);
      if (problem.grad_entropy) {
        grad -= problem.grad_entropy[r] * row.p[v] * (log_p + row.entropy);
      }
      grad *= head.inverse_temperature[r];
      if (head.softcap > 0) {
        const double t = std::tanh(row.raw[v] / head.softcap);
        grad *= 1 - t * t;
      }
      for (int64_t c = 0; c < head.columns; ++c) {
        const int64_t x = r * head.columns + c, w = v * head.columns + c;
        if (problem.grad_x) {
          problem.grad_x[x] += static_cast<float>(grad * read(head.w, head.type, w));
        }
        if (problem.grad_w) {
          problem.grad_w[w] += static_cast<float>(grad * read(head.x, head.type, x));
        }
      }
    }
  }
}

}  // namespace hone::kernels
