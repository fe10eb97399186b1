#include <gtest/gtest.h>
#include <unistd.h>

#include "hone/base/check.h"
#include "hone/base/event_file.h"

namespace hone {

TEST(EventFile, Crc32cOfTheCheckString) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
}

/// The golden is written by TensorBoard's own library: tools/golden/event_file.py.
TEST(EventFile, BytesEqualThoseOfTensorBoard) {
  const Path folder = Path(testing::TempDir()) / fmt::format("hone_events_{}", ::getpid());
  EventFile file(folder, 1700000000.25, 3);
  file.write_scalars(3, 1700000001.5,
                     std::vector<Scalar>{{"reward/mean", 0.1}, {"loss", -2.5}, {"huge", 1e30}});
  std::string text;
  for (int i = 0; i < 20; ++i) text += "**naïve**\n";
  file.write_text(300, 1700000002.0, "sample", text);

  std::string hex;
  for (const unsigned char byte : read_file(file.path())) hex += fmt::format("{:02x}", byte);
  std::string expected = read_file(Path(HONE_SOURCE_DIR) / "tests/golden/data/event_file.txt");
  std::erase(expected, '\n');
  EXPECT_EQ(hex, expected);
  EXPECT_TRUE(file.path().filename().string().starts_with("events.out.tfevents.1700000000."));
  std::filesystem::remove_all(folder);
}

}  // namespace hone
