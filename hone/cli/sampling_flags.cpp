#include <CLI/CLI.hpp>

#include "hone/cli/session.h"

namespace hone::cli {

void add_sampling(CLI::App& app, engine::SamplingParams& params) {
  engine::SamplingParams::fields(params, [&](std::string name, auto& member, const char* meaning) {
    for (char& c : name) c = c == '_' ? '-' : c;
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, bool>) {
      app.add_flag("--" + name, member, meaning);
    } else {
      app.add_option("--" + name, member, meaning)->capture_default_str();
    }
  });
}

}  // namespace hone::cli
