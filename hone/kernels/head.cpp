#include "hone/kernels/head.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/kernels/gemm.h"
#include "hone/kernels/head_kernels.h"
#include "hone/kernels/isa.h"

namespace hone::kernels {

HONE_DECLARE_PER_ISA(const HeadKernels& head_kernels())

namespace {

constexpr int64_t kRowBlock = 512;  // rows whose chunk of logits is held at once

/// Where the work runs.
struct Machine {
  Isa isa;
  ThreadPool& pool;
  const HeadKernels& kernels = HONE_CALL_PER_ISA(isa, head_kernels);
};

/// Rows [row, row + rows) times vocabulary entries [first, first + count).
struct Block {
  int64_t row = 0, rows = 0, first = 0, count = 0;
};

/// Calls body(row, rows) for each block of rows, in order.
template <typename Body>
void for_row_blocks(int64_t rows, const Body& body) {
  for (int64_t row = 0; row < rows; row += kRowBlock) body(row, std::min(kRowBlock, rows - row));
}

/// Calls body(block) for each chunk of the vocabulary, in order.
template <typename Body>
void for_chunks(int64_t row, int64_t rows, int64_t vocabulary, const Body& body) {
  for (int64_t first = 0; first < vocabulary; first += kVocabularyChunk) {
    body(Block{row, rows, first, std::min(kVocabularyChunk, vocabulary - first)});
  }
}

const void* element(const void* base, DType type, int64_t offset) {
  return static_cast<const char*>(base) + offset * size_of(type);
}

const void* x_rows(const Head& head, const Block& block) {
  return element(head.x, head.type, block.row * head.columns);
}

const void* w_rows(const Head& head, const Block& block) {
  return element(head.w, head.type, block.first * head.columns);
}

void block_logits(const Head& head, const Block& block, float* logits, int64_t stride,
                  const Machine& machine) {
  gemm({.m = block.rows,
        .n = block.count,
        .k = head.columns,
        .type = head.type,
        .a = x_rows(head, block),
        .a_stride = head.columns,
        .b = w_rows(head, block),
        .b_stride = head.columns,
        .c = logits,
        .c_stride = stride},
       machine.isa, machine.pool);
}

/// The target's place in the block, or -1.
int64_t target_in(const Block& block, const int32_t* targets, int64_t row, int64_t vocabulary) {
  if (!targets) return -1;
  HONE_ASSERT(targets[row] >= 0 && targets[row] < vocabulary, "target {} of row {}, vocabulary {}",
              targets[row], row, vocabulary);
  const int64_t place = targets[row] - block.first;
  return place >= 0 && place < block.count ? place : -1;
}

/// Folds one block of `problem` into the states of its rows; `problem.logits` points at the block.
void fold_block(const LogitRows& problem, float softcap, const Block& block, RowState* states,
                const Machine& machine) {
  machine.pool.parallel_for(block.rows, [&](int64_t r) {
    const int64_t row = block.row + r;
    machine.kernels.fold({.logits = problem.logits + r * problem.stride,
                          .count = block.count,
                          .softcap = softcap,
                          .inverse_temperature = problem.inverse_temperature[row],
                          .target = target_in(block, problem.targets, row, problem.vocabulary)},
                         states[r]);
  });
}

// The largest z adds exactly 1 to the total, so log_total >= 0 and log_prob <= 0.
void finish_row(const RowState& state, int64_t row, const RowStatistics& out) {
  const float log_total = std::log(state.total);
  if (out.log_prob) out.log_prob[row] = (state.target_z - state.maximum) - log_total;
  if (out.log_sum_exp) out.log_sum_exp[row] = state.maximum + log_total;
  if (out.entropy) out.entropy[row] = log_total - state.weighted / state.total;
}

/// Buffers of one block, kept from block to block.
struct BackwardBuffers {
  std::vector<float> logits;
  std::vector<char> dz, dz_t, w_t, x_t;
};

/// dz of a block as [rows][count] of the head's type.
const void* block_gradients(const HeadBackward& problem, const Block& block,
                            BackwardBuffers& buffers, const Machine& machine) {
  const Head& head = problem.forward;
  buffers.logits.resize(block.rows * block.count);
  buffers.dz.resize(block.rows * block.count * size_of(head.type));
  block_logits(head, block, buffers.logits.data(), block.count, machine);
  machine.pool.parallel_for(block.rows, [&](int64_t r) {
    const int64_t row = block.row + r;
    machine.kernels.gradient(
        {.row = {.logits = buffers.logits.data() + r * block.count,
                 .count = block.count,
                 .softcap = head.softcap,
                 .inverse_temperature = head.inverse_temperature[row],
                 .target = target_in(block, head.targets, row, head.vocabulary)},
         .log_sum_exp = head.out.log_sum_exp[row],
         .entropy = problem.grad_entropy ? head.out.entropy[row] : 0,
         .grad_log_prob = problem.grad_log_prob[row],
         .grad_entropy = problem.grad_entropy ? problem.grad_entropy[row] : 0,
         .type = head.type,
         .out = buffers.dz.data() + r * block.count * size_of(head.type)});
  });
  return buffers.dz.data();
}

/// [columns][rows] of a contiguous [rows][columns].
const void* transposed(const Transpose& shape, std::vector<char>& buffer, const Machine& machine) {
  Transpose problem = shape;
  problem.in_stride = shape.columns;
  problem.out_stride = shape.rows;
  buffer.resize(shape.rows * shape.columns * size_of(shape.type));
  problem.out = buffer.data();
  transpose(problem, machine.isa, machine.pool);
  return buffer.data();
}

/// out[m][n] += Σ_k a[m][k] b[n][k], all contiguous.
void add_product(const Gemm& shape, const Machine& machine) {
  Gemm problem = shape;
  problem.a_stride = problem.b_stride = shape.k;
  problem.c_stride = shape.n;
  problem.accumulate = true;
  gemm(problem, machine.isa, machine.pool);
}

void add_grad_x(const HeadBackward& problem, const Block& block, const void* dz,
                BackwardBuffers& buffers, const Machine& machine) {
  const Head& head = problem.forward;
  const void* w_t = transposed(
      {.rows = block.count, .columns = head.columns, .type = head.type, .in = w_rows(head, block)},
      buffers.w_t, machine);
  add_product({.m = block.rows,
               .n = head.columns,
               .k = block.count,
               .type = head.type,
               .a = dz,
               .b = w_t,
               .c = problem.grad_x + block.row * head.columns},
              machine);
}

void add_grad_w(const HeadBackward& problem, const Block& block, const void* dz,
                BackwardBuffers& buffers, const Machine& machine) {
  const Head& head = problem.forward;
  const void* dz_t =
      transposed({.rows = block.rows, .columns = block.count, .type = head.type, .in = dz},
                 buffers.dz_t, machine);
  add_product({.m = block.count,
               .n = head.columns,
               .k = block.rows,
               .type = head.type,
               .a = dz_t,
               .b = buffers.x_t.data(),
               .c = problem.grad_w + block.first * head.columns},
              machine);
}

}  // namespace

void head_log_probs(const Head& problem, Isa isa, ThreadPool& pool) {
  const Machine machine{isa, pool};
  std::vector<float> logits(std::min(problem.rows, kRowBlock) * kVocabularyChunk);
  const LogitRows chunk{problem.rows,     problem.vocabulary,          logits.data(),
                        kVocabularyChunk, problem.inverse_temperature, problem.targets,
                        problem.out};
  for_row_blocks(problem.rows, [&](int64_t row, int64_t rows) {
    std::vector<RowState> states(rows);
    for_chunks(row, rows, problem.vocabulary, [&](const Block& block) {
      block_logits(problem, block, logits.data(), kVocabularyChunk, machine);
      fold_block(chunk, problem.softcap, block, states.data(), machine);
    });
    for (int64_t r = 0; r < rows; ++r) finish_row(states[r], row + r, problem.out);
  });
}

void logit_log_probs(const LogitRows& problem, Isa isa, ThreadPool& pool) {
  const Machine machine{isa, pool};
  std::vector<RowState> states(problem.rows);
  for_chunks(0, problem.rows, problem.vocabulary, [&](const Block& block) {
    LogitRows chunk = problem;
    chunk.logits += block.first;
    fold_block(chunk, 0, block, states.data(), machine);
  });
  for (int64_t row = 0; row < problem.rows; ++row) finish_row(states[row], row, problem.out);
}

void head_logits(const Head& problem, float* logits, int64_t stride, Isa isa, ThreadPool& pool) {
  const Machine machine{isa, pool};
  block_logits(problem, {0, problem.rows, 0, problem.vocabulary}, logits, stride, machine);
  if (problem.softcap <= 0) return;
  pool.parallel_for(problem.rows, [&](int64_t row) {
    machine.kernels.cap(logits + row * stride, problem.vocabulary, problem.softcap);
  });
}

void head_backward(const HeadBackward& problem, Isa isa, ThreadPool& pool) {
  const Machine machine{isa, pool};
  const Head& head = problem.forward;
  if (problem.grad_x) std::fill_n(problem.grad_x, head.rows * head.columns, 0.0f);
  BackwardBuffers buffers;
  for_row_blocks(head.rows, [&](int64_t row, int64_t rows) {
    if (problem.grad_w) {
      const void* x = x_rows(head, {.row = row});
      transposed({.rows = rows, .columns = head.columns, .type = head.type, .in = x}, buffers.x_t,
                 machine);
    }
    for_chunks(row, rows, head.vocabulary, [&](const Block& block) {
      const void* dz = block_gradients(problem, block, buffers, machine);
      if (problem.grad_x) add_grad_x(problem, block, dz, buffers, machine);
      if (problem.grad_w) add_grad_w(problem, block, dz, buffers, machine);
    });
  });
}

}  // namespace hone::kernels
