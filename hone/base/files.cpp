#include "hone/base/files.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hone/base/check.h"

namespace hone {
namespace {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const Path& path, int flags) : fd_(::open(path.c_str(), flags, 0644)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void sync_path(const Path& path) {
  Descriptor file(path, O_RDONLY);
  if (file.get() < 0 || ::fsync(file.get()) != 0) {
    fail("{}: cannot sync to disk: {}", path.string(), std::strerror(errno));
  }
}

Path parent_of(const Path& path) {
  return path.has_parent_path() ? path.parent_path() : Path(".");
}

void make_folder(const Path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail("{}: cannot make the folder: {}", path.string(), error.message());
}

void rename_path(const Path& from, const Path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) fail("{}: cannot rename to {}: {}", from.string(), to.string(), error.message());
}

}  // namespace

MappedFile::MappedFile(const Path& path) {
  Descriptor file(path, O_RDONLY);
  HONE_CHECK(file.get() >= 0, "{}: cannot open: {}", path.string(), std::strerror(errno));
  struct stat info {};
  HONE_CHECK(::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode), "{}: not a regular file",
             path.string());
  size_ = info.st_size;
  if (size_ == 0) return;
  void* data = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) fail("{}: cannot map: {}", path.string(), std::strerror(errno));
  data_ = static_cast<char*>(data);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, size_);
}

std::string read_file(const Path& path) {
  return std::string(MappedFile(path).bytes());
}

FileWriter::FileWriter(Path target)
    : target_(std::move(target)), temporary_(target_.string() + fmt::format(".tmp{}", ::getpid())) {
  make_folder(parent_of(target_));
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0) fail_with_errno("create");
}

FileWriter::~FileWriter() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

void FileWriter::fail_with_errno(const char* what) const {
  fail("{}: cannot {} it: {}", target_.string(), what, std::strerror(errno));
}

void FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) fail_with_errno("write");
    if (count > 0) bytes.remove_prefix(count);
  }
}

void FileWriter::commit() {
  if (::fsync(fd_) != 0) fail_with_errno("sync");
  ::close(fd_);
  fd_ = -1;
  rename_path(temporary_, target_);
  sync_path(parent_of(target_));
}

void write_file(const Path& path, std::string_view bytes) {
  FileWriter writer(path);
  writer.write(bytes);
  writer.commit();
}

AtomicFolder::AtomicFolder(Path target)
    : target_(std::move(target)), temporary_(target_.string() + fmt::format(".tmp{}", ::getpid())) {
  std::filesystem::remove_all(temporary_);
  make_folder(temporary_);
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(temporary_)) {
    sync_path(entry.path());
  }
  sync_path(temporary_);
  std::filesystem::remove_all(target_);
  rename_path(temporary_, target_);
  sync_path(parent_of(target_));
  temporary_.clear();
}

std::string sha256(std::string_view bytes) {
  unsigned char digest[32];
  unsigned size = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  HONE_ASSERT(done == 1 && size == 32, "EVP_Digest returned {}", done);
  std::string hex;
  for (unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string sha256_file(const Path& path) {
  return sha256(MappedFile(path).bytes());
}

}  // namespace hone
