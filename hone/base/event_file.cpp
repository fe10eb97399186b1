#include "hone/base/event_file.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "hone/base/check.h"

namespace hone {
namespace {

constexpr std::array<uint32_t, 256> make_crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    table[i] = crc;
  }
  return table;
}

template <typename T>
std::string little_endian(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string masked_crc(std::string_view bytes) {
  return little_endian<uint32_t>(std::rotr(crc32c(bytes), 15) + 0xa282ead8);
}

/// A protobuf message being written (https://protobuf.dev/programming-guides/encoding).
struct Message {
  std::string bytes;

  Message& varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
    return *this;
  }
  Message& integer(int field, int64_t value) {
    return varint(field << 3).varint(static_cast<uint64_t>(value));
  }
  Message& fixed(int field, double value) {
    return varint(field << 3 | 1).raw(little_endian(value));
  }
  Message& fixed(int field, float value) {
    return varint(field << 3 | 5).raw(little_endian(value));
  }
  Message& text(int field, std::string_view value) {
    return varint(field << 3 | 2).varint(value.size()).raw(value);
  }
  Message& raw(std::string_view value) {
    bytes += value;
    return *this;
  }
};

/// Event{wall_time = 1, step = 2}; protobuf leaves out a step of 0.
Message event_at(int64_t step, double time_s) {
  Message event;
  event.fixed(1, time_s);
  if (step != 0) event.integer(2, step);
  return event;
}

Path path_in(const Path& folder, double time_s) {
  static std::atomic<int> count{0};
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  return folder / fmt::format("events.out.tfevents.{:010}.{}.{}.{}", static_cast<int64_t>(time_s),
                              host, ::getpid(), count++);
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = make_crc_table();
  uint32_t crc = ~0u;
  for (const unsigned char byte : bytes) crc = kTable[(crc ^ byte) & 0xff] ^ (crc >> 8);
  return ~crc;
}

EventFile::EventFile(const Path& folder, double time_s, int64_t first_step)
    : path_(path_in(folder, time_s)), file_(path_, 0) {
  write_record(event_at(0, time_s).text(3, "brain.Event:2").bytes);
  // Event.session_log = 7, SessionLog.status = 1, START = 1.
  write_record(event_at(first_step, time_s).text(7, Message().integer(1, 1).bytes).bytes);
}

void EventFile::write_scalars(int64_t step, double time_s, std::span<const Scalar> scalars) {
  // Event.summary = 5, Summary.value = 1, Value{tag = 1, simple_value = 2}.
  Message summary;
  for (const Scalar& scalar : scalars) {
    const Message value = Message().text(1, scalar.name).fixed(2, static_cast<float>(scalar.value));
    summary.text(1, value.bytes);
  }
  write_record(event_at(step, time_s).text(5, summary.bytes).bytes);
}

void EventFile::write_text(int64_t step, double time_s, std::string_view name,
                           std::string_view text) {
  // Value{tag = 1, tensor = 8, metadata = 9}; TensorProto{dtype = 1 (DT_STRING = 7), tensor_shape =
  // 2, string_val = 8}; SummaryMetadata{plugin_data = 1 {plugin_name = 1}}.
  const Message tensor = Message().integer(1, 7).text(2, "").text(8, text);
  const Message metadata = Message().text(1, Message().text(1, "text").bytes);
  const Message value = Message().text(1, name).text(8, tensor.bytes).text(9, metadata.bytes);
  write_record(event_at(step, time_s).text(5, Message().text(1, value.bytes).bytes).bytes);
}

void EventFile::write_record(std::string_view event) {
  const std::string length = little_endian<uint64_t>(event.size());
  file_.append(length + masked_crc(length) + std::string(event) + masked_crc(event));
}

}  // namespace hone
