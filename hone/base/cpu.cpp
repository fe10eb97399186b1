#include "hone/base/cpu.h"

#include <cpuid.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "hone/base/check.h"

namespace hone {
namespace {

constexpr const char* kIsaNames[] = {"scalar", "avx2", "avx512", "avx512_bf16", "amx"};
constexpr long kArchReqXcompPerm = 0x1023;
constexpr long kXfeatureXtileData = 18;

uint64_t read_xcr0() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

bool allowed_by_kernel(Isa isa) {
  return isa != Isa::amx || syscall(SYS_arch_prctl, kArchReqXcompPerm, kXfeatureXtileData) == 0;
}

Isa detect_from_cpuid() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_FMA) || !(c & bit_F16C)) {
    return Isa::scalar;
  }
  const uint64_t xcr0 = read_xcr0();
  unsigned a7, b7, c7, d7;
  if (!__get_cpuid_count(7, 0, &a7, &b7, &c7, &d7)) return Isa::scalar;
  if ((xcr0 & 0x6) != 0x6 || !(b7 & bit_AVX2)) return Isa::scalar;
  const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
  if ((xcr0 & 0xe6) != 0xe6 || (b7 & avx512) != avx512) return Isa::avx2;
  unsigned a71 = 0, b71, c71, d71;
  __get_cpuid_count(7, 1, &a71, &b71, &c71, &d71);
  if (!(a71 & (1u << 5))) return Isa::avx512;
  const unsigned amx = (1u << 22) | (1u << 24);
  if ((d7 & amx) != amx || (xcr0 & 0x60000) != 0x60000) return Isa::avx512_bf16;
  return allowed_by_kernel(Isa::amx) ? Isa::amx : Isa::avx512_bf16;
}

Isa choose_isa() {
  const Isa best = detect_isa();
  const auto wanted = environment("HONE_ISA");
  if (!wanted || wanted->empty()) return best;
  for (int i = 0; i <= static_cast<int>(Isa::amx); ++i) {
    if (*wanted != kIsaNames[i]) continue;
    HONE_CHECK(i <= static_cast<int>(best),
               "HONE_ISA={}: this machine reaches only {}; unset HONE_ISA or name a lower path",
               *wanted, isa_name(best));
    return static_cast<Isa>(i);
  }
  fail_input("HONE_ISA={}: unknown; use scalar, avx2, avx512, avx512_bf16 or amx", *wanted);
}

double cgroup_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 1e9;
  return std::stod(quota) / period;
}

}  // namespace

const char* isa_name(Isa isa) {
  return kIsaNames[static_cast<int>(isa)];
}

Isa detect_isa() {
  static const Isa isa = detect_from_cpuid();
  return isa;
}

Isa current_isa() {
  static const Isa isa = choose_isa();
  return isa;
}

int usable_core_count() {
  cpu_set_t set;
  const int affinity = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return std::max(1, static_cast<int>(std::min<double>(affinity, std::ceil(cgroup_cores()))));
}

int64_t usable_memory_bytes() {
  const int64_t physical = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  std::ifstream file("/sys/fs/cgroup/memory.max");
  int64_t limit = 0;
  return file >> limit ? std::min(limit, physical) : physical;
}

int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace hone
