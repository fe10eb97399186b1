#include <gtest/gtest.h>
#include <unistd.h>

#include "hone/train/sft_trainer.h"
#include "tests/tiny_model.h"

/// Which tokens supervised fine-tuning trains, and that packing changes nothing.
namespace hone::train {
namespace {

class SftDataTest : public ::testing::Test {
 protected:
  SftDataTest()
      : root_(std::filesystem::temp_directory_path() / fmt::format("hone_sft_{}", ::getpid())) {
    std::filesystem::remove_all(root_);
    hone::testing::write_tiny_model(root_ / "model");
  }
  ~SftDataTest() override { std::filesystem::remove_all(root_); }

  ModelFiles files() const { return ModelFiles::load(root_ / "model"); }

  void set_template(const std::string& source) {
    write_file(root_ / "model/chat_template.jinja", source);
  }

  SftConfig config(const std::string& lines) {
    write_file(root_ / "chats.jsonl", lines);
    SftConfig config;
    config.method = "sft";
    config.output = root_ / "run";
    config.model = {root_ / "model", WeightType::f32, "cpu"};
    config.data.file = root_ / "chats.jsonl";
    return config;
  }

  /// The trained tokens of a conversation as text, parts that do not touch apart by "|".
  static std::string trained_text(const SftSample& sample, const ModelFiles& files) {
    std::string text;
    bool before = false;
    for (size_t t = 0; t < sample.tokens.size(); ++t) {
      if (sample.trained[t]) {
        if (!before && !text.empty()) text += "|";
        text += files.tokenizer.decode(std::vector<int32_t>{sample.tokens[t]}, false);
      }
      before = sample.trained[t];
    }
    return text;
  }

  std::string message_of(const SftConfig& config) const {
    try {
      load_sft_data(config, files());
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  Path root_;
};

const std::string kTwoTurns =
    R"({"messages": [{"role": "user", "content": "a<|im_end|>"},)"
    R"( {"role": "assistant", "content": "b"},)"
    R"( {"role": "user", "content": "c"}, {"role": "assistant", "content": "d"}]})"
    "\n";

TEST_F(SftDataTest, AnswersAndTheirEndTokensAreTrained) {
  auto run = config(kTwoTurns);
  const auto text_files = files();
  EXPECT_EQ(trained_text(load_sft_data(run, text_files).train[0], text_files),
            "b<|im_end|>\n|d<|im_end|>\n");
  run.data.train_on = TrainOn::all;
  const auto all = load_sft_data(run, text_files).train[0];
  EXPECT_EQ(all.trained_count(), static_cast<int64_t>(all.tokens.size()) - 1);
}

TEST_F(SftDataTest, GenerationMarksDecideWhereTheTemplateHasThem) {
  set_template(
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}{% "
      "generation "
      "%}{{ m.content }}<|im_end|>{% endgeneration %}{% else %}{{ m.content }}<|im_end|>{% endif "
      "%}\n{% endfor %}");
  const auto run = config(kTwoTurns);
  const auto text_files = files();
  EXPECT_EQ(trained_text(load_sft_data(run, text_files).train[0], text_files),
            "b<|im_end|>|d<|im_end|>");
}

TEST_F(SftDataTest, PromptAndCompletionTrainTheCompletion) {
  const auto run = config("{\"prompt\": \"q\", \"completion\": \"r\"}\n");
  const auto text_files = files();
  EXPECT_EQ(trained_text(load_sft_data(run, text_files).train[0], text_files), "r<|im_end|>\n");
}

TEST_F(SftDataTest, TemplatesThatCannotBeTrainedAreRefusedWithARemedy) {
  // Rewrites history: the first answer disappears once there is a second one.
  set_template(
      "{% for m in messages %}{% if m.role == 'user' or loop.last %}<|im_start|>{{ m.role }}\n{{ "
      "m.content }}<|im_end|>\n{% endif %}{% endfor %}{% if add_generation_prompt "
      "%}<|im_start|>assistant\n{% endif %}");
  EXPECT_NE(message_of(config(kTwoTurns)).find("generation %}"), std::string::npos)
      << message_of(config(kTwoTurns));
  // Never writes the end token.
  set_template(
      "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{% if "
      "add_generation_prompt %}assistant: {% endif %}");
  EXPECT_NE(message_of(config(kTwoTurns)).find("never learn to stop"), std::string::npos)
      << message_of(config(kTwoTurns));
}

TEST_F(SftDataTest, LongConversationsAreAnErrorOrDropped) {
  auto run =
      config(kTwoTurns + "{\"prompt\": \"" + std::string(80, 'x') + "\", \"completion\": \"r\"}\n");
  run.data.max_length = 80;
  EXPECT_NE(message_of(run).find("conversation 2"), std::string::npos) << message_of(run);
  run.data.overlong = Overlong::drop;
  EXPECT_EQ(load_sft_data(run, files()).train.size(), 1u);
}

TEST_F(SftDataTest, TrainingLowersTheLossWhateverTheMicroBatches) {
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    lines += Json{{"prompt", fmt::format("say {}", i % 3)}, {"completion", "ok"}}.dump() + "\n";
  }
  std::vector<double> losses[2];
  for (int split = 0; split < 2; ++split) {
    auto run = config(lines);
    run.output = root_ / fmt::format("run{}", split);
    run.batch_size = 6;
    run.train = {.steps = 8, .max_tokens_per_micro_batch = split ? 40 : 4096};
    run.optim.lr = 3e-3;
    losses[split] = SftTrainer(run).run().losses;
  }
  EXPECT_LT(losses[0].back(), 0.7 * losses[0].front());
  for (size_t s = 0; s < losses[0].size(); ++s) EXPECT_NEAR(losses[0][s], losses[1][s], 1e-4);
}

}  // namespace
}  // namespace hone::train
