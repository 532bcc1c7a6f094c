/// ASSAY_CLONES before a function compiles it for several instruction sets; the
/// loader picks one. Not under sanitizers, whose run-time libraries are not
/// ready when the pick is made.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define ASSAY_CLONES                                                           \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_CLONES
#endif
#define ASSAY_INLINE inline __attribute__((always_inline))
