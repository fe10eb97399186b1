#include <cmath>
#include <vector>

#include "hone/kernels/adamw.h"
#include "hone/kernels/pointwise.h"

/// Plain twins in double: one loop each, rounded once.
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

double inverse_rms(const RmsNorm& problem, int64_t row) {
  double squares = 0;
  for (int64_t c = 0; c < problem.columns; ++c) {
    const double x = problem.x[row * problem.x_stride + c];
    squares += x * x;
  }
  return 1 / std::sqrt(squares / static_cast<double>(problem.columns) + problem.eps);
}

struct ActivationValue {
  double value = 0, slope = 0;
};

ActivationValue activate(Activation activation, double x) {
  if (activation == Activation::silu) {
    const double s = 1 / (1 + std::exp(-x));
    return {x * s, s * (1 + x * (1 - s))};
  }
  const double scale = std::sqrt(2 / M_PI);
  const double t = std::tanh(scale * (x + 0.044715 * x * x * x));
  const double inner = scale * (1 + 3 * 0.044715 * x * x);
  return {0.5 * x * (1 + t), 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner};
}

}  // namespace

void rms_norm_reference(const RmsNorm& problem) {
  for (int64_t row = 0; row < problem.rows; ++row) {
    const double inverse = inverse_rms(problem, row);
    if (problem.inverse_rms) problem.inverse_rms[row] = static_cast<float>(inverse);
    for (int64_t c = 0; c < problem.columns; ++c) {
      const double weight = double{problem.weight[c]} + problem.weight_offset;
      write(problem.y, problem.type, row * problem.columns + c,
            problem.x[row * problem.x_stride + c] * inverse * weight);
    }
  }
}

void rms_norm_backward_reference(const RmsNormBackward& problem) {
  const RmsNorm& forward = problem.forward;
  const int64_t columns = forward.columns;
  for (int64_t row = 0; row < forward.rows; ++row) {
    const double inverse = inverse_rms(forward, row);
    double mean = 0;
    const auto grad = [&](int64_t c) {
      return read(problem.grad_y, forward.type, row * columns + c);
    };
    const auto normal = [&](int64_t c) { return forward.x[row * forward.x_stride + c] * inverse; };
    const auto weight = [&](int64_t c) {
      return double{forward.weight[c]} + forward.weight_offset;
    };
    for (int64_t c = 0; c < columns; ++c) mean += grad(c) * weight(c) * normal(c);
    mean /= static_cast<double>(columns);
    for (int64_t c = 0; c < columns; ++c) {
      problem.grad_x[row * columns + c] =
          static_cast<float>((grad(c) * weight(c) - normal(c) * mean) * inverse);
      problem.grad_weight[c] += static_cast<float>(grad(c) * normal(c));
    }
  }
}

void rope_reference(const Rope& problem) {
  const int64_t half = problem.rotary_dim / 2;
  for (int64_t token = 0; token < problem.tokens; ++token) {
    for (int64_t head = 0; head < problem.heads; ++head) {
      const int64_t in = token * problem.x_stride + head * problem.head_dim;
      const int64_t out = token * problem.y_stride + head * problem.head_dim;
      for (int64_t i = 0; i < problem.head_dim; ++i) {
        const double x = read(problem.x, problem.x_type, in + i);
        if (i >= 2 * half) {
          write(problem.y, problem.y_type, out + i, x);
          continue;
        }
        const int64_t pair = problem.positions[token] * half + i % half;
        const double other = read(problem.x, problem.x_type, in + (i < half ? i + half : i - half));
        const double sine =
            (i < half) != problem.inverse ? -problem.sine[pair] : problem.sine[pair];
        write(problem.y, problem.y_type, out + i, x * problem.cosine[pair] + other * sine);
      }
    }
  }
}

void gated_activation_reference(const GatedActivation& problem) {
  for (int64_t row = 0; row < problem.rows; ++row) {
    const float* gate = problem.gate_up + row * 2 * problem.columns;
    for (int64_t c = 0; c < problem.columns; ++c) {
      write(problem.y, problem.type, row * problem.columns + c,
            activate(problem.activation, gate[c]).value * gate[problem.columns + c]);
    }
  }
}

void gated_activation_backward_reference(const GatedActivationBackward& problem) {
  const GatedActivation& forward = problem.forward;
  for (int64_t row = 0; row < forward.rows; ++row) {
    const float* gate = forward.gate_up + row * 2 * forward.columns;
    float* out = problem.grad_gate_up + row * 2 * forward.columns;
    for (int64_t c = 0; c < forward.columns; ++c) {
      const double grad = read(problem.grad_y, forward.type, row * forward.columns + c);
      const ActivationValue active = activate(forward.activation, gate[c]);
      out[c] = static_cast<float>(grad * gate[forward.columns + c] * active.slope);
      out[forward.columns + c] = static_cast<float>(grad * active.value);
    }
  }
}

void adamw_reference(const AdamW& problem) {
  for (int64_t i = 0; i < problem.count; ++i) {
    const double grad = double{problem.grad[i]} * problem.grad_scale;
    const double m = problem.beta1 * double{problem.first_moment[i]} + (1 - problem.beta1) * grad;
    const double v =
        problem.beta2 * double{problem.second_moment[i]} + (1 - problem.beta2) * grad * grad;
    const double update =
        m / problem.bias_correction1 / (std::sqrt(v / problem.bias_correction2) + problem.eps);
    const double master =
        problem.master[i] * (1 - double{problem.lr} * problem.weight_decay) - problem.lr * update;
    problem.first_moment[i] = static_cast<float>(m);
    problem.second_moment[i] = static_cast<float>(v);
    problem.master[i] = static_cast<float>(master);
    write(problem.value, problem.type, i, problem.master[i]);
  }
}

}  // namespace hone::kernels
