// The extension module assay._assay: the dump writer for Python's hooks. A
// tensor comes as an address and a byte count; the bytes are copied into the
// writer's queue with Python's lock released, so hashing and writing overlap
// the model. Errors become ValueError (wrong argument, path), OSError (disk,
// permission) or RuntimeError.
#include "assay/trace/DumpWriter.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace assay;

[[noreturn]] static void raise(llvm::Error error) {
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

namespace {
/// Owns the C++ writer until close().
class Writer {
public:
  Writer(const std::string &path, const trace::Attributes &attributes,
         bool summary) {
    trace::DumpOptions options;
    options.attributes = attributes;
    options.summary = summary;
    llvm::Expected<std::unique_ptr<trace::DumpWriter>> writer =
        trace::DumpWriter::create(path, std::move(options));
    if (!writer)
      raise(writer.takeError());
    writer_ = std::move(*writer);
  }

  void put(const std::string &path, const std::string &dtype,
           const std::vector<int64_t> &shape, uintptr_t address, int64_t size,
           const trace::Attributes &attributes) {
    std::optional<llvm::Error> failure;
    {
      nb::gil_scoped_release unlocked;
      if (llvm::Error error =
              add(path, dtype, shape, address, size, attributes))
        failure.emplace(std::move(error));
    }
    if (failure)
      raise(std::move(*failure));
  }

  nb::dict close() {
    std::optional<llvm::Expected<trace::DumpStatistics>> closed;
    {
      nb::gil_scoped_release unlocked;
      closed.emplace(open().close());
    }
    writer_.reset();
    if (!*closed)
      raise(closed->takeError());
    nb::dict result;
    result["tensors"] = (*closed)->tensors;
    result["stored_once"] = (*closed)->storedOnce;
    result["bytes_written"] = (*closed)->bytesWritten;
    result["bytes_saved"] = (*closed)->bytesSaved;
    return result;
  }

  void flush() {
    if (llvm::Error error = open().flush())
      raise(std::move(error));
  }

private:
  trace::DumpWriter &open() {
    if (!writer_)
      throw nb::value_error("the dump writer is closed");
    return *writer_;
  }

  llvm::Error add(const std::string &path, const std::string &dtype,
                  const std::vector<int64_t> &shape, uintptr_t address,
                  int64_t size, const trace::Attributes &attributes) {
    std::optional<numerics::ElementType> element =
        numerics::elementTypeFromNumpyName(dtype);
    if (!element)
      return makeError(ErrorCode::InvalidArgument, "'{0}' is no element type",
                       dtype);
    tensor::TensorType type{*element,
                            tensor::Shape(shape.begin(), shape.end())};
    int64_t expected = element->storageBytes();
    for (int64_t dimension : shape)
      expected *= dimension;
    if (expected != size)
      return makeError(
          ErrorCode::InvalidArgument,
          "'{0}' has {1} bytes, expected {2} for its type and shape", path,
          size, expected);
    llvm::Expected<tensor::Tensor> copy =
        open().copyOf(type, reinterpret_cast<const void *>(address));
    if (!copy)
      return copy.takeError();
    return open().add(path, std::move(*copy), attributes);
  }

  std::unique_ptr<trace::DumpWriter> writer_;
};
} // namespace

NB_MODULE(_assay, module) {
  nb::class_<Writer>(
      module, "DumpWriter",
      "Records tensors into an HDF5 dump from a thread of its own.")
      .def(nb::init<const std::string &, const trace::Attributes &, bool>(),
           nb::arg("path"), nb::arg("attributes") = trace::Attributes(),
           nb::arg("summary") = true)
      .def("put", &Writer::put, nb::arg("path"), nb::arg("dtype"),
           nb::arg("shape"), nb::arg("address"), nb::arg("size"),
           nb::arg("attributes") = trace::Attributes(),
           "Copies `size` bytes at `address` and queues them as dataset "
           "`path`, for example /1/fc.Linear.0.forward_input.0.")
      .def("flush", &Writer::flush,
           "Waits until everything queued is in the file.")
      .def("close", &Writer::close,
           "Completes the file and writes its summary; returns counts.");
}
