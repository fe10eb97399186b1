#include "hone/io/gguf.h"

#include <array>
#include <cstring>

#include "hone/base/check.h"
#include "hone/io/tensor_view.h"

namespace hone::io {
namespace {

constexpr std::array<GgufBlock, 15> kBlocks{{{GgufType::f32, "F32", 1, 4},
                                             {GgufType::f16, "F16", 1, 2},
                                             {GgufType::bf16, "BF16", 1, 2},
                                             {GgufType::q4_0, "Q4_0", 32, 18},
                                             {GgufType::q4_1, "Q4_1", 32, 20},
                                             {GgufType::q5_0, "Q5_0", 32, 22},
                                             {GgufType::q5_1, "Q5_1", 32, 24},
                                             {GgufType::q8_0, "Q8_0", 32, 34},
                                             {GgufType::q2_k, "Q2_K", 256, 84},
                                             {GgufType::q3_k, "Q3_K", 256, 110},
                                             {GgufType::q4_k, "Q4_K", 256, 144},
                                             {GgufType::q5_k, "Q5_K", 256, 176},
                                             {GgufType::q6_k, "Q6_K", 256, 210},
                                             {GgufType::iq4_nl, "IQ4_NL", 32, 18},
                                             {GgufType::iq4_xs, "IQ4_XS", 256, 136}}};
constexpr uint32_t kRankCap = 4;
constexpr int kArray = 9;

/// Reads the header front to back; every read is checked against the end of the file.
class Reader {
 public:
  Reader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  std::string_view take(uint64_t count) {
    HONE_CHECK(count <= bytes_.size() - position_,
               "{}: the GGUF header wants {} bytes at byte {}, the file has {}", file_, count,
               position_, bytes_.size());
    const std::string_view part = bytes_.substr(position_, count);
    position_ += count;
    return part;
  }
  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number<uint64_t>())); }
  uint64_t left() const { return bytes_.size() - position_; }
  uint64_t position() const { return position_; }
  const std::string& file() const { return file_; }

 private:
  std::string_view bytes_;
  std::string file_;
  uint64_t position_ = 0;
};

Json read_scalar(Reader& reader, uint32_t type, const std::string& key) {
  switch (type) {
    case 0:
      return reader.number<uint8_t>();
    case 1:
      return reader.number<int8_t>();
    case 2:
      return reader.number<uint16_t>();
    case 3:
      return reader.number<int16_t>();
    case 4:
      return reader.number<uint32_t>();
    case 5:
      return reader.number<int32_t>();
    case 6:
      return json_float(reader.number<float>());
    case 7:
      return reader.number<uint8_t>() != 0;
    case 8:
      return reader.text();
    case 10:
      return reader.number<uint64_t>();
    case 11:
      return reader.number<int64_t>();
    case 12:
      return reader.number<double>();
    default:
      fail_input("{}: key '{}' has the unknown or nested value type {}", reader.file(), key, type);
  }
}

Json read_value(Reader& reader, const std::string& key) {
  const auto type = reader.number<uint32_t>();
  if (type != kArray) return read_scalar(reader, type, key);
  const auto element_type = reader.number<uint32_t>();
  const auto count = reader.number<uint64_t>();
  HONE_CHECK(count <= reader.left(), "{}: key '{}' has {} elements in {} bytes", reader.file(), key,
             count, reader.left());
  Json list = Json::array();
  for (uint64_t i = 0; i < count; ++i) list.push_back(read_scalar(reader, element_type, key));
  return list;
}

struct Placed {
  GgufTensor tensor;
  uint64_t offset;
};

Placed read_tensor(Reader& reader) {
  GgufTensor tensor{reader.text(), {}, {}, nullptr, 0};
  const std::string who = fmt::format("{}: tensor '{}'", reader.file(), tensor.name);
  const auto rank = reader.number<uint32_t>();
  HONE_CHECK(rank <= kRankCap, "{}: has {} dimensions, at most {} are known", who, rank, kRankCap);
  for (uint32_t i = 0; i < rank; ++i) {
    tensor.shape.insert(tensor.shape.begin(), reader.number<int64_t>());
  }
  const auto type = reader.number<uint32_t>();
  const GgufBlock* block = gguf_block(type);
  HONE_CHECK(block, "{}: type {} is not supported; known are {}", who, type, gguf_type_names());
  tensor.type = block->type;
  const auto count = element_count(tensor.shape);
  const int64_t row = rank ? tensor.shape.back() : 1;
  HONE_CHECK(count && row % block->elements == 0,
             "{}: the sizes must not overflow and rows of {} must be whole blocks of {}", who, row,
             block->elements);
  HONE_CHECK(!__builtin_mul_overflow(*count / block->elements, block->bytes, &tensor.bytes),
             "{}: the size overflows 64 bits", who);
  const auto offset = reader.number<uint64_t>();
  return {std::move(tensor), offset};
}

}  // namespace

const GgufBlock* gguf_block(uint32_t type) {
  for (const GgufBlock& block : kBlocks) {
    if (static_cast<uint32_t>(block.type) == type) return &block;
  }
  return nullptr;
}

std::string gguf_type_names() {
  std::string names;
  for (const GgufBlock& block : kBlocks) names += fmt::format(" {}", block.name);
  return names.substr(1);
}

GgufFile::GgufFile(const Path& path) : file_(path) {
  Reader reader(file_.bytes(), path.string());
  const std::string& file = reader.file();
  HONE_CHECK(reader.left() >= 4 && reader.take(4) == "GGUF", "{}: not a GGUF file", file);
  const auto version = reader.number<uint32_t>();
  HONE_CHECK(version == 2 || version == 3, "{}: GGUF version {}, known are 2 and 3", file, version);
  const auto tensor_count = reader.number<uint64_t>(), key_count = reader.number<uint64_t>();
  for (uint64_t i = 0; i < key_count; ++i) {
    std::string key = reader.text();
    HONE_CHECK(!metadata_.contains(key), "{}: key '{}' occurs twice", file, key);
    Json read = read_value(reader, key);
    metadata_.emplace(std::move(key), std::move(read));
  }
  std::vector<uint64_t> offsets;
  for (uint64_t i = 0; i < tensor_count; ++i) {
    Placed placed = read_tensor(reader);
    HONE_CHECK(index_.emplace(placed.tensor.name, i).second, "{}: tensor '{}' occurs twice", file,
               placed.tensor.name);
    tensors_.push_back(std::move(placed.tensor));
    offsets.push_back(placed.offset);
  }
  uint64_t alignment = 32;
  if (const Json* given = value("general.alignment")) {
    HONE_CHECK(given->is_number_unsigned(), "{}: general.alignment is not a number", file);
    alignment = given->get<uint64_t>();
  }
  HONE_CHECK(alignment > 0 && alignment <= 1 << 20 && (alignment & (alignment - 1)) == 0,
             "{}: general.alignment is {}, it must be a power of two up to 2^20", file, alignment);
  const uint64_t start = (reader.position() + alignment - 1) / alignment * alignment;
  const uint64_t size = file_.size();
  for (size_t i = 0; i < tensors_.size(); ++i) {
    GgufTensor& tensor = tensors_[i];
    const uint64_t room = start <= size ? size - start : 0, bytes = tensor.bytes;
    HONE_CHECK(offsets[i] % alignment == 0 && bytes <= room && offsets[i] <= room - bytes,
               "{}: tensor '{}' of {} bytes at offset {} must be aligned to {} and lie in the {} "
               "bytes of data",
               file, tensor.name, bytes, offsets[i], alignment, room);
    tensor.data = file_.data() + (bytes ? start + offsets[i] : 0);
  }
}

const Json* GgufFile::value(const std::string& key) const {
  const auto place = metadata_.find(key);
  return place == metadata_.end() ? nullptr : &place->second;
}

const GgufTensor* GgufFile::tensor(const std::string& name) const {
  const auto place = index_.find(name);
  return place == index_.end() ? nullptr : &tensors_[place->second];
}

}  // namespace hone::io
