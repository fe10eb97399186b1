#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hone/base/append_file.h"

namespace hone {

/// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78); "123456789" gives 0xe3069283.
uint32_t crc32c(std::string_view bytes);

/// One named value.
struct Scalar {
  std::string name;
  double value;  // stored as float
};

/// A TensorBoard event file: TFRecord framing (length, masked CRC-32C, bytes, masked CRC-32C)
/// around Event messages of tensorflow/core/util/event.proto. A name with a slash makes a group.
class EventFile {
 public:
  /// Makes `folder`/events.out.tfevents.<seconds>.<host>.<pid>.<n>. Readers drop what older files
  /// of the folder hold of `first_step` and later. Times are Unix seconds.
  EventFile(const Path& folder, double time_s, int64_t first_step);

  void write_scalars(int64_t step, double time_s, std::span<const Scalar> scalars);
  /// Text is shown as Markdown.
  void write_text(int64_t step, double time_s, std::string_view name, std::string_view text);
  const Path& path() const { return path_; }

 private:
  void write_record(std::string_view event);

  Path path_;
  AppendFile file_;
};

}  // namespace hone
