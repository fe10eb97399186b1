#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hone {

/// Instruction paths of the CPU kernels, from the plain reference upwards.
enum class Isa { scalar, avx2, avx512, avx512_bf16, amx };

/// "scalar", "avx2", "avx512", "avx512_bf16", "amx".
const char* isa_name(Isa isa);

/// The best path that processor (CPUID), operating system (XCR0) and kernel (tile permission)
/// all allow. Asks for the tile permission on the first call.
Isa detect_isa();

/// detect_isa(), or what HONE_ISA names; an unknown or unavailable name is an input error.
Isa current_isa();

/// Cores this process may use: affinity mask and cgroup quota, at least 1.
int usable_core_count();

/// Bytes of memory this process may use: physical memory or the cgroup limit, the smaller.
int64_t usable_memory_bytes();

/// The largest resident size of this process so far, in bytes.
int64_t peak_memory_bytes();

/// The value of an environment variable. The only reader of the environment in Hone.
std::optional<std::string> environment(const char* name);

}  // namespace hone
