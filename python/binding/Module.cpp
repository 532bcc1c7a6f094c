// The extension module assay._assay: the dump writer for Python's hooks, the
// judge of programs, and worker processes for kernels. Nothing is computed
// here: each class is a handle on a class of the library.
#include "Binding.h"

using namespace assay;

void python::raise(llvm::Error error) {
  ErrorText text = takeError(std::move(error));
  switch (text.code) {
  case ErrorCode::InvalidArgument:
  case ErrorCode::Unsupported:
    throw nb::value_error(text.message.c_str());
  case ErrorCode::ResourceLimit:
  case ErrorCode::DataLoss:
  case ErrorCode::NotFound:
    PyErr_SetString(PyExc_OSError, text.message.c_str());
    throw nb::python_error();
  default:
    throw std::runtime_error(text.message);
  }
}

llvm::Expected<tensor::TensorType>
python::typeOf(const std::string &dtype, const std::vector<int64_t> &shape) {
  std::optional<numerics::ElementType> element =
      numerics::elementTypeFromNumpyName(dtype);
  if (!element)
    return makeError(ErrorCode::InvalidArgument, "'{0}' is not an element type",
                     dtype);
  return tensor::TensorType{*element,
                            tensor::Shape(shape.begin(), shape.end())};
}

python::TypeText python::textOf(const tensor::TensorType &type) {
  return {numerics::numpyName(type.element),
          std::vector<int64_t>(type.shape.begin(), type.shape.end())};
}

llvm::Expected<tensor::Tensor> python::viewAt(const tensor::TensorType &type,
                                              uintptr_t address) {
  static const std::shared_ptr<const void> kept = std::make_shared<int>();
  llvm::Expected<int64_t> count = tensor::elementCount(type.shape);
  if (!count)
    return count.takeError();
  return tensor::Tensor::fromBuffer(
      type, tensor::Buffer::view(reinterpret_cast<const void *>(address),
                                 *count * type.element.storageBytes(), kept));
}

NB_MODULE(_assay, module) {
  // Programs that torch.compile keeps until the end of the process are not
  // leaks.
  nanobind::set_leak_warnings(false);
  python::bindAudits(module);
  python::bindDumps(module);
  python::bindLiveUse(module);
  python::bindPrograms(module);
  python::bindRuns(module);
  python::bindTuning(module);
  python::bindWorkers(module);
}
