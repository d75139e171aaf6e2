// Regions of a file that may use wider instructions than the rest of the build.
//
// Rules: all includes stand before the region; everything inside lies in an anonymous namespace or
// is the one function that the rest calls; no std:: template is instantiated inside; SIMD constants
// are local to functions. No file is compiled with -m flags: an inline function that is compiled
// twice, once with wide instructions, is one symbol for the linker, which may keep the wide one for
// everybody.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#define GNOMON_X86 1
#else
#define GNOMON_X86 0
#endif

#if defined(__aarch64__)
#define GNOMON_ARM64 1
#else
#define GNOMON_ARM64 0
#endif

#if GNOMON_X86
#define GNOMON_PRAGMA(text) _Pragma(#text)
// clang-format off
#if defined(__clang__)
#define GNOMON_TARGET_AVX2_BEGIN                                                                   \
    GNOMON_PRAGMA(clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function))
#define GNOMON_TARGET_AVX512_BEGIN                                                                 \
    GNOMON_PRAGMA(clang attribute push(__attribute__((                                             \
        target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"))), apply_to = function))
#define GNOMON_TARGET_END GNOMON_PRAGMA(clang attribute pop)
#elif defined(__GNUC__)
#define GNOMON_TARGET_AVX2_BEGIN                                                                   \
    GNOMON_PRAGMA(GCC push_options)                                                                \
    GNOMON_PRAGMA(GCC target("avx2,fma,f16c"))
// GCC 12 takes the deliberately undefined registers in its own headers for mistakes.
#define GNOMON_TARGET_AVX512_BEGIN                                                                 \
    GNOMON_PRAGMA(GCC push_options)                                                                \
    GNOMON_PRAGMA(GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"))       \
    GNOMON_PRAGMA(GCC diagnostic ignored "-Wuninitialized")                                        \
    GNOMON_PRAGMA(GCC diagnostic ignored "-Wmaybe-uninitialized")
#define GNOMON_TARGET_END GNOMON_PRAGMA(GCC pop_options)
#else
#error "gnomon needs GCC or clang"
#endif
// clang-format on
#endif
