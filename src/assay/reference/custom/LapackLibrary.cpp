// Loads LAPACKE when a program first calls it, so that other programs do not
// need it.
#include "assay/reference/custom/Lapack.h"

#include <dlfcn.h>

namespace assay::reference {

static void *loadLibrary() {
  for (const char *name : {"liblapacke.so.3", "liblapacke.so"})
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      // As in XLA, matrices with NaN are passed to the routine.
      if (void *check = dlsym(library, "LAPACKE_set_nancheck"))
        reinterpret_cast<void (*)(int)>(check)(0);
      return library;
    }
  return nullptr;
}

llvm::Expected<void *> lapackRoutine(llvm::StringRef symbol) {
  static void *const library = loadLibrary();
  if (!library)
    return makeError(ErrorCode::Unsupported,
                     "the call needs LAPACKE, and liblapacke.so.3 is not "
                     "here; Debian has it in the package liblapacke");
  if (void *routine = dlsym(library, symbol.str().c_str()))
    return routine;
  return makeError(ErrorCode::Unsupported,
                   "this machine's liblapacke.so.3 has no {0}", symbol);
}

} // namespace assay::reference
