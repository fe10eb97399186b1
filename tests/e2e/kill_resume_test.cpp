#include <unistd.h>

#include <random>

#include "tests/e2e/child.h"
#include "tests/tiny_model.h"

/// Law 4: a run that is killed with SIGKILL at any moment and started again ends in the same bits
/// as one that was left alone.
namespace hone {
namespace {

constexpr int kKills = 20;
constexpr int kMaxStarts = 200;

/// The log without its times.
std::vector<std::string> log_lines(const Path& folder) {
  std::vector<std::string> lines;
  const std::string text = read_file(folder / "metrics.jsonl");
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    Json line = parse_json(text.substr(begin, end - begin), "metrics.jsonl");
    line.erase("time");
    lines.push_back(line.dump());
    begin = end + 1;
  }
  return lines;
}

class KillResume : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() /
            fmt::format("hone_kill_{}_{}", GetParam(), ::getpid());
    std::filesystem::remove_all(root_);
    testing::write_tiny_model(root_ / "model");
    std::string chats;
    for (int i = 0; i < 24; ++i) {
      chats +=
          Json{{"prompt", fmt::format("count {}", i)}, {"completion", fmt::format("{}!", i * i)}}
              .dump() +
          "\n";
    }
    write_file(root_ / "chats.jsonl", chats);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  Path write_run(const std::string& name) const {
    const std::string method = GetParam();
    std::string toml = fmt::format(
        "method = \"{}\"\noutput = \"{}\"\nseed = 4\nthreads = 1\n{}"
        "[model]\npath = \"{}\"\ndtype = \"f32\"\n[optim]\nlr = 1e-3\n"
        "[train]\nsteps = 12\nmax_tokens_per_micro_batch = 200\n[checkpoint]\nevery = 1\n",
        method, (root_ / name).string(), method == "sft" ? "batch_size = 5\n" : "",
        (root_ / "model").string());
    if (method == "sft") {
      toml +=
          fmt::format("[data]\nfile = \"{}\"\nheld_out = 3\n", (root_ / "chats.jsonl").string());
    } else {
      toml +=
          "[data]\ntask = { kind = \"arithmetic\" }\nheld_out = 4\n"
          "[rollout]\nprompts_per_step = 3\nn = 4\nmax_response_length = 8\nkv_bytes = 4000000\n"
          "[reward]\nfunctions = [{ kind = \"length\" }]\n[update]\nmini_batch_size = 8\n"
          "epochs_per_batch = 2\n[loss.kl]\ncoef = 0.01\n";
    }
    const Path path = root_ / (name + ".toml");
    write_file(path, toml);
    return path;
  }

  Path root_;
};

TEST_P(KillResume, EndsInTheBitsOfTheUndisturbedRun) {
  const std::string calm = write_run("calm").string(), stormy = write_run("stormy").string();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(testing::Child({HONE_BINARY, "train", calm}).wait(120), 0);
  const double whole_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::mt19937 random(11);
  int kills = 0, starts = 0;
  // Early kills hit loading and the first steps, late ones checkpoints and the last model.
  for (bool done = false; !done && starts < kMaxStarts; ++starts) {
    const double span = kills < kKills ? whole_s * (0.15 + 0.9 * (random() % 1000) / 1000.0) : 120;
    const int status = testing::Child({HONE_BINARY, "train", stormy}).wait(span);
    ASSERT_LE(status, 0);
    done = status == 0;
    kills += !done;
    if (done && kills < kKills) {
      // It got to its end before all kills: begin again, the kills count on.
      ASSERT_EQ(log_lines(root_ / "calm"), log_lines(root_ / "stormy"));
      std::filesystem::remove_all(root_ / "stormy");
      done = false;
    }
  }
  EXPECT_GE(kills, kKills);
  EXPECT_EQ(log_lines(root_ / "calm"), log_lines(root_ / "stormy"));
  EXPECT_EQ(sha256_file(root_ / "calm/model/model.safetensors"),
            sha256_file(root_ / "stormy/model/model.safetensors"));
}

TEST_P(KillResume, StopsAtCtrlCAndGoesOn) {
  const std::string calm = write_run("calm").string(), stopped = write_run("stopped").string();
  ASSERT_EQ(testing::Child({HONE_BINARY, "train", calm}).wait(120), 0);
  testing::Child child({HONE_BINARY, "train", stopped});
  const Path log = root_ / "stopped/metrics.jsonl";
  for (int waited = 0; waited < 60'000 && (!exists(log) || file_size(log) == 0); ++waited) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  child.send(SIGINT);
  EXPECT_EQ(child.wait(60), 130);
  EXPECT_LT(log_lines(root_ / "stopped").size(), log_lines(root_ / "calm").size());
  EXPECT_FALSE(exists(root_ / "stopped/model"));
  ASSERT_EQ(testing::Child({HONE_BINARY, "train", stopped}).wait(120), 0);
  EXPECT_EQ(log_lines(root_ / "calm"), log_lines(root_ / "stopped"));
  EXPECT_EQ(sha256_file(root_ / "calm/model/model.safetensors"),
            sha256_file(root_ / "stopped/model/model.safetensors"));
}

INSTANTIATE_TEST_SUITE_P(Methods, KillResume, ::testing::Values("sft", "grpo"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace hone
