#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

/// Talk for people, on stderr; results go to stdout and never through here.
namespace hone::log {

/// Writes "level: message", or the message alone for level "info", and a newline.
void write_line(std::string_view level, const std::string& message);

/// What happens.
template <typename... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write_line("info", fmt::format(format, std::forward<Args>(args)...));
}

/// What the user should look at though the work goes on.
template <typename... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  write_line("warning", fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hone::log
