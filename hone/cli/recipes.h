#pragma once

#include <string_view>
#include <vector>

namespace hone::cli {

/// A run file of the folder recipes/, whose first line says what it does.
struct Recipe {
  std::string_view name, text;
};

/// All recipes, embedded when Hone is built.
extern const std::vector<Recipe> kRecipes;

}  // namespace hone::cli
