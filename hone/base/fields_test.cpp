#include "hone/base/fields.h"

#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/base/json.h"

namespace hone::config {
namespace {

enum class Aggregation { token, sequence };
constexpr std::array<std::pair<Aggregation, const char*>, 2> enum_names(Aggregation) {
  return {{{Aggregation::token, "token"}, {Aggregation::sequence, "sequence"}}};
}

struct Optimizer {
  double learning_rate = 1e-5;
  float beta = 0.9f;
  std::optional<double> max_norm;
  static void fields(auto&& self, auto&& visit) {
    visit("learning_rate", self.learning_rate, "Peak learning rate.");
    visit("beta", self.beta, "Decay of the first moment.");
    visit("max_norm", self.max_norm, "Largest gradient norm.");
  }
  void check() const {
    HONE_CHECK(learning_rate > 0, "learning_rate must be above 0, came {}", learning_rate);
  }
};

struct Circle {
  static constexpr const char* kKind = "circle";
  double radius = 1;
  static void fields(auto&& self, auto&& visit) { visit("radius", self.radius, "In metres."); }
};

struct Box {
  static constexpr const char* kKind = "box";
  int32_t width = 2, height = 3;
  static void fields(auto&& self, auto&& visit) {
    visit("width", self.width, "In metres.");
    visit("height", self.height, "In metres.");
  }
};

struct Recipe {
  std::string name = "run";
  std::filesystem::path model;
  bool resume = true;
  int64_t steps = 100;
  uint64_t seed = 7;
  Aggregation aggregation = Aggregation::token;
  std::vector<std::string> tags;
  Optimizer optimizer;
  std::optional<Optimizer> critic;
  std::variant<Circle, Box> shape;
  std::vector<std::variant<Circle, Box>> shapes;
  std::vector<Optimizer> groups;
  static void fields(auto&& self, auto&& visit) {
    visit("name", self.name, "Name of the run.");
    visit("model", self.model, "Folder of the model.");
    visit("resume", self.resume, "Continue where it stopped.");
    visit("steps", self.steps, "Number of updates.");
    visit("seed", self.seed, "Seed of all random draws.");
    visit("aggregation", self.aggregation, "How the loss is averaged.");
    visit("tags", self.tags, "Words to find the run by.");
    visit("optimizer", self.optimizer, "The optimizer.");
    visit("critic", self.critic, "The optimizer of the critic.");
    visit("shape", self.shape, "A shape.");
    visit("shapes", self.shapes, "More shapes.");
    visit("groups", self.groups, "More optimizers.");
  }
};

constexpr const char* kFull = R"(name = "a \"b\"\n"
model = "/m"
resume = false
steps = -3
seed = 9
aggregation = "sequence"
tags = ["x", "y"]
[optimizer]
learning_rate = 2
beta = 0.1
[critic]
max_norm = 1e-3
[shape]
kind = "box"
width = 5
[[shapes]]
kind = "circle"
radius = 0.5
[[shapes]]
kind = "box"
height = 9
[[groups]]
beta = 0.25
)";

std::string error_of(std::string_view text, std::vector<std::string> overrides = {}) {
  try {
    read_toml<Recipe>(text, "run.toml", overrides);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST(Fields, ReadsEveryKindOfMember) {
  const Recipe run = read_toml<Recipe>(kFull, "run.toml");
  EXPECT_EQ(run.name, "a \"b\"\n");
  EXPECT_EQ(run.model, "/m");
  EXPECT_FALSE(run.resume);
  EXPECT_EQ(run.steps, -3);
  EXPECT_EQ(run.seed, 9u);
  EXPECT_EQ(run.aggregation, Aggregation::sequence);
  EXPECT_EQ(run.tags, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(run.optimizer.learning_rate, 2.0);
  EXPECT_EQ(run.optimizer.beta, 0.1f);
  EXPECT_FALSE(run.optimizer.max_norm);
  EXPECT_EQ(run.critic.value().max_norm, 1e-3);
  EXPECT_EQ(std::get<Box>(run.shape).width, 5);
  EXPECT_EQ(std::get<Circle>(run.shapes.at(0)).radius, 0.5);
  EXPECT_EQ(std::get<Box>(run.shapes.at(1)).height, 9);
  EXPECT_EQ(run.groups.at(0).beta, 0.25f);
}

TEST(Fields, PrintedTomlReadsBackEqual) {
  const Recipe run = read_toml<Recipe>(kFull, "run.toml");
  const std::string printed = print_toml(run);
  EXPECT_EQ(print_toml(read_toml<Recipe>(printed, "printed")), printed);
  EXPECT_EQ(print_json(read_toml<Recipe>(printed, "printed")), print_json(run));
  EXPECT_NE(printed.find("learning_rate = 2.0\nbeta = 0.1\n"), std::string::npos) << printed;
}

TEST(Fields, PrintsJson) {
  const Json json = parse_json(print_json(read_toml<Recipe>(kFull, "run.toml")), "json");
  EXPECT_EQ(json["name"], "a \"b\"\n");
  EXPECT_TRUE(json["optimizer"]["max_norm"].is_null());
  EXPECT_EQ(json["shapes"][1]["kind"], "box");
}

TEST(Fields, OverridesTakeTomlValuesAndBareWords) {
  const std::vector<std::string> overrides = {"steps=5",          "optimizer.learning_rate=1e-4",
                                              "name=plain words", "model=org/name",
                                              "critic.beta=0.5",  "shape.kind=box",
                                              "shape.width=8",    "shapes.1.height=4",
                                              "tags=[\"z\"]",     "aggregation=token"};
  const Recipe run = read_toml<Recipe>(kFull, "run.toml", overrides);
  EXPECT_EQ(run.steps, 5);
  EXPECT_EQ(run.optimizer.learning_rate, 1e-4);
  EXPECT_EQ(run.name, "plain words");
  EXPECT_EQ(run.model, "org/name");
  EXPECT_EQ(run.critic->beta, 0.5f);
  EXPECT_EQ(run.critic->max_norm, 1e-3);
  EXPECT_EQ(std::get<Box>(run.shape).width, 8);
  EXPECT_EQ(std::get<Box>(run.shapes[1]).height, 4);
  EXPECT_EQ(run.tags, std::vector<std::string>{"z"});
  EXPECT_EQ(run.aggregation, Aggregation::token);
}

TEST(Fields, AnOverriddenListStartsFromDefaults) {
  const std::vector<std::string> overrides = {"groups=[{beta=0.5}]"};
  const Recipe recipe = read_toml<Recipe>("groups = [{learning_rate = 2}, {learning_rate = 3}]",
                                          "run.toml", overrides);
  ASSERT_EQ(recipe.groups.size(), 1u);
  EXPECT_EQ(recipe.groups[0].learning_rate, 1e-5);
  EXPECT_EQ(recipe.groups[0].beta, 0.5f);
}

TEST(Fields, OriginsNameFileLineAndOverride) {
  Origins origins;
  const std::vector<std::string> overrides = {"seed=1"};
  const Recipe run =
      read_toml<Recipe>("steps = 3\n[optimizer]\nbeta = 0.5\n", "run.toml", overrides, &origins);
  const std::string text = print_origins(run, origins);
  EXPECT_NE(text.find("steps = 3  # run.toml:1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("optimizer.beta = 0.5  # run.toml:3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("seed = 1  # --set\n"), std::string::npos) << text;
  EXPECT_NE(text.find("resume = true  # default\n"), std::string::npos) << text;
}

TEST(Fields, HelpListsEveryKey) {
  const std::string text = help<Recipe>();
  EXPECT_NE(text.find("optimizer.learning_rate"), std::string::npos) << text;
  EXPECT_NE(text.find("token|sequence"), std::string::npos) << text;
  EXPECT_NE(text.find("shapes[].height"), std::string::npos) << text;
  EXPECT_NE(text.find("(box) In metres."), std::string::npos) << text;
  EXPECT_EQ(help<Recipe>("steps"), "steps  int  100  Number of updates.\n");
  EXPECT_EQ(help<Recipe>("critic.max_norm"),
            "critic.max_norm  float  unset  Largest gradient norm.\n");
  EXPECT_THROW(help<Recipe>("stepz"), Error);
}

TEST(Fields, AnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(error_of("[optimizer]\nlearnin_rate = 1\n"),
            "run.toml:2: unknown option 'optimizer.learnin_rate'; nearest is "
            "'optimizer.learning_rate'");
  EXPECT_EQ(error_of("beta = 1\n"), "run.toml:1: unknown option 'beta'; nearest is 'critic.beta'");
  EXPECT_EQ(error_of("[optimzer]\n"),
            "run.toml:1: unknown option 'optimzer'; nearest is 'optimizer'");
  EXPECT_EQ(error_of("shape.kind = \"circle\"\nshape.width = 3\n"),
            "run.toml:2: option 'shape.width' belongs to another kind");
  EXPECT_EQ(error_of("", {"sed=1"}), "--set: unknown option 'sed'; nearest is 'seed'");
}

TEST(Fields, WrongTypesSayWhatMustHoldAndWhatCame) {
  EXPECT_EQ(error_of("steps = \"ten\""),
            "run.toml:1: steps must be an integer, came 'ten' (a string)");
  EXPECT_EQ(error_of("steps = 1.0"), "run.toml:1: steps must be an integer, came 1.0 (a float)");
  EXPECT_EQ(error_of("seed = -1"),
            "run.toml:1: seed must be between 0 and 18446744073709551615, came -1 (an integer)");
  EXPECT_EQ(error_of("resume = 1"),
            "run.toml:1: resume must be true or false, came 1 (an integer)");
  EXPECT_EQ(error_of("aggregation = \"mean\""),
            "run.toml:1: aggregation must be one of token, sequence, came 'mean' (a string)");
  EXPECT_EQ(error_of("optimizer = 3"),
            "run.toml:1: optimizer must be a table, came 3 (an integer)");
  EXPECT_EQ(error_of("tags = \"x\""), "run.toml:1: tags must be a list, came 'x' (a string)");
  EXPECT_EQ(error_of("[[shapes]]\nradius = 1"),
            "run.toml:1: shapes.0 needs a kind: one of circle, box");
}

TEST(Fields, AllErrorsComeAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(error_of("steps = true\nnmae = \"x\"\n[optimizer]\nbeta = \"b\"\n", {"seed=x", "y"}),
            "5 errors in the options of run.toml:\n"
            "  run.toml:1: steps must be an integer, came true (a bool)\n"
            "  run.toml:2: unknown option 'nmae'; nearest is 'name'\n"
            "  run.toml:4: optimizer.beta must be a number, came 'b' (a string)\n"
            "  --set: seed must be an integer, came 'x' (a string)\n"
            "  --set: 'y' must be KEY=VALUE");
}

TEST(Fields, SyntaxErrorsAndChecksNameTheirPlace) {
  EXPECT_EQ(error_of("steps = 1\nname = \n").rfind("run.toml:2: ", 0), 0u);
  EXPECT_EQ(error_of("[é]\n").rfind("run.toml:1: ", 0), 0u);
  EXPECT_EQ(error_of("[optimizer]\nlearning_rate = 0"),
            "run.toml: optimizer: learning_rate must be above 0, came 0");
  EXPECT_EQ(error_of("", {"groups=[{learning_rate=-1.0}]"}),
            "run.toml: groups.0: learning_rate must be above 0, came -1");
}

}  // namespace hone::config
