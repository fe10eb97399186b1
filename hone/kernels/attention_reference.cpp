#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/kernels/attention.h"

/// Plain twins in double: one loop each.
namespace hone::kernels {
namespace {

double read(const void* data, DType type, int64_t index) {
  return type == DType::f32 ? static_cast<const float*>(data)[index]
                            : to_float(static_cast<const bf16*>(data)[index]);
}

void write(void* data, DType type, int64_t index, double value) {
  if (type == DType::f32) {
    static_cast<float*>(data)[index] = static_cast<float>(value);
  } else {
    static_cast<bf16*>(data)[index] = to_bf16(static_cast<float>(value));
  }
}

double capped(const AttentionShape& shape, double score) {
  return shape.softcap > 0 ? shape.softcap * std::tanh(score / shape.softcap) : score;
}

int64_t oldest_key(const AttentionShape& shape, int64_t position) {
  return shape.window > 0 ? std::max<int64_t>(0, position - shape.window + 1) : 0;
}

/// The batch tokens of a segment and its ancestors in position order.
std::vector<int64_t> chain_of(const AttentionBackward& problem, int64_t segment) {
  const TreeSegment& own = problem.segments[segment];
  auto tokens = own.parent < 0 ? std::vector<int64_t>() : chain_of(problem, own.parent);
  for (int64_t i = 0; i < own.count; ++i) tokens.push_back(own.begin + i);
  return tokens;
}

void forward_row(const AttentionForward& problem, const AttentionSpan& span, int64_t i, int64_t h) {
  const AttentionShape& shape = problem.shape;
  const int64_t dim = shape.head_dim, block = kKvBlockTokens;
  const int64_t token = span.query_begin + i, position = span.first_position + i;
  const int64_t kv_head = h / (shape.heads / shape.kv_heads), row = (token * shape.heads + h) * dim;
  const auto base = [&](int64_t p) {
    return (span.blocks[p / block] * shape.kv_heads + kv_head) * dim * block;
  };
  const int64_t first = oldest_key(shape, position);
  std::vector<double> scores;
  for (int64_t p = first; p <= position; ++p) {
    double score = 0;
    for (int64_t d = 0; d < dim; ++d) {
      score += read(problem.q, shape.type, row + d) *
               read(problem.blocks.k, shape.type, base(p) + d * block + p % block);
    }
    scores.push_back(capped(shape, score * shape.scale));
  }
  const double maximum = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (double score : scores) total += std::exp(score - maximum);
  for (int64_t d = 0; d < dim; ++d) {
    double sum = 0;
    for (int64_t p = first; p <= position; ++p) {
      sum += std::exp(scores[p - first] - maximum) / total *
             read(problem.blocks.v, shape.type, base(p) + p % block * dim + d);
    }
    write(problem.out, shape.type, row + d, sum);
  }
  if (problem.log_sum_exp) {
    problem.log_sum_exp[token * shape.heads + h] = static_cast<float>(maximum + std::log(total));
  }
}

/// Adds what one query row gives to grad_q, grad_k and grad_v.
void backward_row(const AttentionBackward& problem, const std::vector<int64_t>& chain,
                  int64_t position, int64_t h) {
  const AttentionShape& shape = problem.shape;
  const int64_t dim = shape.head_dim, token = chain[position];
  const int64_t kv_head = h / (shape.heads / shape.kv_heads), row = (token * shape.heads + h) * dim;
  const auto q = [&](int64_t d) { return read(problem.q, shape.type, row + d); };
  const auto grad_out = [&](int64_t d) { return read(problem.grad_out, shape.type, row + d); };
  double delta = 0;
  for (int64_t d = 0; d < dim; ++d) delta += grad_out(d) * read(problem.out, shape.type, row + d);
  for (int64_t p = oldest_key(shape, position); p <= position; ++p) {
    const int64_t key = (chain[p] * shape.kv_heads + kv_head) * dim;
    double score = 0, grad_p = 0;
    for (int64_t d = 0; d < dim; ++d) {
      score += q(d) * read(problem.k, shape.type, key + d);
      grad_p += grad_out(d) * read(problem.v, shape.type, key + d);
    }
    const double final_score = capped(shape, score * shape.scale);
    const double p_value = std::exp(final_score - problem.log_sum_exp[token * shape.heads + h]);
    const double tanh_value = shape.softcap > 0 ? final_score / shape.softcap : 0;
    const double ds = p_value * (grad_p - delta) * shape.scale * (1 - tanh_value * tanh_value);
    for (int64_t d = 0; d < dim; ++d) {
      problem.grad_q[row + d] += static_cast<float>(ds * read(problem.k, shape.type, key + d));
      problem.grad_k[key + d] += static_cast<float>(ds * q(d));
      problem.grad_v[key + d] += static_cast<float>(p_value * grad_out(d));
    }
  }
}

}  // namespace

void attention_forward_reference(const AttentionForward& problem) {
  for (int64_t s = 0; s < problem.span_count; ++s) {
    for (int64_t i = 0; i < problem.spans[s].query_count; ++i) {
      for (int64_t h = 0; h < problem.shape.heads; ++h) {
        forward_row(problem, problem.spans[s], i, h);
      }
    }
  }
}

void attention_backward_reference(const AttentionBackward& problem) {
  const AttentionShape& shape = problem.shape;
  const int64_t q_count = problem.token_count * shape.heads * shape.head_dim;
  const int64_t kv_count = problem.token_count * shape.kv_heads * shape.head_dim;
  std::fill_n(problem.grad_q, q_count, 0.0f);
  std::fill_n(problem.grad_k, kv_count, 0.0f);
  std::fill_n(problem.grad_v, kv_count, 0.0f);
  for (int64_t s = 0; s < problem.segment_count; ++s) {
    const auto chain = chain_of(problem, s);
    const auto before = static_cast<int64_t>(chain.size()) - problem.segments[s].count;
    for (int64_t p = before; p < static_cast<int64_t>(chain.size()); ++p) {
      for (int64_t h = 0; h < shape.heads; ++h) backward_row(problem, chain, p, h);
    }
  }
}

}  // namespace hone::kernels
