#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace hone {

using Path = std::filesystem::path;

/// The whole file; an input error names the path and the cause.
std::string read_file(const Path& path);

/// Writes temp file, fsync, rename, fsync of the folder: readers see the old or the new bytes,
/// never a part. Makes the parent folder.
void write_file(const Path& path, std::string_view bytes);

/// The same for a file written piece by piece. Without commit() nothing of it remains.
class FileWriter {
 public:
  explicit FileWriter(Path target);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  void write(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail_with_errno(const char* what) const;

  Path target_, temporary_;
  int fd_ = -1;
};

/// A folder that appears at once: fill path(), then commit() syncs every file and renames it to
/// `target` (which is replaced). Without commit the destructor removes what was written.
class AtomicFolder {
 public:
  explicit AtomicFolder(Path target);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;
  const Path& path() const { return temporary_; }
  void commit();

 private:
  Path target_, temporary_;
};

/// A read-only file in memory. Pages are private copy-on-write, so in-place writes never reach
/// the file. The mapping lives as long as this object.
class MappedFile {
 public:
  explicit MappedFile(const Path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  char* data() const { return data_; }
  int64_t size() const { return size_; }
  std::string_view bytes() const { return {data_, static_cast<size_t>(size_)}; }

 private:
  char* data_ = nullptr;
  int64_t size_ = 0;
};

/// SHA-256 in lower-case hexadecimal.
std::string sha256(std::string_view bytes);
std::string sha256_file(const Path& path);

}  // namespace hone
