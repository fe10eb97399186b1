#include "hone/kernels/pointwise.h"

#include "hone/kernels/row_test_data.h"

namespace hone::kernels {

TEST(Embedding, CopiesScaledRows) {
  for (DType type : {DType::f32, DType::bf16}) {
    for (int64_t columns : {1, 7, 64, 130}) {
      const Typed table(type, random_values(10 * columns, 1));
      const std::vector<int32_t> ids{9, 0, 3, 3, 7};
      std::vector<float> out(5 * columns);
      embedding({5, columns, ids.data(), type, table.data(), 3.0f, out.data()});
      const auto values = table.values();
      for (int64_t i = 0; i < 5 * columns; ++i) {
        ASSERT_EQ(out[i], 3.0f * values[ids[i / columns] * columns + i % columns]);
      }
    }
  }
}

// 1 + 2^-24 + 2^-24 is 1 in this order and 1 + 2^-23 if the small ones meet first.
TEST(Embedding, BackwardAddsInTokenOrderOnAnyThreads) {
  const int64_t columns = 200;
  const std::vector<int32_t> ids{2, 1, 2, 2};
  std::vector<float> grad_out(4 * columns, std::ldexp(1.0f, -24));
  std::fill_n(grad_out.begin(), columns, 1.0f);
  for (int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    std::vector<float> grad_table(3 * columns);
    embedding_backward({.tokens = 4, .columns = columns, .ids = ids.data()}, grad_out.data(),
                       grad_table.data(), pool);
    for (int64_t c = 0; c < columns; ++c) {
      ASSERT_EQ(grad_table[c], 0.0f);
      ASSERT_EQ(grad_table[columns + c], std::ldexp(1.0f, -24));
      ASSERT_EQ(grad_table[2 * columns + c], 1.0f);
    }
  }
}

TEST(Embedding, BackwardScalesAndAddsToWhatIsThere) {
  const std::vector<int32_t> ids{0};
  const std::vector<float> grad_out{1, 2};
  std::vector<float> grad_table{10, 20};
  embedding_backward({.tokens = 1, .columns = 2, .ids = ids.data(), .scale = 4}, grad_out.data(),
                     grad_table.data());
  EXPECT_EQ(grad_table, (std::vector<float>{14, 28}));
}

}  // namespace hone::kernels
