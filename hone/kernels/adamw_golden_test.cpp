#include "hone/base/files.h"
#include "hone/base/json.h"
#include "hone/kernels/adamw.h"
#include "hone/kernels/row_test_data.h"

namespace hone::kernels {
namespace {

struct Trajectory {
  std::vector<float> master, first_moment, second_moment;
};

/// The steps of tools/golden/adamw.py.
template <typename Step>
Trajectory run(const Json& golden, const Step& step) {
  const int64_t count = golden["count"];
  Trajectory state{std::vector<float>(count), std::vector<float>(count), std::vector<float>(count)};
  for (int64_t i = 0; i < count; ++i) state.master[i] = static_cast<float>(std::cos(0.9 * i));
  std::vector<float> grad(count);
  const double beta1 = golden["beta1"], beta2 = golden["beta2"];
  for (int t = 1; t <= golden["steps"]; ++t) {
    for (int64_t i = 0; i < count; ++i) {
      const double wave = std::sin(1.7 * i + 0.3 * t);
      grad[i] = static_cast<float>(std::ldexp(wave, -static_cast<int>(i % 12)));
    }
    step(AdamW{.count = count,
               .grad = grad.data(),
               .master = state.master.data(),
               .first_moment = state.first_moment.data(),
               .second_moment = state.second_moment.data(),
               .type = DType::f32,
               .value = state.master.data(),
               .lr = golden["lr"],
               .beta1 = golden["beta1"],
               .beta2 = golden["beta2"],
               .eps = golden["eps"],
               .weight_decay = golden["decay"],
               .bias_correction1 = static_cast<float>(1 - std::pow(beta1, t)),
               .bias_correction2 = static_cast<float>(1 - std::pow(beta2, t))});
  }
  return state;
}

void expect_golden(const Trajectory& actual, const Json& golden) {
  expect_close(actual.master, golden["weight"], 0, 3e-6);
  expect_close(actual.first_moment, golden["first_moment"], 3e-6, 1e-7);
  expect_close(actual.second_moment, golden["second_moment"], 1e-5, 0);
}

TEST(AdamWGolden, AHundredStepsAreThoseOfTorch) {
  const Path path = Path(HONE_SOURCE_DIR) / "tests/golden/data/adamw.json";
  const Json golden = parse_json(read_file(path), path.string());
  const Trajectory twin = run(golden, [](const AdamW& problem) { adamw_reference(problem); });
  for (const char* precision : {"float64", "float32"}) {
    expect_golden(twin, golden[precision]);
    for (Isa isa : row_test_isas()) {
      SCOPED_TRACE(isa_name(isa));
      expect_golden(run(golden, [&](const AdamW& problem) { adamw(problem, isa); }),
                    golden[precision]);
    }
  }
}

}  // namespace
}  // namespace hone::kernels
