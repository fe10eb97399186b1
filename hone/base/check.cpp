#include "hone/base/check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace hone {

void abort_with_state(const char* condition, const char* file, int line, const std::string& state) {
  const char* place = std::strstr(file, "hone/");
  std::fprintf(stderr, "hone: bug: %s does not hold at %s:%d: %s\n", condition,
               place ? place : file, line, state.c_str());
  std::abort();
}

}  // namespace hone
