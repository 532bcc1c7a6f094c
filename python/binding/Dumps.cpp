// The dump writer for Python's hooks. A tensor is passed as an address and a
// byte count; the bytes are hashed, and copied into the writer's queue unless
// the file has them, with Python's lock released; writing overlaps the model.
#include "Binding.h"
#include "assay/trace/DumpWriter.h"

namespace nb = nanobind;
using namespace assay;
using python::raise;

static llvm::Expected<tensor::TensorType>
typeOf(const std::string &dtype, const std::vector<int64_t> &shape,
       int64_t size) {
  llvm::Expected<tensor::TensorType> type = python::typeOf(dtype, shape);
  if (!type)
    return type;
  int64_t expected = type->element.storageBytes();
  for (int64_t dimension : shape)
    expected *= dimension;
  if (expected != size)
    return makeError(ErrorCode::InvalidArgument,
                     "a tensor has {0} bytes, expected {1} for its type and "
                     "shape",
                     size, expected);
  return type;
}

namespace {
/// The copies of one recording; may be filled before the file is made.
class Pool {
public:
  void prepare(const std::string &dtype, const std::vector<int64_t> &shape,
               uintptr_t address, int64_t size) {
    llvm::Expected<tensor::TensorType> type = typeOf(dtype, shape, size);
    if (!type)
      raise(type.takeError());
    std::optional<llvm::Error> failure;
    {
      nb::gil_scoped_release unlocked;
      if (llvm::Error error =
              pool->prepare(*type, reinterpret_cast<const void *>(address)))
        failure.emplace(std::move(error));
    }
    if (failure)
      raise(std::move(*failure));
  }
  void reserve(int64_t bytes) { pool->reserve(bytes); }
  /// Its locks may be held by threads that a forked child does not have: so the
  /// pool is not destroyed there.
  void leaveToParent() {
    static_cast<void>(new std::shared_ptr<trace::CopyPool>(std::move(pool)));
    pool = std::make_shared<trace::CopyPool>();
  }
  void dropPrepared() { pool->dropPrepared(); }

  std::shared_ptr<trace::CopyPool> pool = std::make_shared<trace::CopyPool>();
};

/// Owns the C++ writer until close().
class Writer {
public:
  Writer(const std::string &path, const trace::Attributes &attributes,
         bool summary, const Pool *pool) {
    trace::DumpOptions options;
    if (pool)
      options.pool = pool->pool;
    options.attributes = attributes;
    options.summary = summary;
    llvm::Expected<std::unique_ptr<trace::DumpWriter>> writer =
        trace::DumpWriter::create(path, std::move(options));
    if (!writer)
      raise(writer.takeError());
    writer_ = std::move(*writer);
  }

  int64_t put(const std::string &path, const std::string &dtype,
              const std::vector<int64_t> &shape, uintptr_t address,
              int64_t size, const trace::Attributes &attributes, bool lent,
              bool likelyNew) {
    llvm::Expected<tensor::TensorType> type = typeOf(dtype, shape, size);
    if (!type)
      raise(addContext(type.takeError(), "'" + path + "'"));
    trace::DumpWriter &writer = open();
    std::optional<llvm::Expected<int64_t>> number;
    {
      nb::gil_scoped_release unlocked;
      number.emplace(writer.record(path, *type,
                                   reinterpret_cast<const void *>(address),
                                   attributes, lent, likelyNew));
    }
    if (!*number)
      raise(number->takeError());
    return **number;
  }

  int64_t finished() { return open().finished(); }
  int64_t kept() const { return writer_ ? writer_->kept() : kept_; }

  void beforeFork() {
    if (writer_)
      writer_->beforeFork();
  }
  void afterFork() {
    if (writer_)
      writer_->afterFork();
  }
  void leaveToParent() {
    if (writer_)
      writer_->leaveToParent();
    writer_.reset();
  }

  nb::dict close() {
    std::optional<llvm::Expected<trace::DumpStatistics>> closed;
    {
      nb::gil_scoped_release unlocked;
      closed.emplace(open().close());
    }
    kept_ = writer_->kept();
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
    trace::DumpWriter &writer = open();
    std::optional<llvm::Error> failure;
    {
      nb::gil_scoped_release unlocked;
      if (llvm::Error error = writer.flush())
        failure.emplace(std::move(error));
    }
    if (failure)
      raise(std::move(*failure));
  }

private:
  trace::DumpWriter &open() {
    if (!writer_)
      throw nb::value_error("the dump writer is closed");
    return *writer_;
  }

  std::unique_ptr<trace::DumpWriter> writer_;
  int64_t kept_ = 0; // once it is closed
};
} // namespace

void python::bindDumps(nb::module_ &module) {
  nb::class_<Pool>(module, "CopyPool",
                   "What a recording copied, prepared and stored.")
      .def(nb::init<>())
      .def("prepare", &Pool::prepare, nb::arg("dtype"), nb::arg("shape"),
           nb::arg("address"), nb::arg("size"),
           "Copies a tensor ahead of the put() that may record it.")
      .def("reserve", &Pool::reserve, nb::arg("bytes"),
           "Makes memory ready for copies of this many bytes.")
      .def("leave_to_parent", &Pool::leaveToParent,
           "In a forked child: gives the copies up.")
      .def("drop_prepared", &Pool::dropPrepared,
           "Frees what was prepared and not recorded.");
  nb::class_<Writer>(
      module, "DumpWriter",
      "Records tensors into an HDF5 dump from a thread of its own.")
      .def(nb::init<const std::string &, const trace::Attributes &, bool,
                    const Pool *>(),
           nb::arg("path"), nb::arg("attributes") = trace::Attributes(),
           nb::arg("summary") = true, nb::arg("pool").none() = nb::none())
      .def("put", &Writer::put, nb::arg("path"), nb::arg("dtype"),
           nb::arg("shape"), nb::arg("address"), nb::arg("size"),
           nb::arg("attributes") = trace::Attributes(), nb::arg("lent") = false,
           nb::arg("likely_new") = false,
           "Queues the `size` bytes at `address`, as they are now, as dataset "
           "`path`, for example /1/fc.Linear.0.forward_input.0. Returns its "
           "number; lent bytes are not copied and must stay until `finished` "
           "reaches it.")
      .def_prop_ro("finished", &Writer::finished,
                   "How many of the tensors are done with.")
      .def_prop_ro("kept", &Writer::kept,
                   "How many complete tensors the file has, after a failure.")
      .def("before_fork", &Writer::beforeFork,
           "Waits until no thread writes; none begins to before after_fork().")
      .def("after_fork", &Writer::afterFork,
           "The parent's word after before_fork().")
      .def("leave_to_parent", &Writer::leaveToParent,
           "In a forked child, after before_fork(): gives the writer up and "
           "leaves the file as it is.")
      .def("flush", &Writer::flush,
           "Waits until everything queued is in the file.")
      .def("close", &Writer::close,
           "Completes the file and writes its summary; returns counts.");
}
