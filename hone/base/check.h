#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace hone {

/// Why a command ends early; cli turns it into the exit code, serve into the HTTP status.
enum class ErrorKind {
  failed,      // exit 1, HTTP 500: the work could not be done (disk full, peer gone)
  input,       // exit 2, HTTP 400: the user's input is wrong
  threshold,   // exit 4: a goal or threshold was missed
  try_later,   // exit 75, HTTP 503: a lock is held, a resource is busy
  interrupted  // exit 130: the user asked to stop
};

/// The exception of HONE_CHECK: the message is meant for the user.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// Throws an Error of kind `input`. The message says who, what must hold, what came, what to do.
template <typename... Args>
[[noreturn]] void fail_input(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ErrorKind::input, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws an Error of kind `failed`: the input was right, the world was not.
template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ErrorKind::failed, fmt::format(format, std::forward<Args>(args)...));
}

/// Prints the broken condition with its place and state, then aborts: a bug of Hone's own.
[[noreturn]] void abort_with_state(const char* condition, const char* file, int line,
                                   const std::string& state);

}  // namespace hone

/// The user's input must hold `condition`; otherwise throws hone::Error of kind `input`.
#define HONE_CHECK(condition, ...)     \
  do {                                 \
    if (!(condition)) [[unlikely]]     \
      ::hone::fail_input(__VA_ARGS__); \
  } while (false)

/// Our own code must hold `condition`; otherwise aborts with the formatted state. On in release.
#define HONE_ASSERT(condition, ...)                                                         \
  do {                                                                                      \
    if (!(condition)) [[unlikely]]                                                          \
      ::hone::abort_with_state(#condition, __FILE__, __LINE__, ::fmt::format(__VA_ARGS__)); \
  } while (false)
