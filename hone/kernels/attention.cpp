#include "hone/kernels/attention.h"

#include <algorithm>
#include <vector>

#include "hone/kernels/attention_kernels.h"
#include "hone/kernels/isa.h"

namespace hone::kernels {

HONE_DECLARE_PER_ISA(const AttentionTable& attention_table())

namespace {

constexpr int64_t kTaskTokens = 16;
constexpr int64_t kMaxHeadDim = 512;

const AttentionTable& table_of(Isa isa) {
  return HONE_CALL_PER_ISA(isa, attention_table);
}

void assert_shape(const AttentionShape& shape) {
  HONE_ASSERT(shape.kv_heads > 0 && shape.heads % shape.kv_heads == 0 && shape.head_dim > 0 &&
                  shape.head_dim <= kMaxHeadDim,
              "{} heads over {} of dimension {}", shape.heads, shape.kv_heads, shape.head_dim);
}

template <typename T>
void write_rows(const AttentionShape& shape, const KvWrite& write, const T* k, const T* v,
                KvBlocks blocks) {
  const int64_t dim = shape.head_dim, block = kKvBlockTokens;
  for (int64_t h = 0; h < shape.kv_heads; ++h) {
    const int64_t base = (int64_t{write.block} * shape.kv_heads + h) * dim * block;
    T *keys = static_cast<T*>(blocks.k) + base, *values = static_cast<T*>(blocks.v) + base;
    for (int64_t d = 0; d < dim; ++d) {
      keys[d * block + write.slot] = k[h * dim + d];
      values[write.slot * dim + d] = v[h * dim + d];
    }
  }
}

/// Trees of the batch as ranges of segments; a segment's parent lies in its own tree.
std::vector<std::pair<int64_t, int64_t>> tree_ranges(const AttentionBackward& problem) {
  std::vector<std::pair<int64_t, int64_t>> trees;
  for (int64_t s = 0; s < problem.segment_count; ++s) {
    if (problem.segments[s].parent < 0) trees.emplace_back(s, s);
    HONE_ASSERT(!trees.empty() && (problem.segments[s].parent < 0 ||
                                   problem.segments[s].parent >= trees.back().first),
                "segment {} lies outside its tree", s);
    trees.back().second = s + 1;
  }
  return trees;
}

}  // namespace

void write_kv(const AttentionShape& shape, const void* k, int64_t k_stride, const void* v,
              int64_t v_stride, const KvWrite* writes, int64_t write_count, KvBlocks blocks) {
  assert_shape(shape);
  ThreadPool::global().parallel_for((write_count + kTaskTokens - 1) / kTaskTokens, [&](int64_t i) {
    const int64_t end = std::min(write_count, (i + 1) * kTaskTokens);
    for (int64_t w = i * kTaskTokens; w < end; ++w) {
      if (shape.type == DType::f32) {
        write_rows(shape, writes[w], static_cast<const float*>(k) + writes[w].token * k_stride,
                   static_cast<const float*>(v) + writes[w].token * v_stride, blocks);
      } else {
        write_rows(shape, writes[w], static_cast<const bf16*>(k) + writes[w].token * k_stride,
                   static_cast<const bf16*>(v) + writes[w].token * v_stride, blocks);
      }
    }
  });
}

void attention_forward(const AttentionForward& problem, Isa isa, ThreadPool& pool) {
  assert_shape(problem.shape);
  std::vector<ForwardTask> tasks;
  for (int64_t s = 0; s < problem.span_count; ++s) {
    const auto& span = problem.spans[s];
    for (int64_t begin = 0; begin < span.query_count; begin += kTaskTokens) {
      const int64_t end = std::min(span.query_count, begin + kTaskTokens);
      for (int64_t h = 0; h < problem.shape.kv_heads; ++h) {
        tasks.push_back({&problem, &span, h, begin, end});
      }
    }
  }
  const auto& table = table_of(isa);
  pool.parallel_for(static_cast<int64_t>(tasks.size()),
                    [&](int64_t i) { table.forward(tasks[i]); });
}

void attention_backward(const AttentionBackward& problem, Isa isa, ThreadPool& pool) {
  assert_shape(problem.shape);
  std::vector<BackwardTask> tasks;
  std::vector<int64_t> end_position(problem.segment_count);
  for (const auto& [begin, end] : tree_ranges(problem)) {
    int64_t max_keys = 0;
    for (int64_t s = begin; s < end; ++s) {
      const auto& segment = problem.segments[s];
      end_position[s] = segment.count + (segment.parent < 0 ? 0 : end_position[segment.parent]);
      max_keys = std::max(max_keys, end_position[s]);
    }
    for (int64_t h = 0; h < problem.shape.kv_heads; ++h) {
      tasks.push_back({&problem, h, begin, end, nullptr, max_keys});
    }
  }
  const auto& table = table_of(isa);
  pool.parallel_for(static_cast<int64_t>(tasks.size()), [&](int64_t i) {
    thread_local std::vector<float> scratch;
    BackwardTask task = tasks[i];
    const auto floats = backward_scratch_floats(problem.shape.head_dim, task.max_keys);
    if (static_cast<int64_t>(scratch.size()) < floats) scratch.resize(floats);
    task.scratch = scratch.data();
    table.backward(task);
  });
}

}  // namespace hone::kernels
