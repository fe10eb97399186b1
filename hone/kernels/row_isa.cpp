#include "hone/kernels/exp.h"
#include "hone/kernels/row_kernels.h"

namespace hone::kernels::HONE_ISA {
namespace {

/// Calls body(offset, count) for whole vectors and then for the rest, which the callers load and
/// store through padded copies, so that every element sees the same arithmetic.
template <typename Body>
void for_each_vector(int64_t count, const Body& body) {
  for (int64_t i = 0; i < count; i += kLanes) body(i, count - i < kLanes ? count - i : kLanes);
}

template <typename T>
Vec load_some(const T* p, int64_t count) {
  if (count == kLanes) return load(p);
  T padded[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) padded[i] = p[i];
  return load(padded);
}

template <typename T>
void store_some(T* p, Vec v, int64_t count) {
  if (count == kLanes) return store(p, v);
  T padded[kLanes];
  store(padded, v);
  for (int64_t i = 0; i < count; ++i) p[i] = padded[i];
}

void store_typed(void* p, DType type, int64_t offset, Vec v, int64_t count) {
  if (type == DType::f32) {
    store_some(static_cast<float*>(p) + offset, v, count);
  } else {
    store_some(static_cast<bf16*>(p) + offset, v, count);
  }
}

Vec load_typed(const void* p, DType type, int64_t offset, int64_t count) {
  return type == DType::f32 ? load_some(static_cast<const float*>(p) + offset, count)
                            : load_some(static_cast<const bf16*>(p) + offset, count);
}

void rms_norm(const RmsNorm& problem, int64_t begin, int64_t end) {
  const int64_t columns = problem.columns;
  for (int64_t row = begin; row < end; ++row) {
    const float* x = problem.x + row * problem.x_stride;
    Vec squares{};
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec v = load_some(x + i, count);
      squares += v * v;
    });
    const float mean = sum(squares) / static_cast<float>(columns);
    const float inverse = 1.0f / __builtin_sqrtf(mean + problem.eps);
    if (problem.inverse_rms) problem.inverse_rms[row] = inverse;
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec weight = load_some(problem.weight + i, count) + problem.weight_offset;
      store_typed(problem.y, problem.type, row * columns + i,
                  load_some(x + i, count) * inverse * weight, count);
    });
  }
}

/// grad_x = r (g - x̂ mean(g x̂)) with g = grad_y * weight and x̂ = x r; grad_weight += grad_y x̂.
void rms_norm_backward(const RmsNormBackward& problem, int64_t begin, int64_t end,
                       float* grad_weight) {
  const RmsNorm& forward = problem.forward;
  const int64_t columns = forward.columns;
  for (int64_t row = begin; row < end; ++row) {
    const float* x = forward.x + row * forward.x_stride;
    const float inverse = forward.inverse_rms[row];
    Vec products{};
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec weight = load_some(forward.weight + i, count) + forward.weight_offset;
      const Vec grad = load_typed(problem.grad_y, forward.type, row * columns + i, count);
      const Vec normal = load_some(x + i, count) * inverse;
      // Lanes behind the end hold zero gradients.
      products += grad * weight * normal;
      store_some(grad_weight + i, load_some(grad_weight + i, count) + grad * normal, count);
    });
    const float mean = sum(products) / static_cast<float>(columns);
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec weight = load_some(forward.weight + i, count) + forward.weight_offset;
      const Vec grad = load_typed(problem.grad_y, forward.type, row * columns + i, count);
      const Vec normal = load_some(x + i, count) * inverse;
      store_some(problem.grad_x + row * columns + i, (grad * weight - normal * mean) * inverse,
                 count);
    });
  }
}

void rope_head(const Rope& problem, const float* cosine, const float* sine, int64_t in,
               int64_t out) {
  const int64_t half = problem.rotary_dim / 2;
  for_each_vector(half, [&](int64_t i, int64_t count) {
    const Vec low = load_typed(problem.x, problem.x_type, in + i, count);
    const Vec high = load_typed(problem.x, problem.x_type, in + half + i, count);
    const Vec c = load_some(cosine + i, count);
    const Vec s = problem.inverse ? -load_some(sine + i, count) : load_some(sine + i, count);
    store_typed(problem.y, problem.y_type, out + i, low * c - high * s, count);
    store_typed(problem.y, problem.y_type, out + half + i, high * c + low * s, count);
  });
  for_each_vector(problem.head_dim - 2 * half, [&](int64_t i, int64_t count) {
    store_typed(problem.y, problem.y_type, out + 2 * half + i,
                load_typed(problem.x, problem.x_type, in + 2 * half + i, count), count);
  });
}

void rope(const Rope& problem, int64_t begin, int64_t end) {
  const int64_t half = problem.rotary_dim / 2;
  for (int64_t token = begin; token < end; ++token) {
    const int64_t row = problem.positions[token] * half;
    for (int64_t head = 0; head < problem.heads; ++head) {
      rope_head(problem, problem.cosine + row, problem.sine + row,
                token * problem.x_stride + head * problem.head_dim,
                token * problem.y_stride + head * problem.head_dim);
    }
  }
}

struct Activated {
  Vec value, slope;
};

Activated activate(Activation activation, Vec x) {
  if (activation == Activation::silu) {
    const Vec sigmoid = 1.0f / (1.0f + exp(-x));
    return {x * sigmoid, sigmoid * (1.0f + x * (1.0f - sigmoid))};
  }
  // With u = e^2y, (1 + tanh y) / 2 = u / (u + 1) and 1 - tanh² y = 4 u / (u + 1)²: no
  // cancellation.
  constexpr float kScale = 0.7978845608028654f;
  const Vec u = exp(2 * kScale * (x + 0.044715f * x * x * x));
  const Vec share = u / (u + 1.0f), inner = kScale * (1.0f + 3.0f * 0.044715f * x * x);
  return {x * share, share + 2.0f * x * share / (u + 1.0f) * inner};
}

void gated_activation(const GatedActivation& problem, int64_t begin, int64_t end) {
  const int64_t columns = problem.columns;
  for (int64_t row = begin; row < end; ++row) {
    const float *gate = problem.gate_up + row * 2 * columns, *up = gate + columns;
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec value = activate(problem.activation, load_some(gate + i, count)).value;
      store_typed(problem.y, problem.type, row * columns + i, value * load_some(up + i, count),
                  count);
    });
  }
}

void gated_activation_backward(const GatedActivationBackward& problem, int64_t begin, int64_t end) {
  const GatedActivation& forward = problem.forward;
  const int64_t columns = forward.columns;
  for (int64_t row = begin; row < end; ++row) {
    const float *gate = forward.gate_up + row * 2 * columns, *up = gate + columns;
    float *grad_gate = problem.grad_gate_up + row * 2 * columns, *grad_up = grad_gate + columns;
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec grad = load_typed(problem.grad_y, forward.type, row * columns + i, count);
      const Activated active = activate(forward.activation, load_some(gate + i, count));
      store_some(grad_gate + i, grad * load_some(up + i, count) * active.slope, count);
      store_some(grad_up + i, grad * active.value, count);
    });
  }
}

Vec square_root(Vec v) {
  for (int i = 0; i < kLanes; ++i) v[i] = __builtin_sqrtf(v[i]);
  return v;
}

void adamw(const AdamW& problem, int64_t begin, int64_t end) {
  const float step = problem.lr / problem.bias_correction1;
  const float root = 1.0f / __builtin_sqrtf(problem.bias_correction2);
  const float keep = 1.0f - problem.lr * problem.weight_decay;
  for_each_vector(end - begin, [&](int64_t offset, int64_t count) {
    const int64_t i = begin + offset;
    const Vec grad = load_some(problem.grad + i, count) * problem.grad_scale;
    const Vec m =
        problem.beta1 * load_some(problem.first_moment + i, count) + (1.0f - problem.beta1) * grad;
    const Vec v = problem.beta2 * load_some(problem.second_moment + i, count) +
                  (1.0f - problem.beta2) * grad * grad;
    const Vec master = load_some(problem.master + i, count) * keep -
                       step * m / (square_root(v) * root + problem.eps);
    store_some(problem.first_moment + i, m, count);
    store_some(problem.second_moment + i, v, count);
    store_some(problem.master + i, master, count);
    store_typed(problem.value, problem.type, i, master, count);
  });
}

Vec cap_vector(Vec logits, float softcap) {
  return softcap > 0 ? softcap * tanh(logits / softcap) : logits;
}

void cap(float* logits, int64_t count, float softcap) {
  for_each_vector(count, [&](int64_t i, int64_t some) {
    store_some(logits + i, cap_vector(load_some(logits + i, some), softcap), some);
  });
}

IntVec lanes_from(int64_t count) {
  IntVec v;
  for (int i = 0; i < kLanes; ++i) v[i] = i >= count ? -1 : 0;
  return v;
}

Vec scaled(const ChunkRow& row, int64_t i, int64_t count) {
  const Vec z = cap_vector(load_some(row.raw + i, count), row.softcap) * row.inverse_temperature;
  return count == kLanes ? z : select(lanes_from(count), splat(-__builtin_huge_valf()), z);
}

void fold_chunk(const ChunkRow& row, RowState& state) {
  Vec largest = splat(state.maximum);
  for_each_vector(row.count, [&](int64_t i, int64_t count) {
    const Vec z = scaled(row, i, count);
    // A NaN is taken and then stays, as no comparison with it holds.
    largest = select(z <= largest, largest, z);
  });
  float maximum = largest[0];
  for (int i = 1; i < kLanes; ++i) maximum = largest[i] <= maximum ? maximum : largest[i];
  // Nothing but -infinity so far: there is no sum to rescale.
  if (maximum == -__builtin_huge_valf()) return;
  Vec total{}, weighted{};
  for_each_vector(row.count, [&](int64_t i, int64_t count) {
    const Vec shifted = scaled(row, i, count) - maximum;
    const Vec e = exp(shifted);
    total += e;
    weighted += select(e == 0.0f, Vec{}, e * shifted);
  });
  const float shift = state.maximum - maximum;
  const float keep = exp(splat(shift))[0];
  const float shifted_weighted = keep == 0 ? 0 : keep * (state.weighted + shift * state.total);
  state.weighted = shifted_weighted + sum(weighted);
  state.total = state.total * keep + sum(total);
  state.maximum = maximum;
}

void chunk_gradient(const ChunkGradient& problem) {
  const ChunkRow& row = problem.row;
  for_each_vector(row.count, [&](int64_t i, int64_t count) {
    const Vec log_p = scaled(row, i, count) - problem.log_sum_exp;
    const Vec p = exp(log_p);
    Vec grad = -problem.grad_log_prob * p;
    if (problem.grad_entropy != 0) {
      grad -= select(p == 0.0f, Vec{}, problem.grad_entropy * p * (log_p + problem.entropy));
    }
    if (problem.target >= i && problem.target < i + count) {
      grad[problem.target - i] += problem.grad_log_prob;
    }
    grad *= row.inverse_temperature;
    if (row.softcap > 0) {
      const Vec t = tanh(load_some(row.raw + i, count) / row.softcap);
      grad *= 1.0f - t * t;
    }
    store_typed(problem.out, problem.type, i, grad, count);
  });
}

}  // namespace

const RowTable& row_table() {
  static constexpr RowTable table{
      rms_norm,   rms_norm_backward, rope, gated_activation, gated_activation_backward, adamw,
      fold_chunk, chunk_gradient,    cap};
  return table;
}

}  // namespace hone::kernels::HONE_ISA
