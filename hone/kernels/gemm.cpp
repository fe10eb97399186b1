#include "hone/kernels/gemm.h"

#include <algorithm>
#include <vector>

#include "hone/base/check.h"
#include "hone/kernels/gemm_kernels.h"
#include "hone/kernels/isa.h"

namespace hone::kernels {

HONE_DECLARE_PER_ISA(const GemmKernels& gemm_kernels());

namespace {

constexpr int64_t kBlockBytes = 512 << 10;
constexpr int64_t kMaxBlockTiles = 64;
constexpr int64_t kTasksPerThread = 4;
constexpr int64_t kTaskProducts = 1 << 16;  // fewer are not worth a task
constexpr int64_t kScratchBytes = 8 << 20;  // of A in tiles at once
constexpr int64_t kTransposeSide = 64;
constexpr int64_t kConvertCount = 1 << 14;

int64_t divide_up(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

/// How C is cut into tasks of m_rows x n_rows: rows of B that stay in the second-level cache while
/// the rows of A pass by, and several tasks for each thread.
struct Blocking {
  int64_t m_rows, n_rows;

  Blocking(const Gemm& problem, int64_t row_bytes, int64_t thread_count) {
    const int64_t widest = std::clamp(kBlockBytes / row_bytes, kPanelRows, kMaxBlockRows);
    const int64_t tasks = std::clamp(problem.m * problem.n * problem.k / kTaskProducts, int64_t{1},
                                     kTasksPerThread * thread_count);
    int64_t n_blocks = divide_up(problem.n, widest);
    const int64_t m_blocks =
        std::clamp(divide_up(tasks, n_blocks), divide_up(problem.m, 4 * kMaxBlockRows),
                   divide_up(problem.m, kMaxBlockRows));
    n_blocks = std::max(n_blocks, divide_up(tasks, m_blocks));
    m_rows = whole_panels(problem.m, m_blocks);
    n_rows = whole_panels(problem.n, n_blocks);
  }

  static int64_t whole_panels(int64_t rows, int64_t blocks) {
    return divide_up(divide_up(rows, blocks), kPanelRows) * kPanelRows;
  }
};

/// `k` elements of a row of B are used before the next rows come.
template <typename Body>
void for_each_block(const Gemm& problem, int64_t k, ThreadPool& pool, const Body& body) {
  const int64_t row_bytes = std::max<int64_t>(1, k * size_of(problem.type));
  const Blocking blocking(problem, row_bytes, pool.thread_count());
  const int64_t n_blocks = divide_up(problem.n, blocking.n_rows);
  pool.parallel_for(n_blocks * divide_up(problem.m, blocking.m_rows), [&](int64_t task) {
    const int64_t m = task / n_blocks * blocking.m_rows, n = task % n_blocks * blocking.n_rows;
    body(GemmRange{m, std::min(m + blocking.m_rows, problem.m), n,
                   std::min(n + blocking.n_rows, problem.n)});
  });
}

/// Tiles of A first, then all panels of B against them; A in pieces that the scratch can hold.
void gemm_by_tiles(const Gemm& problem, const GemmKernels& kernels, ThreadPool& pool) {
  TiledGemm tiled{problem};
  tiled.k_tiles = divide_up(problem.k, 32);
  // Few rows of A are cheaper to pair than B, which is then read once, from where it lies.
  tiled.pair_b = problem.m > kPanelRows;
  const int64_t k_blocks = tiled.pair_b ? divide_up(tiled.k_tiles, kMaxBlockTiles) : 1;
  tiled.block_tiles = divide_up(tiled.k_tiles, k_blocks);
  // Rows a multiple of 4096 bytes apart would push each other out of the first-level cache.
  const bool in_place = tiled.pair_b && problem.k % 32 == 0 && problem.a_stride % 2048 != 0;
  const int64_t panel_bytes = 2 * tiled.k_tiles * kTileBytes;
  const int64_t rows_at_once = std::max<int64_t>(8, kScratchBytes / panel_bytes) * kPanelRows;
  for (int64_t m = 0; m < problem.m; m += rows_at_once) {
    Gemm& piece = tiled.problem;
    piece.m = std::min(rows_at_once, problem.m - m);
    piece.a = static_cast<const bf16*>(problem.a) + m * problem.a_stride;
    piece.c = problem.c + m * problem.c_stride;
    const int64_t panels = divide_up(piece.m, kPanelRows);
    tiled.a_tiles = thread_scratch(Scratch::a_tiles, panels * panel_bytes);
    tiled.first_tiled = in_place ? piece.m / kPanelRows : 0;
    pool.parallel_for(panels - tiled.first_tiled,
                      [&](int64_t i) { kernels.tile_a(tiled, tiled.first_tiled + i); });
    for_each_block(piece, std::min(problem.k, tiled.block_tiles * 32), pool,
                   [&](const GemmRange& range) { kernels.multiply_tiles(tiled, range); });
  }
}

template <typename Value>
void reference(const Gemm& problem) {
  const Value* a = static_cast<const Value*>(problem.a);
  const Value* b = static_cast<const Value*>(problem.b);
  for (int64_t m = 0; m < problem.m; ++m) {
    for (int64_t n = 0; n < problem.n; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < problem.k; ++k) {
        sum += double{to_float(a[m * problem.a_stride + k])} *
               double{to_float(b[n * problem.b_stride + k])};
      }
      float& c = problem.c[m * problem.c_stride + n];
      c = static_cast<float>(problem.accumulate ? c + sum : sum);
    }
  }
}

template <typename From, typename To, typename Kernel>
void convert_all(const From* in, To* out, int64_t count, ThreadPool& pool, Kernel kernel) {
  pool.parallel_for(divide_up(count, kConvertCount), [&](int64_t task) {
    const int64_t begin = task * kConvertCount;
    kernel(in + begin, out + begin, std::min(kConvertCount, count - begin));
  });
}

}  // namespace

char* thread_scratch(Scratch slot, int64_t bytes) {
  struct alignas(64) Line {
    char bytes[64];
  };
  thread_local std::vector<Line> memory[3];
  std::vector<Line>& lines = memory[static_cast<int>(slot)];
  if (static_cast<int64_t>(lines.size()) * 64 < bytes) lines.resize(divide_up(bytes, 64));
  return lines.data()->bytes;
}

void gemm(const Gemm& problem, Isa isa, ThreadPool& pool) {
  HONE_ASSERT(isa <= detect_isa(), "{} on a machine of {}", isa_name(isa), isa_name(detect_isa()));
  HONE_ASSERT(problem.m >= 0 && problem.n >= 0 && problem.k >= 0, "gemm of m {} n {} k {}",
              problem.m, problem.n, problem.k);
  if (problem.m == 0 || problem.n == 0) return;
  const GemmKernels& kernels = HONE_CALL_PER_ISA(isa, gemm_kernels);
  if (isa == Isa::amx && problem.type == DType::bf16 && problem.k > 0) {
    gemm_by_tiles(problem, kernels, pool);
    return;
  }
  const auto dot = problem.type == DType::f32 ? kernels.dot_f32 : kernels.dot_bf16;
  for_each_block(problem, problem.k, pool, [&](const GemmRange& range) { dot(problem, range); });
}

void gemm_reference(const Gemm& problem) {
  problem.type == DType::f32 ? reference<float>(problem) : reference<bf16>(problem);
}

void transpose(const Transpose& problem, Isa isa, ThreadPool& pool) {
  const auto kernel = HONE_CALL_PER_ISA(isa, gemm_kernels).transpose;
  const int64_t row_blocks = divide_up(problem.rows, kTransposeSide);
  const int64_t column_blocks = divide_up(problem.columns, kTransposeSide);
  pool.parallel_for(row_blocks * column_blocks, [&](int64_t task) {
    const int64_t row = task % row_blocks * kTransposeSide;
    const int64_t column = task / row_blocks * kTransposeSide;
    kernel(problem, {row, std::min(row + kTransposeSide, problem.rows), column,
                     std::min(column + kTransposeSide, problem.columns)});
  });
}

void convert(const float* in, bf16* out, int64_t count, ThreadPool& pool) {
  convert_all(in, out, count, pool, HONE_CALL_PER_ISA(current_isa(), gemm_kernels).narrow);
}

void convert(const bf16* in, float* out, int64_t count, ThreadPool& pool) {
  convert_all(in, out, count, pool, HONE_CALL_PER_ISA(current_isa(), gemm_kernels).widen);
}

}  // namespace hone::kernels
