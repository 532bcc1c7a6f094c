/// Shared parts of the extension module's sources: errors as exceptions,
/// Python's tensors in C++, and the parts of the module.
#pragma once

#include "assay/tensor/Tensor.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::python {

namespace nb = nanobind;

/// Throws ValueError (wrong argument, unsupported), OSError (disk, limit, not
/// found) or RuntimeError.
[[noreturn]] void raise(llvm::Error error);

/// The value, or its error as an exception.
template <typename T> T valueOf(llvm::Expected<T> expected) {
  if (!expected)
    raise(expected.takeError());
  return std::move(*expected);
}

/// Does work with Python's lock released.
template <typename Work> auto unlocked(Work work) {
  nb::gil_scoped_release released;
  return work();
}

/// NumPy's name of an element type, and sizes.
using TypeText = std::pair<std::string, std::vector<int64_t>>;

/// Errors: InvalidArgument for a name that is not an element type.
llvm::Expected<tensor::TensorType> typeOf(const std::string &dtype,
                                          const std::vector<int64_t> &shape);
TypeText textOf(const tensor::TensorType &type);

/// Dense elements of a type in memory that the caller keeps.
llvm::Expected<tensor::Tensor> viewAt(const tensor::TensorType &type,
                                      uintptr_t address);

void bindAudits(nb::module_ &module);
void bindDumps(nb::module_ &module);
void bindLiveUse(nb::module_ &module);
void bindPrograms(nb::module_ &module);
void bindRuns(nb::module_ &module);
void bindTuning(nb::module_ &module);
void bindWorkers(nb::module_ &module);

} // namespace assay::python
