#include "hone/base/curve.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/base/check.h"

namespace hone {
namespace {

constexpr int kLabelWidth = 9;

/// One value per dot column; NaN where there is none.
std::vector<double> resampled(std::span<const double> values, int columns) {
  std::vector<double> sampled(columns, std::nan(""));
  const auto count = static_cast<int64_t>(values.size());
  for (int column = 0; column < columns; ++column) {
    const int64_t begin = column * count / columns;
    const int64_t end = std::max(begin + 1, (column + 1) * count / columns);
    double sum = 0;
    int64_t finite = 0;
    for (int64_t i = begin; i < end; ++i) {
      if (!std::isfinite(values[i])) continue;
      sum += values[i];
      ++finite;
    }
    if (finite > 0) sampled[column] = sum / static_cast<double>(finite);
  }
  return sampled;
}

/// A grid of braille characters.
class Canvas {
 public:
  Canvas(int width, int height) : width_(width), cells_(width * height) {}

  void set(int x, int y) {
    static constexpr uint8_t kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cells_[y / 4 * width_ + x / 2] |= kBits[y % 4][x % 2];
  }
  std::string row(int y) const {
    std::string text;
    for (int x = 0; x < width_; ++x) {
      const int code = 0x2800 + cells_[y * width_ + x];
      text += {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
               static_cast<char>(0x80 | (code & 0x3F))};
    }
    return text;
  }

 private:
  int width_;
  std::vector<uint8_t> cells_;
};

struct Range {
  double low, high;
};

Range range_of(const std::vector<double>& values) {
  Range range{HUGE_VAL, -HUGE_VAL};
  for (const double value : values) {
    if (std::isnan(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  if (range.low == range.high) {
    const double margin = std::max(std::abs(range.low) * 0.5, 0.5);
    return {range.low - margin, range.high + margin};
  }
  return range;
}

/// Draws each column from its dot to the middle between it and the one before.
void plot(const std::vector<double>& sampled, Range range, int dot_rows, Canvas& canvas) {
  int last = -1;
  for (int x = 0; x < static_cast<int>(sampled.size()); ++x) {
    if (std::isnan(sampled[x])) continue;
    const double height = (sampled[x] - range.low) / (range.high - range.low);
    const int y = static_cast<int>(std::lround((1 - height) * (dot_rows - 1)));
    canvas.set(x, y);
    for (int between = std::min(last, y) + 1; last >= 0 && between < std::max(last, y); ++between) {
      canvas.set(x, between);
    }
    last = y;
  }
}

std::string x_axis(const CurveOptions& options, int64_t count) {
  const double count_x = options.first_x + static_cast<double>(count) - 1;
  const std::string first = fmt::format("{:.6g}", options.first_x);
  const std::string last =
      fmt::format("{:.6g}", options.last_x > options.first_x ? options.last_x : count_x);
  std::string text = std::string(kLabelWidth + 1, ' ') + "└";
  for (int x = 0; x < options.width; ++x) text += "─";
  const int between = options.width - static_cast<int>(first.size() + last.size());
  return text + fmt::format("\n{:{}}{}{:^{}}{}\n", "", kLabelWidth + 2, first, options.x_label,
                            std::max(0, between), last);
}

}  // namespace

std::string draw_curve(std::span<const double> values, const CurveOptions& options) {
  HONE_ASSERT(options.width >= 10 && options.height >= 2, "curve of {} by {}", options.width,
              options.height);
  std::string text = options.title.empty() ? "" : options.title + "\n";
  const bool any =
      std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  if (!any) return text + "(no values)\n";
  const std::vector<double> sampled = resampled(values, options.width * 2);
  const Range range = range_of(sampled);
  Canvas canvas(options.width, options.height);
  plot(sampled, range, options.height * 4, canvas);

  for (int y = 0; y < options.height; ++y) {
    const bool labelled = y == 0 || y == options.height / 2 || y == options.height - 1;
    const double value = range.high - (range.high - range.low) * y / (options.height - 1);
    text += fmt::format("{:>{}} {}{}\n", labelled ? fmt::format("{:.4g}", value) : "", kLabelWidth,
                        labelled ? "┤" : "│", canvas.row(y));
  }
  return text + x_axis(options, static_cast<int64_t>(values.size()));
}

}  // namespace hone
