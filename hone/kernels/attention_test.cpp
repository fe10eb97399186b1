#include "hone/kernels/attention.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "hone/kernels/test_data.h"

namespace hone::kernels {
namespace {

using testing::Array;

/// A forest: a prompt of 45 tokens with two branches, and a lone sequence of 70.
const std::vector<TreeSegment> kSegments{{0, 45, -1}, {45, 20, 0}, {65, 1, 0}, {66, 70, -1}};
constexpr int64_t kTokens = 136;

struct Problem {
  AttentionShape shape;
  Array q, k, v, grad_out;

  Problem(AttentionShape shape, std::mt19937& random)
      : shape(shape),
        q(testing::random_array(shape.type, kTokens * shape.heads * shape.head_dim, random)),
        k(testing::random_array(shape.type, kTokens * shape.kv_heads * shape.head_dim, random)),
        v(testing::random_array(shape.type, kTokens * shape.kv_heads * shape.head_dim, random)),
        grad_out(testing::random_array(shape.type, q.size(), random)) {}

  struct Result {
    Array out;
    std::vector<float> log_sum_exp, grad_q, grad_k, grad_v;
  };

  /// Forward over blocks (the sequences 0..45+20, 0..45+1 and 0..70 apart) and backward.
  Result run(Isa isa, int threads, bool reference) {
    ThreadPool pool(threads);
    const int64_t kv = shape.kv_heads * shape.head_dim;
    // Blocks 0-1: the shared prompt's first 32 and its tail; each branch has its own tail blocks.
    const std::vector<std::vector<int32_t>> tables{{0, 1}, {0, 2, 3}, {0, 4}, {5, 6, 7}};
    std::vector<KvWrite> writes;
    const auto put = [&](int64_t token, size_t table, int64_t position) {
      writes.push_back({static_cast<int32_t>(token), tables[table][position / 32],
                        static_cast<int32_t>(position % 32)});
    };
    for (int64_t p = 0; p < 45; ++p) {
      for (size_t table : {0, 1, 2}) put(p, table, p);
    }
    for (int64_t i = 0; i < 20; ++i) put(45 + i, 1, 45 + i);
    put(65, 2, 45);
    for (int64_t p = 0; p < 70; ++p) put(66 + p, 3, p);
    Array k_blocks(shape.type, 8 * kv * 32), v_blocks(shape.type, 8 * kv * 32);
    const KvBlocks blocks{k_blocks.data(), v_blocks.data()};
    write_kv(shape, k.data(), kv, v.data(), kv, writes.data(), static_cast<int64_t>(writes.size()),
             blocks);
    std::vector<AttentionSpan> spans;
    for (size_t s = 0; s < kSegments.size(); ++s) {
      const int64_t first = kSegments[s].parent < 0 ? 0 : 45;
      spans.push_back({kSegments[s].begin, kSegments[s].count, first, tables[s].data()});
    }
    Result r{Array(shape.type, q.size()), std::vector<float>(kTokens * shape.heads),
             std::vector<float>(q.size()), std::vector<float>(k.size()),
             std::vector<float>(k.size())};
    const AttentionForward forward{
        shape, q.data(), blocks, spans.data(), 4, r.out.data(), r.log_sum_exp.data()};
    reference ? attention_forward_reference(forward) : attention_forward(forward, isa, pool);
    const AttentionBackward backward{shape,
                                     kTokens,
                                     q.data(),
                                     k.data(),
                                     v.data(),
                                     r.out.data(),
                                     grad_out.data(),
                                     r.log_sum_exp.data(),
                                     kSegments.data(),
                                     4,
                                     r.grad_q.data(),
                                     r.grad_k.data(),
                                     r.grad_v.data()};
    reference ? attention_backward_reference(backward) : attention_backward(backward, isa, pool);
    return r;
  }
};

double worst(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = testing::difference(a[i], b[i]);
    largest = d <= largest ? largest : d;
  }
  return largest;
}

std::vector<AttentionShape> shapes() {
  std::vector<AttentionShape> all;
  for (DType type : {DType::f32, DType::bf16}) {
    all.push_back({9, 3, 64, type, 0.125f});
    all.push_back({8, 8, 16, type, 0.25f, 0, 40});
    all.push_back({5, 1, 24, type, 0.2f, 3.0f});
    all.push_back({4, 2, 7, type, 0.4f, 0, 1});
  }
  return all;
}

TEST(Attention, EqualsTheReferenceOnEveryPath) {
  std::mt19937 random(1);
  for (const AttentionShape& shape : shapes()) {
    Problem problem(shape, random);
    const auto expected = problem.run(Isa::scalar, 1, true);
    for (Isa isa : testing::isas()) {
      const auto actual = problem.run(isa, 2, false);
      double out = 0;
      for (int64_t i = 0; i < actual.out.size(); ++i) {
        const double d = testing::difference(actual.out.at(i), expected.out.at(i));
        out = d <= out ? out : d;
      }
      const std::string name =
          fmt::format("{} heads/{} dim {} window {} on {}", shape.heads, shape.kv_heads,
                      shape.head_dim, shape.window, isa_name(isa));
      EXPECT_LE(out, testing::tolerance(shape.type, 2e-6)) << name;
      EXPECT_LE(worst(actual.log_sum_exp, expected.log_sum_exp), 2e-6) << name;
      // The backward of bf16 starts from an output that was rounded.
      const double limit = shape.type == DType::f32 ? 2e-5 : 3e-2;
      EXPECT_LE(worst(actual.grad_q, expected.grad_q), limit) << name;
      EXPECT_LE(worst(actual.grad_k, expected.grad_k), limit) << name;
      EXPECT_LE(worst(actual.grad_v, expected.grad_v), limit) << name;
    }
  }
}

TEST(Attention, BitsIgnoreTheNumberOfThreads) {
  std::mt19937 random(2);
  Problem problem({9, 3, 64, DType::bf16, 0.125f}, random);
  const auto one = problem.run(current_isa(), 1, false),
             three = problem.run(current_isa(), 3, false);
  EXPECT_EQ(one.grad_q, three.grad_q);
  EXPECT_EQ(one.grad_k, three.grad_k);
  EXPECT_EQ(one.grad_v, three.grad_v);
  EXPECT_EQ(std::memcmp(one.out.halves.data(), three.out.halves.data(), 2 * one.out.size()), 0);
}

}  // namespace
}  // namespace hone::kernels
