#include "hone/nn/recompute.h"

#include <torch/csrc/autograd/autograd.h>

namespace hone::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Segment : torch::CustomClassHolder {
  explicit Segment(std::function<at::Tensor(const at::Tensor&)> run) : run(std::move(run)) {}
  std::function<at::Tensor(const at::Tensor&)> run;
};

struct RecomputeFunction : torch::autograd::Function<RecomputeFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const c10::intrusive_ptr<Segment>& segment) {
    context->save_for_backward({x});
    context->saved_data["segment"] = c10::IValue::make_capsule(segment);
    return segment->run(x);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto holder = context->saved_data["segment"].toCapsule();
    const at::Tensor x = context->get_saved_variables()[0].detach().set_requires_grad(true);
    at::Tensor y;
    {
      const at::AutoGradMode recording(true);
      y = static_cast<const Segment&>(*holder).run(x);
    }
    return {torch::autograd::grad({y}, {x}, {gradients[0]})[0], at::Tensor()};
  }
};

}  // namespace

at::Tensor recompute(std::function<at::Tensor(const at::Tensor&)> segment, const at::Tensor& x) {
  return RecomputeFunction::apply(x, c10::make_intrusive<Segment>(std::move(segment)));
}

}  // namespace hone::nn
