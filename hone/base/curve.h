#pragma once

#include <span>
#include <string>

namespace hone {

/// How a curve is drawn; sizes are in characters and leave the axes out.
struct CurveOptions {
  int width = 60;
  int height = 12;
  std::string title = {};    // above the curve; empty for none
  std::string x_label = {};  // below the curve; empty for none
  double first_x = 1;        // x of the first value
  double last_x = 0;         // x of the last value; not above first_x: first_x + count - 1
};

/// A line chart of the values at equal distances, in braille dots (2 by 4 a character) with
/// labelled axes, for terminals. More values than dots are averaged; gaps are bridged; values that
/// are not finite are left out. Every line ends in a newline.
std::string draw_curve(std::span<const double> values, const CurveOptions& options = {});

}  // namespace hone
