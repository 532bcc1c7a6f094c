#include "assay/formats/Hdf5Helper.h"

#include <cstring>
#include <unistd.h>

namespace assay::formats::hdf5 {

// ---- records as bytes

namespace {
class Writer {
public:
  void number(int64_t value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void text(llvm::StringRef value) {
    number(static_cast<int64_t>(value.size()));
    bytes_.append(value.data(), value.size());
  }
  void pairs(llvm::ArrayRef<std::pair<std::string, std::string>> list) {
    number(static_cast<int64_t>(list.size()));
    for (const auto &[name, value] : list) {
      text(name);
      text(value);
    }
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Reads bytes. Missing bytes read as zero and make the whole result invalid.
class Reader {
public:
  explicit Reader(llvm::StringRef bytes) : rest_(bytes) {}
  int64_t number() {
    int64_t value = 0;
    if (llvm::StringRef piece = take(sizeof value); !piece.empty())
      std::memcpy(&value, piece.data(), sizeof value);
    return value;
  }
  /// A count of items of at least eight bytes each.
  size_t count() {
    int64_t value = number();
    if (value < 0 || value > static_cast<int64_t>(rest_.size() / 8))
      isWhole_ = false;
    return isWhole_ ? static_cast<size_t>(value) : 0;
  }
  std::string text() {
    int64_t size = number();
    return size > 0 ? take(static_cast<size_t>(size)).str() : std::string();
  }
  std::vector<std::pair<std::string, std::string>> pairs() {
    std::vector<std::pair<std::string, std::string>> list(count());
    for (auto &[name, value] : list) {
      name = text();
      value = text();
    }
    return list;
  }
  bool isWhole() const { return isWhole_ && rest_.empty(); }

private:
  llvm::StringRef take(size_t size) {
    if (size > rest_.size()) {
      isWhole_ = false;
      rest_ = {};
      return {};
    }
    llvm::StringRef piece = rest_.take_front(size);
    rest_ = rest_.drop_front(size);
    return piece;
  }
  llvm::StringRef rest_;
  bool isWhole_ = true;
};
} // namespace

static void write(Writer &out, const Hdf5Dataset &dataset) {
  out.text(dataset.path);
  ElementType element = dataset.type.element;
  for (int64_t value :
       {int64_t(element.kind), int64_t(element.bits), int64_t(element.format),
        int64_t(dataset.opaque), int64_t(dataset.swapBytes), dataset.offset,
        dataset.sizeBytes, int64_t(dataset.object),
        int64_t(dataset.type.shape.size())})
    out.number(value);
  for (int64_t size : dataset.type.shape)
    out.number(size);
  out.text(dataset.unsupported);
  out.text(dataset.hash);
  out.pairs(dataset.attributes);
}

static Hdf5Dataset readDataset(Reader &in) {
  Hdf5Dataset dataset;
  dataset.path = in.text();
  ElementType &element = dataset.type.element;
  element.kind = static_cast<decltype(element.kind)>(in.number());
  element.bits = static_cast<uint16_t>(in.number());
  element.format = static_cast<numerics::FloatFormat>(in.number());
  dataset.opaque = in.number() != 0;
  dataset.swapBytes = in.number() != 0;
  dataset.offset = in.number();
  dataset.sizeBytes = in.number();
  dataset.object = static_cast<uint64_t>(in.number());
  dataset.type.shape.resize(in.count());
  for (int64_t &size : dataset.type.shape)
    size = in.number();
  dataset.unsupported = in.text();
  dataset.hash = in.text();
  dataset.attributes = in.pairs();
  return dataset;
}

// ---- the copy

static std::string encode(const Catalogue &catalogue) {
  Writer out;
  out.number(static_cast<int64_t>(catalogue.datasets.size()));
  for (const Hdf5Dataset &dataset : catalogue.datasets)
    write(out, dataset);
  out.pairs(catalogue.attributes);
  return out.take();
}

/// An empty request asks for the catalogue, any other one for rows of a
/// dataset.
static llvm::Expected<std::string> answer(const Session &session,
                                          llvm::StringRef request) {
  if (request.empty()) {
    llvm::Expected<Catalogue> catalogue = session.list();
    if (!catalogue)
      return catalogue.takeError();
    return encode(*catalogue);
  }
  Reader in(request);
  std::string path = in.text();
  std::vector<int64_t> shape(in.count());
  for (int64_t &size : shape)
    size = in.number();
  int64_t row = in.number(), height = in.number(), bytes = in.number();
  std::string data(static_cast<size_t>(bytes), '\0');
  if (llvm::Error error =
          session.readRows(path, shape, row, height, data.data()))
    return error;
  return data;
}

// ---- this process

/// The library calls this for an error on a stack, while it holds its lock.
static herr_t forkNow(unsigned, const H5E_error2_t *, void *result) {
  *static_cast<pid_t *>(result) = ::fork();
  return 1; // ends the walk over the error stack
}

pid_t forkOutsideLibrary() {
  quiet();
  pid_t result = -1;
  H5Eclear2(H5E_DEFAULT);
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS,
           H5E_NONE_MAJOR, H5E_NONE_MINOR, "fork");
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, forkNow, &result);
  int error = errno;
  H5Eclear2(H5E_DEFAULT);
  errno = error;
  return result;
}

llvm::Expected<std::unique_ptr<SessionHelper>>
SessionHelper::open(const std::string &path, int64_t fileBytes) {
  std::unique_ptr<SessionHelper> result(new SessionHelper(path, fileBytes));
  // The first request opens the file, in the copy, because a bad file may crash
  // it.
  auto session = std::make_shared<std::optional<Session>>();
  auto service = [session, path](llvm::StringRef request) {
    if (!*session) {
      llvm::Expected<Session> opened = Session::open(path);
      if (!opened)
        return llvm::Expected<std::string>(opened.takeError());
      session->emplace(std::move(*opened));
    }
    return answer(**session, request);
  };
  auto process = HelperProcess::start(service, forkOutsideLibrary);
  if (!process)
    return addContext(process.takeError(), "'" + path + "'");
  result->process_ = std::move(*process);
  return result;
}

/// Adds the file's name to the error of a process that died; errors of the
/// service already contain it.
llvm::Error SessionHelper::explain(llvm::Error error, const char *what) const {
  if (process_->isAlive())
    return error;
  return makeError(ErrorCode::DataLoss,
                   "'{0}' is a damaged HDF5 file: libhdf5 {1} while it read "
                   "{2}",
                   path_, takeError(std::move(error)).message, what);
}

static constexpr int kSeconds = 5;

llvm::Expected<Catalogue> SessionHelper::list() {
  llvm::Expected<std::string> bytes = process_->ask(
      "",
      static_cast<int>(kSeconds + std::min<int64_t>(fileBytes_ >> 22, 100000)));
  if (!bytes)
    return explain(bytes.takeError(), "its catalogue");
  Reader in(*bytes);
  Catalogue catalogue;
  catalogue.datasets.resize(in.count());
  for (Hdf5Dataset &dataset : catalogue.datasets)
    dataset = readDataset(in);
  catalogue.attributes = in.pairs();
  if (!in.isWhole())
    return makeError(ErrorCode::DataLoss,
                     "'{0}' is a damaged HDF5 file: its catalogue cannot be "
                     "read",
                     path_);
  return catalogue;
}

llvm::Error SessionHelper::readRows(const Hdf5Dataset &dataset, int64_t row,
                                    int64_t height,
                                    llvm::MutableArrayRef<uint8_t> out) {
  Writer request;
  request.text(dataset.path);
  request.number(static_cast<int64_t>(dataset.type.shape.size()));
  for (int64_t size : dataset.type.shape)
    request.number(size);
  request.number(row);
  request.number(height);
  request.number(static_cast<int64_t>(out.size()));
  llvm::Expected<std::string> bytes = process_->ask(
      request.take(), kSeconds + static_cast<int>(out.size() >> 24));
  if (!bytes)
    return explain(bytes.takeError(), "its data");
  if (bytes->size() != out.size())
    return makeError(ErrorCode::DataLoss, "cannot read its data");
  std::memcpy(out.data(), bytes->data(), out.size());
  return llvm::Error::success();
}

} // namespace assay::formats::hdf5
