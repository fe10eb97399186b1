#include <CLI/CLI.hpp>
#include <iostream>

#include "hone/base/cpu.h"
#include "hone/cli/commands.h"

namespace hone::cli {
namespace {

/// Why the path above the detected one is not taken.
const char* reason_for(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return "no AVX2, FMA and F16C, or the system does not save their registers";
    case Isa::avx2:
      return "no AVX-512 F, BW, VL and DQ, or the system does not save their registers";
    case Isa::avx512:
      return "no AVX512-BF16";
    case Isa::avx512_bf16:
      return "no AMX-BF16, or the kernel does not allow its tiles";
    case Isa::amx:
      return "this is the best one";
  }
  return "";
}

int doctor() {
  const Isa best = detect_isa(), used = current_isa();
  std::cout << "instruction path  " << isa_name(used)
            << (used == best ? "" : "  (HONE_ISA asks for it; this machine reaches more)") << '\n'
            << "best possible     " << isa_name(best) << "  (" << reason_for(best) << ")\n"
            << "cores             " << usable_core_count() << '\n'
            << fmt::format("memory            {:.1f} GiB\n",
                           static_cast<double>(usable_memory_bytes()) / (1 << 30));
  return 0;
}

}  // namespace

Command add_doctor(CLI::App&) {
  return doctor;
}

}  // namespace hone::cli
