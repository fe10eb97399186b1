#pragma once

#include <string_view>

#include "hone/base/files.h"

namespace hone {

/// A file that grows at its end. Failures throw an Error of kind `failed` that names the path.
class AppendFile {
 public:
  /// Opens or creates the file and its folder, and cuts off what is behind `keep_bytes`.
  AppendFile(const Path& path, int64_t keep_bytes);
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;

  /// All of `bytes` reach the operating system, so they survive SIGKILL.
  void append(std::string_view bytes);
  /// They reach the disk.
  void sync();

 private:
  Path path_;
  int fd_;
};

}  // namespace hone
