#pragma once

#include "hone/base/check.h"
#include "hone/base/cpu.h"

/// Declares one function in the namespace of every instruction path.
#define HONE_DECLARE_PER_ISA(declaration) \
  namespace scalar {                      \
  declaration;                            \
  }                                       \
  namespace avx2 {                        \
  declaration;                            \
  }                                       \
  namespace avx512 {                      \
  declaration;                            \
  }                                       \
  namespace avx512_bf16 {                 \
  declaration;                            \
  }                                       \
  namespace amx {                         \
  declaration;                            \
  }

/// Calls the function of the given instruction path.
#define HONE_CALL_PER_ISA(isa, function)                 \
  [&]() -> decltype(scalar::function()) {                \
    switch (isa) {                                       \
      case ::hone::Isa::scalar:                          \
        return scalar::function();                       \
      case ::hone::Isa::avx2:                            \
        return avx2::function();                         \
      case ::hone::Isa::avx512:                          \
        return avx512::function();                       \
      case ::hone::Isa::avx512_bf16:                     \
        return avx512_bf16::function();                  \
      case ::hone::Isa::amx:                             \
        return amx::function();                          \
    }                                                    \
    HONE_ASSERT(false, "isa {}", static_cast<int>(isa)); \
  }()
