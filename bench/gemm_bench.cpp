#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "hone/kernels/gemm.h"

/// Matrix products at the shapes of a small language model; HONE_ISA chooses the path.
namespace hone::kernels {
namespace {

/// Arguments: rows, columns, depth.
template <typename Value, DType kType>
void run_gemm(benchmark::State& state, bool accumulate) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  std::vector<float> values(std::max(m, n) * k);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 2001) - 1000;
  std::vector<Value> a(m * k), b(n * k);
  for (auto* operand : {&a, &b}) {
    if constexpr (kType == DType::bf16) {
      convert(values.data(), operand->data(), operand->size());
    } else {
      std::copy_n(values.begin(), operand->size(), operand->begin());
    }
  }
  std::vector<float> c(m * n);
  const Gemm problem{m, n, k, kType, a.data(), k, b.data(), k, c.data(), n, accumulate};
  for (auto _ : state) gemm(problem);
  state.counters["flop/s"] = benchmark::Counter(
      2.0 * m * n * k, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
  state.SetLabel(isa_name(current_isa()));
}

void gemm_bf16(benchmark::State& state) {
  run_gemm<bf16, DType::bf16>(state, false);
}
void gemm_bf16_accumulate(benchmark::State& state) {
  run_gemm<bf16, DType::bf16>(state, true);
}
void gemm_f32(benchmark::State& state) {
  run_gemm<float, DType::f32>(state, false);
}

void shapes_of_layers(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"m", "n", "k"})->UseRealTime();
  for (auto [n, k] : {std::pair{1536, 576}, {576, 1536}, {49152, 576}, {2048, 2048}}) {
    for (int64_t m : {1, 8, 32, 256, 1024}) bench->Args({m, n, k});
  }
}

void shapes_of_weight_gradients(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"m", "n", "k"})->UseRealTime();
  for (int64_t m : {576, 1536, 2048}) bench->Args({m, 576, 1350});
}

BENCHMARK(gemm_bf16)->Apply(shapes_of_layers);
BENCHMARK(gemm_f32)->Apply(shapes_of_layers);
BENCHMARK(gemm_bf16_accumulate)->Apply(shapes_of_weight_gradients);

void transpose_bf16(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  std::vector<bf16> in(rows * columns), out(rows * columns);
  for (auto _ : state) {
    transpose({rows, columns, DType::bf16, in.data(), columns, out.data(), rows});
  }
  state.SetBytesProcessed(state.iterations() * 4 * rows * columns);
}
BENCHMARK(transpose_bf16)->Args({1350, 1536})->Args({2048, 2048})->UseRealTime();

void convert_to_bf16(benchmark::State& state) {
  std::vector<float> in(state.range(0));
  std::vector<bf16> out(state.range(0));
  for (auto _ : state) convert(in.data(), out.data(), in.size());
  state.SetBytesProcessed(state.iterations() * 6 * state.range(0));
}
BENCHMARK(convert_to_bf16)->Arg(1 << 20)->UseRealTime();

}  // namespace
}  // namespace hone::kernels

BENCHMARK_MAIN();
