/// ASSAY_CLONES in front of a non-template function compiles it for AVX-512,
/// AVX2 and the baseline; the loader picks one. All three compute the same bits
/// as long as the sums have fixed lanes, because contraction to fused
/// multiply-add is off project-wide. Disabled under sanitizers, whose run-time
/// libraries are not yet initialised when the loader picks.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ASSAY_CLONES                                                           \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_CLONES
#endif
