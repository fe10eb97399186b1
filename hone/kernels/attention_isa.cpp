#include "hone/kernels/attention_kernels.h"
#include "hone/kernels/exp.h"

namespace hone::kernels::HONE_ISA {
namespace {

constexpr int64_t kBlock = kKvBlockTokens;
constexpr int64_t kMaxDim = 512;
constexpr float kHidden = -__builtin_huge_valf();

float max(Vec v) {
  for (int width = 8; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) v[i] = v[i + width] > v[i] ? v[i + width] : v[i];
  }
  return v[0];
}

Vec lane_numbers() {
  Vec v;
  for (int i = 0; i < kLanes; ++i) v[i] = static_cast<float>(i);
  return v;
}

/// Running softmax of R rows: maximum, sum and unnormalised output.
template <int R>
struct Rows {
  float maximum[R], total[R];
  Vec out[R][kMaxDim / kLanes];
};

/// Scores of R rows against the 32 keys of a block, hidden ones at -infinity.
template <int R, typename T>
void score_block(const AttentionShape& shape, const float* q, int64_t q_stride, const T* k,
                 Vec (&scores)[R][2]) {
  for (int r = 0; r < R; ++r) scores[r][0] = scores[r][1] = Vec{};
  for (int64_t d = 0; d < shape.head_dim; ++d) {
    const Vec k0 = load(k + d * kBlock), k1 = load(k + d * kBlock + kLanes);
    for (int r = 0; r < R; ++r) {
      const float value = q[r * q_stride + d];
      scores[r][0] += value * k0;
      scores[r][1] += value * k1;
    }
  }
  for (int r = 0; r < R; ++r) {
    for (Vec& s : scores[r]) {
      s *= shape.scale;
      if (shape.softcap > 0) s = shape.softcap * tanh(s / shape.softcap);
    }
  }
}

/// Hides positions outside (position - window, position]; `first` is the block's first position.
void hide(const AttentionShape& shape, int64_t position, int64_t first, Vec (&scores)[2]) {
  for (int half = 0; half < 2; ++half) {
    const Vec key = lane_numbers() + static_cast<float>(first + half * kLanes - position);
    IntVec hidden = key > 0.0f;
    if (shape.window > 0) hidden |= key <= static_cast<float>(-shape.window);
    scores[half] = select(hidden, splat(kHidden), scores[half]);
  }
}

template <int R, typename T>
void add_values(const AttentionShape& shape, const T* v, const float (&p)[R][kBlock],
                Rows<R>& rows) {
  const int64_t vectors = shape.head_dim / kLanes;
  for (int64_t i = 0; i < vectors; ++i) {
    Vec out[R];
    for (int r = 0; r < R; ++r) out[r] = rows.out[r][i];
    for (int64_t key = 0; key < kBlock; ++key) {
      const Vec value = load(v + key * shape.head_dim + i * kLanes);
      for (int r = 0; r < R; ++r) out[r] += p[r][key] * value;
    }
    for (int r = 0; r < R; ++r) rows.out[r][i] = out[r];
  }
  // The columns behind the last whole vector, one by one in the lanes of a last one.
  for (int64_t d = vectors * kLanes; d < shape.head_dim; ++d) {
    for (int r = 0; r < R; ++r) {
      float out = rows.out[r][vectors][d - vectors * kLanes];
      for (int64_t key = 0; key < kBlock; ++key) {
        out += p[r][key] * to_float(v[key * shape.head_dim + d]);
      }
      rows.out[r][vectors][d - vectors * kLanes] = out;
    }
  }
}

/// Folds one block into the running softmax of R heads of one token.
template <int R, typename T>
void fold_block(const ForwardTask& task, int64_t position, int64_t block, const float* q,
                Rows<R>& rows) {
  const AttentionShape& shape = task.problem->shape;
  const int64_t head_elements = shape.head_dim * kBlock;
  const int64_t offset =
      (int64_t{task.span->blocks[block]} * shape.kv_heads + task.kv_head) * head_elements;
  Vec scores[R][2];
  score_block<R>(shape, q, shape.head_dim, static_cast<const T*>(task.problem->blocks.k) + offset,
                 scores);
  float p[R][kBlock];
  const int64_t vectors = (shape.head_dim + kLanes - 1) / kLanes;
  for (int r = 0; r < R; ++r) {
    hide(shape, position, block * kBlock, scores[r]);
    const float block_max = max(select(scores[r][0] > scores[r][1], scores[r][0], scores[r][1]));
    const float maximum = block_max > rows.maximum[r] ? block_max : rows.maximum[r];
    const float keep = exp(splat(rows.maximum[r] - maximum))[0];
    const Vec p0 = exp(scores[r][0] - maximum), p1 = exp(scores[r][1] - maximum);
    store(p[r], p0);
    store(p[r] + kLanes, p1);
    rows.total[r] = rows.total[r] * keep + sum(p0 + p1);
    rows.maximum[r] = maximum;
    for (int64_t i = 0; i < vectors; ++i) rows.out[r][i] *= keep;
  }
  add_values<R>(shape, static_cast<const T*>(task.problem->blocks.v) + offset, p, rows);
}

/// R heads of one token from the first visible block to its own.
template <int R, typename T>
void attend_token(const ForwardTask& task, int64_t token, int64_t position, int64_t head) {
  const AttentionForward& problem = *task.problem;
  const AttentionShape& shape = problem.shape;
  const int64_t row = (token * shape.heads + head) * shape.head_dim;
  float q[R * kMaxDim];
  for (int64_t i = 0; i < R * shape.head_dim; ++i) {
    q[i] = to_float(static_cast<const T*>(problem.q)[row + i]);
  }
  Rows<R> rows;
  for (int r = 0; r < R; ++r) {
    rows.maximum[r] = kHidden;
    rows.total[r] = 0;
    for (Vec& v : rows.out[r]) v = Vec{};
  }
  const int64_t oldest =
      shape.window > 0 && position >= shape.window ? position - shape.window + 1 : 0;
  for (int64_t block = oldest / kBlock; block <= position / kBlock; ++block) {
    fold_block<R, T>(task, position, block, q, rows);
  }
  for (int r = 0; r < R; ++r) {
    const float inverse = 1.0f / rows.total[r];
    float values[kMaxDim];
    for (int64_t i = 0; i < (shape.head_dim + kLanes - 1) / kLanes; ++i) {
      store(values + i * kLanes, rows.out[r][i] * inverse);
    }
    T* out = static_cast<T*>(problem.out) + row + r * shape.head_dim;
    for (int64_t d = 0; d < shape.head_dim; ++d) {
      if constexpr (sizeof(T) == 4) {
        out[d] = values[d];
      } else {
        out[d] = to_bf16(values[d]);
      }
    }
    if (problem.log_sum_exp) {
      problem.log_sum_exp[token * shape.heads + head + r] =
          rows.maximum[r] + __builtin_logf(rows.total[r]);
    }
  }
}

template <typename T>
void forward_tokens(const ForwardTask& task) {
  const AttentionShape& shape = task.problem->shape;
  const int64_t group = shape.heads / shape.kv_heads, first = task.kv_head * group;
  for (int64_t i = task.token_begin; i < task.token_end; ++i) {
    const int64_t token = task.span->query_begin + i, position = task.span->first_position + i;
    int64_t g = 0;
    for (; g + 4 <= group; g += 4) attend_token<4, T>(task, token, position, first + g);
    switch (group - g) {
      case 3:
        attend_token<3, T>(task, token, position, first + g);
        break;
      case 2:
        attend_token<2, T>(task, token, position, first + g);
        break;
      case 1:
        attend_token<1, T>(task, token, position, first + g);
        break;
    }
  }
}

void forward(const ForwardTask& task) {
  if (task.problem->shape.type == DType::f32) {
    forward_tokens<float>(task);
  } else {
    forward_tokens<bf16>(task);
  }
}

/// The keys and values that one segment sees, in position order, gathered for the backward.
struct Chain {
  int64_t keys = 0, stride = 0, dim = 0;  // stride: padded keys; dim: padded head_dim
  float *k_t, *v_t, *k, *grad_k, *grad_v, *p, *ds, *q, *grad_out, *grad_q;
};

Chain lay_out(const BackwardTask& task) {
  Chain chain;
  chain.stride = padded_keys(task.max_keys);
  chain.dim = padded_dim(task.problem->shape.head_dim);
  const int64_t matrix = chain.stride * chain.dim;
  float* next = task.scratch;
  for (float** part : {&chain.k_t, &chain.v_t, &chain.k, &chain.grad_k, &chain.grad_v}) {
    *part = next;
    next += matrix;
  }
  chain.p = next;
  chain.ds = chain.p + chain.stride;
  chain.q = chain.ds + chain.stride;
  chain.grad_out = chain.q + chain.dim;
  chain.grad_q = chain.grad_out + chain.dim;
  __builtin_memset(
      task.scratch, 0,
      sizeof(float) * backward_scratch_floats(task.problem->shape.head_dim, task.max_keys));
  return chain;
}

/// Calls body(token, index) for the tokens of a segment and its ancestors, index in position order.
template <typename Body>
int64_t for_each_key(const BackwardTask& task, int64_t segment, const Body& body) {
  const TreeSegment& own = task.problem->segments[segment];
  const int64_t before = own.parent < 0 ? 0 : for_each_key(task, own.parent, body);
  for (int64_t i = 0; i < own.count; ++i) body(own.begin + i, before + i);
  return before + own.count;
}

template <typename T>
void gather(const BackwardTask& task, int64_t segment, Chain& chain) {
  const AttentionShape& shape = task.problem->shape;
  const T *k = static_cast<const T*>(task.problem->k), *v = static_cast<const T*>(task.problem->v);
  chain.keys = for_each_key(task, segment, [&](int64_t token, int64_t index) {
    const int64_t row = (token * shape.kv_heads + task.kv_head) * shape.head_dim;
    for (int64_t d = 0; d < shape.head_dim; ++d) {
      const float key = to_float(k[row + d]);
      chain.k[index * chain.dim + d] = chain.k_t[d * chain.stride + index] = key;
      chain.v_t[d * chain.stride + index] = to_float(v[row + d]);
    }
  });
  __builtin_memset(chain.grad_k, 0, sizeof(float) * 2 * chain.stride * chain.dim);
}

/// p and ds of one query row over its visible keys [first, last).
void row_gradients(const AttentionShape& shape, const Chain& chain, int64_t first, int64_t last,
                   float log_sum_exp, float delta) {
  for (int64_t i = first / kLanes * kLanes; i < last; i += kLanes) {
    Vec score{}, grad_p{};
    for (int64_t d = 0; d < shape.head_dim; ++d) {
      score += chain.q[d] * load(chain.k_t + d * chain.stride + i);
      grad_p += chain.grad_out[d] * load(chain.v_t + d * chain.stride + i);
    }
    score *= shape.scale;
    Vec slope = splat(shape.scale);
    if (shape.softcap > 0) {
      const Vec capped = tanh(score / shape.softcap);
      slope *= 1.0f - capped * capped;
      score = shape.softcap * capped;
    }
    const Vec key = lane_numbers() + static_cast<float>(i - first);
    const IntVec hidden = (key < 0.0f) | (key >= static_cast<float>(last - first));
    const Vec p = select(hidden, Vec{}, exp(score - log_sum_exp));
    store(chain.p + i, p);
    store(chain.ds + i, p * (grad_p - delta) * slope);
  }
}

/// grad_q of the row; adds to grad_k and grad_v of the keys [first, last).
void spread_gradients(const Chain& chain, int64_t first, int64_t last) {
  for (int64_t d = 0; d < chain.dim; d += kLanes) {
    const Vec q = load(chain.q + d), grad_out = load(chain.grad_out + d);
    Vec grad_q{};
    for (int64_t key = first; key < last; ++key) {
      const float ds = chain.ds[key];
      float *grad_k = chain.grad_k + key * chain.dim + d,
            *grad_v = chain.grad_v + key * chain.dim + d;
      grad_q += ds * load(chain.k + key * chain.dim + d);
      store(grad_k, load(grad_k) + ds * q);
      store(grad_v, load(grad_v) + chain.p[key] * grad_out);
    }
    store(chain.grad_q + d, grad_q);
  }
}

template <typename T>
void backward_row(const BackwardTask& task, const Chain& chain, int64_t token, int64_t head,
                  int64_t last) {
  const AttentionBackward& problem = *task.problem;
  const AttentionShape& shape = problem.shape;
  const int64_t row = (token * shape.heads + head) * shape.head_dim;
  float delta = 0;
  for (int64_t d = 0; d < shape.head_dim; ++d) {
    chain.q[d] = to_float(static_cast<const T*>(problem.q)[row + d]);
    chain.grad_out[d] = to_float(static_cast<const T*>(problem.grad_out)[row + d]);
    delta += chain.grad_out[d] * to_float(static_cast<const T*>(problem.out)[row + d]);
  }
  const int64_t first = shape.window > 0 && last > shape.window ? last - shape.window : 0;
  row_gradients(shape, chain, first, last, problem.log_sum_exp[token * shape.heads + head], delta);
  spread_gradients(chain, first, last);
  for (int64_t d = 0; d < shape.head_dim; ++d) problem.grad_q[row + d] = chain.grad_q[d];
}

template <typename T>
void backward_segments(const BackwardTask& task) {
  const AttentionBackward& problem = *task.problem;
  const AttentionShape& shape = problem.shape;
  const int64_t group = shape.heads / shape.kv_heads;
  Chain chain = lay_out(task);
  const auto row_of = [&](int64_t token) {
    return (token * shape.kv_heads + task.kv_head) * shape.head_dim;
  };
  for (int64_t s = task.segment_begin; s < task.segment_end; ++s) {
    const TreeSegment& segment = problem.segments[s];
    for (int64_t token = segment.begin; token < segment.begin + segment.count; ++token) {
      for (int64_t d = 0; d < shape.head_dim; ++d) {
        problem.grad_k[row_of(token) + d] = problem.grad_v[row_of(token) + d] = 0;
      }
    }
    gather<T>(task, s, chain);
    const int64_t before = chain.keys - segment.count;
    for (int64_t i = 0; i < segment.count; ++i) {
      for (int64_t g = 0; g < group; ++g) {
        backward_row<T>(task, chain, segment.begin + i, task.kv_head * group + g, before + i + 1);
      }
    }
    for_each_key(task, s, [&](int64_t token, int64_t index) {
      for (int64_t d = 0; d < shape.head_dim; ++d) {
        problem.grad_k[row_of(token) + d] += chain.grad_k[index * chain.dim + d];
        problem.grad_v[row_of(token) + d] += chain.grad_v[index * chain.dim + d];
      }
    });
  }
}

void backward(const BackwardTask& task) {
  if (task.problem->shape.type == DType::f32) {
    backward_segments<float>(task);
  } else {
    backward_segments<bf16>(task);
  }
}

}  // namespace

const AttentionTable& attention_table() {
  static constexpr AttentionTable table{forward, backward};
  return table;
}

}  // namespace hone::kernels::HONE_ISA
