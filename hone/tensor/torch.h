#pragma once

// The lean precompiled header of every library that sees libtorch; the only place that includes
// autograd and operator registration. Single operators come from <ATen/ops/NAME.h>.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "hone/base/check.h"
