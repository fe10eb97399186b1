#include "hone/base/log.h"

#include <cstdio>

namespace hone::log {

void write_line(std::string_view level, const std::string& message) {
  const std::string line =
      level == "info" ? message + "\n" : fmt::format("{}: {}\n", level, message);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace hone::log
