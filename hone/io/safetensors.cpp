#include "hone/io/safetensors.h"

#include <algorithm>
#include <cstring>

#include "hone/base/check.h"

namespace hone::io {
namespace {

constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kMaxRank = 16;

ElementType parse_type(const std::string& name, const std::string& where) {
  for (int i = 0; i <= static_cast<int>(ElementType::f8_e5m2); ++i) {
    if (name == element_name(static_cast<ElementType>(i))) return static_cast<ElementType>(i);
  }
  fail_input("{}: unknown dtype '{}'", where, name);
}

/// A member that must be a list of non-negative integers.
std::vector<int64_t> integers(const Json& entry, const char* key, const std::string& where) {
  const auto found = entry.find(key);
  HONE_CHECK(found != entry.end() && found->is_array() && found->size() <= kMaxRank,
             "{}: '{}' must be a list of at most {} integers", where, key, kMaxRank);
  std::vector<int64_t> values;
  for (const auto& value : *found) {
    HONE_CHECK(
        value.is_number_unsigned() && value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX),
        "{}: '{}' holds {}, not a size", where, key, value.dump());
    values.push_back(value.get<int64_t>());
  }
  return values;
}

int64_t checked_bytes(const std::vector<int64_t>& shape, ElementType type,
                      const std::string& where) {
  int64_t bytes = element_bytes(type);
  for (int64_t size : shape) {
    HONE_CHECK(!__builtin_mul_overflow(bytes, size, &bytes), "{}: the shape overflows", where);
  }
  return bytes;
}

/// The header as JSON; a name that comes twice is an error, which the JSON library would hide.
Json parse_header(std::string_view text, const std::string& origin) {
  std::vector<std::string> keys;
  std::string twice;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event != Json::parse_event_t::key || depth != 1) return true;
    keys.push_back(parsed.get<std::string>());
    return true;
  };
  Json header;
  try {
    header = Json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    fail_input("{}: the header is not valid JSON: {}", origin, error.what());
  }
  HONE_CHECK(header.is_object(), "{}: the header is not a JSON object", origin);
  std::sort(keys.begin(), keys.end());
  const auto same = std::adjacent_find(keys.begin(), keys.end());
  HONE_CHECK(same == keys.end(), "{}: the header names '{}' twice", origin, *same);
  return header;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const Path& path) : path_(path), file_(path) {
  const std::string origin = path.string();
  HONE_CHECK(file_.size() >= 8, "{}: {} bytes are too few for a safetensors file", origin,
             file_.size());
  uint64_t header_bytes;
  std::memcpy(&header_bytes, file_.data(), 8);
  HONE_CHECK(
      header_bytes <= kMaxHeaderBytes && header_bytes <= static_cast<uint64_t>(file_.size() - 8),
      "{}: a header of {} bytes does not fit the file of {} bytes; it is cut off or no "
      "safetensors file",
      origin, header_bytes, file_.size());
  const Json header = parse_header(file_.bytes().substr(8, header_bytes), origin);
  const char* data = file_.data() + 8 + header_bytes;
  const int64_t size = file_.size() - 8 - static_cast<int64_t>(header_bytes);
  for (const auto& [name, entry] : header.items()) read_entry(name, entry, data, size);
  std::sort(tensors_.begin(), tensors_.end(),
            [](const TensorView& a, const TensorView& b) { return a.data < b.data; });
  check_cover(size);
  for (size_t i = 0; i < tensors_.size(); ++i) index_[tensors_[i].name] = i;
}

void SafetensorsFile::read_entry(const std::string& name, const Json& entry, const char* data,
                                 int64_t size) {
  const std::string where = fmt::format("{}: tensor '{}'", path_.string(), name);
  HONE_CHECK(entry.is_object(), "{}: its entry is not an object", where);
  if (name == "__metadata__") {
    for (const auto& [key, value] : entry.items()) {
      HONE_CHECK(value.is_string(), "{}: metadata '{}' is not a string", path_.string(), key);
      metadata_[key] = value.get<std::string>();
    }
    return;
  }
  const auto type = entry.find("dtype");
  HONE_CHECK(type != entry.end() && type->is_string(), "{}: 'dtype' must be a string", where);
  TensorView tensor{.name = name, .type = parse_type(type->get<std::string>(), where)};
  tensor.shape = integers(entry, "shape", where);
  const auto offsets = integers(entry, "data_offsets", where);
  HONE_CHECK(offsets.size() == 2 && offsets[0] <= offsets[1] && offsets[1] <= size,
             "{}: data_offsets [{}] do not lie in the {} bytes of data", where,
             entry["data_offsets"].dump(), size);
  tensor.bytes = offsets[1] - offsets[0];
  tensor.data = data + offsets[0];
  const int64_t needed = checked_bytes(tensor.shape, tensor.type, where);
  HONE_CHECK(needed == tensor.bytes, "{}: its shape needs {} bytes, but its offsets span {}", where,
             needed, tensor.bytes);
  tensors_.push_back(std::move(tensor));
}

void SafetensorsFile::check_cover(int64_t size) const {
  const char* expected = file_.data() + file_.size() - size;
  for (const auto& tensor : tensors_) {
    HONE_CHECK(tensor.data == expected, "{}: the bytes of tensor '{}' {}", path_.string(),
               tensor.name, tensor.data < expected ? "overlap another's" : "follow a hole");
    expected += tensor.bytes;
  }
  HONE_CHECK(expected == file_.data() + file_.size(), "{}: {} bytes at the end belong to no tensor",
             path_.string(), file_.data() + file_.size() - expected);
}

const TensorView* SafetensorsFile::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

const TensorView& SafetensorsFile::tensor(const std::string& name) const {
  const TensorView* found = find(name);
  HONE_CHECK(found, "{}: tensor '{}' is missing; it holds {} others", path_.string(), name,
             tensors_.size());
  return *found;
}

void write_safetensors(const Path& path, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  int64_t offset = 0;
  for (const auto& tensor : tensors) {
    header[tensor.name] = {{"dtype", element_name(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.bytes}}};
    offset += tensor.bytes;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  FileWriter writer(path);
  writer.write({reinterpret_cast<const char*>(&length), 8});
  writer.write(text);
  for (const auto& tensor : tensors) {
    writer.write({tensor.data, static_cast<size_t>(tensor.bytes)});
  }
  writer.commit();
}

}  // namespace hone::io
