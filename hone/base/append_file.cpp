#include "hone/base/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "hone/base/check.h"

namespace hone {

AppendFile::AppendFile(const Path& path, int64_t keep_bytes) : path_(path) {
  std::error_code ignored;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) fail("{}: cannot open for writing: {}", path.string(), std::strerror(errno));
  if (::ftruncate(fd_, keep_bytes) != 0) {
    const std::string cause = std::strerror(errno);
    ::close(fd_);
    fail("{}: cannot cut at byte {}: {}", path.string(), keep_bytes, cause);
  }
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

void AppendFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("{}: cannot write: {}", path_.string(), std::strerror(errno));
    bytes.remove_prefix(count);
  }
}

void AppendFile::sync() {
  if (::fsync(fd_) != 0) fail("{}: cannot sync to disk: {}", path_.string(), std::strerror(errno));
}

}  // namespace hone
