#include "hone/ops/kernel_choice.h"

namespace hone::ops {
namespace {

thread_local bool plain_only = false;

}  // namespace

bool use_kernels(const at::Tensor& tensor) {
  return tensor.is_cpu() && !plain_only;
}

PlainScope::PlainScope() : before_(plain_only) {
  plain_only = true;
}

PlainScope::~PlainScope() {
  plain_only = before_;
}

}  // namespace hone::ops
