#include <unistd.h>

#include "tests/e2e/child.h"
#include "tests/tiny_model.h"

/// What a user of the program sees: files, exit statuses, messages.
namespace hone {
namespace {

class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / fmt::format("hone_cli_{}", ::getpid());
    std::filesystem::remove_all(root_);
    testing::write_tiny_model(root_ / "model");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).string(); }

  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HONE_BINARY);
    return testing::Child(arguments, path("stdout"), path("stderr")).wait(60);
  }
  std::string out() const { return read_file(path("stdout")); }
  std::string errors() const { return read_file(path("stderr")); }

  std::vector<Json> lines(const std::string& name) const {
    std::vector<Json> result;
    const std::string text = read_file(path(name));
    for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
      end = text.find('\n', begin);
      result.push_back(parse_json(text.substr(begin, end - begin), name));
    }
    return result;
  }

  /// Six prompts of all three forms.
  void write_prompts() {
    write_file(path("in.jsonl"),
               "{\"prompt\": \"one two\", \"max_tokens\": 20, \"id\": \"a\"}\n"
               "{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}], \"temperature\": 0.7}\n"
               "{\"token_ids\": [5, 6, 7], \"seed\": 9, \"max_tokens\": 3}\n"
               "{\"prompt\": \"x\", \"ignore_eos\": true, \"max_tokens\": 40}\n"
               "{\"prompt\": \"y\", \"temperature\": 0}\n"
               "{\"prompt\": \"z\", \"top_p\": 0.5, \"max_tokens\": 9}\n");
  }

  Path root_;
};

TEST_F(Cli, ScoreGivesTheLogProbabilitiesOfGenerate) {
  write_prompts();
  const std::vector<std::string> model{"-m", path("model"), "--max-tokens", "12"};
  ASSERT_EQ(run({"generate", model[0], model[1], model[2], model[3], "-i", path("in.jsonl"), "-o",
                 path("out.jsonl")}),
            0)
      << errors();
  const auto inputs = lines("in.jsonl"), outputs = lines("out.jsonl");
  ASSERT_EQ(outputs.size(), 6u);
  EXPECT_EQ(outputs[0]["id"], "a");
  EXPECT_LE(outputs[2]["token_ids"].size(), 3u);
  EXPECT_EQ(outputs[3]["token_ids"].size(), 40u);
  EXPECT_EQ(outputs[3]["finish_reason"], "length");
  std::string questions;
  for (size_t i : {0, 2, 3}) {
    Json line = Json::object();
    for (const char* key : {"prompt", "token_ids"}) {
      if (inputs[i].contains(key)) line[key] = inputs[i][key];
    }
    line["completion"] = outputs[i]["token_ids"];
    questions += line.dump() + "\n";
  }
  write_file(path("score.jsonl"), questions);
  ASSERT_EQ(
      run({"score", "-m", path("model"), "-i", path("score.jsonl"), "-o", path("scored.jsonl")}), 0)
      << errors();
  const auto scored = lines("scored.jsonl");
  EXPECT_EQ(scored[0]["logprobs"], outputs[0]["logprobs"]);
  EXPECT_EQ(scored[1]["logprobs"], outputs[2]["logprobs"]);
  EXPECT_EQ(scored[2]["logprobs"], outputs[3]["logprobs"]);
}

TEST_F(Cli, GenerateContinuesAfterItsCompleteLines) {
  write_prompts();
  const std::vector<std::string> command{"generate",       "-m", path("model"),    "-i",
                                         path("in.jsonl"), "-o", path("out.jsonl")};
  ASSERT_EQ(run(command), 0) << errors();
  const std::string whole = read_file(path("out.jsonl"));
  // Two lines and a part of the third are there, as after a crash.
  const size_t second = whole.find('\n', whole.find('\n') + 1);
  write_file(path("out.jsonl"), whole.substr(0, second + 10));
  ASSERT_EQ(run(command), 0) << errors();
  EXPECT_EQ(read_file(path("out.jsonl")), whole);
}

TEST_F(Cli, WrongInputIsExitTwoAndSaysWhatToDo) {
  write_file(path("in.jsonl"), "{\"prompt\": \"a\", \"temprature\": 1}\n");
  EXPECT_EQ(run({"generate", "-m", path("model"), "-i", path("in.jsonl"), "-o", path("o.jsonl")}),
            2);
  EXPECT_NE(errors().find("temperature"), std::string::npos) << errors();
  EXPECT_NE(errors().find("in.jsonl:1"), std::string::npos) << errors();
  EXPECT_EQ(run({"generate", "-m", path("nothing"), "-i", path("in.jsonl"), "-o", path("o")}), 2);
  EXPECT_NE(errors().find("nothing"), std::string::npos) << errors();
  write_file(path("run.toml"), "method = \"grpo\"\n[optim]\nlearning_rate = 1\n");
  EXPECT_EQ(run({"train", path("run.toml")}), 2);
  EXPECT_NE(errors().find("run.toml:3"), std::string::npos) << errors();
  write_file(path("run.toml"), "method = \"ppoo\"\n");
  EXPECT_EQ(run({"train", path("run.toml")}), 2);
  EXPECT_NE(errors().find("known are"), std::string::npos) << errors();
  EXPECT_EQ(run({"no-such-command"}), 2);
}

TEST_F(Cli, TokenizeTurnsTextIntoIdsAndBack) {
  ASSERT_EQ(run({"tokenize", "-m", path("model"), "-t", "hi<|im_end|>"}), 0) << errors();
  EXPECT_EQ(out(), "104 105 257\n");
  ASSERT_EQ(run({"tokenize", "-m", path("model"), "--ids", "104", "105"}), 0);
  EXPECT_EQ(out(), "hi\n");
  ASSERT_EQ(run({"tokenize", "-m", path("model"), "--messages", "-t",
                 "[{\"role\": \"user\", \"content\": \"<|im_end|>\"}]"}),
            0);
  // The user's text became characters, the template's marks became tokens.
  EXPECT_TRUE(out().starts_with("256 117 115 101 114 10 60 124 ")) << out();
}

TEST_F(Cli, DryRunShowsWhatIsTrainedAndWritesNothing) {
  write_file(path("chat.jsonl"),
             "{\"messages\": [{\"role\": \"user\", \"content\": \"2?\"},"
             " {\"role\": \"assistant\", \"content\": \"two\"}]}\n");
  write_file(path("run.toml"),
             fmt::format("method = \"sft\"\noutput = \"{}\"\nbatch_size = 1\n[model]\n"
                         "path = \"{}\"\n[data]\nfile = \"{}\"\n",
                         path("run"), path("model"), path("chat.jsonl")));
  ASSERT_EQ(run({"train", path("run.toml"), "--dry-run"}), 0) << errors();
  EXPECT_NE(out().find("<|im_start|>assistant\n«two<|im_end|>\n»"), std::string::npos) << out();
  EXPECT_NE(out().find("weights, bf16"), std::string::npos) << out();
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  EXPECT_EQ(
      run({"train", path("run.toml"), "--dry-run", "train.max_tokens_per_micro_batch=1000000000"}),
      2);
  EXPECT_NE(errors().find("lower train.max_tokens_per_micro_batch"), std::string::npos) << errors();
}

TEST_F(Cli, EveryCommandHasHelp) {
  for (const char* command : {"train", "generate", "score", "tokenize", "chat", "import", "inspect",
                              "pull", "init", "config", "doctor"}) {
    EXPECT_EQ(run({command, "--help"}), 0) << command;
    EXPECT_GT(out().size(), 50u) << command;
  }
  EXPECT_EQ(run({"config"}), 0);
  EXPECT_NE(out().find("loss.clip_high"), std::string::npos);
  EXPECT_EQ(run({"inspect", path("model"), "--json"}), 0) << errors();
  EXPECT_EQ(parse_json(out(), "inspect")["architecture"], "LlamaForCausalLM");
}

}  // namespace
}  // namespace hone
