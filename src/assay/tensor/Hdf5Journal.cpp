// The journal and the repair. A line is written after the data of its tensor,
// so whatever the journal names is in the file, at the offset that it gives.
// Repair first asks whether the metadata that the killed writer left already
// agree with the journal (then only unfinished datasets are taken out); if not,
// a new file is made from the journal alone, the data are copied by offset, and
// the new file replaces the old one.
#include "assay/tensor/Hdf5Journal.h"
#include "assay/support/Json.h"
#include "assay/tensor/Hdf5Catalogue.h"
#include "assay/tensor/Hdf5Helper.h"
#include "assay/tensor/Hdf5Reader.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/file.h>
#include <unistd.h>

namespace assay::tensor {

namespace json = llvm::json;

// The state stands at a fixed place of the first line, so that four bytes
// change it.
static constexpr llvm::StringLiteral kBusy("busy"), kCalm("calm");
static constexpr off_t kStateOffset = 10; // behind {"state":"

static std::string journalPath(llvm::StringRef file) {
  return file.str() + ".journal";
}

static std::string systemText(int error) {
  return llvm::StringRef(std::strerror(error)).lower();
}

static json::Object attributesToJson(const Hdf5Writer::Attributes &attributes) {
  json::Object result;
  for (const auto &[name, value] : attributes)
    result[name] = json::fixUTF8(value);
  return result;
}

static std::string line(json::Object object) {
  return llvm::formatv("{0}\n", json::Value(std::move(object))).str();
}

llvm::Expected<std::unique_ptr<JournalWriter>>
JournalWriter::create(llvm::StringRef file,
                      const Hdf5Writer::Attributes &rootAttributes) {
  std::unique_ptr<JournalWriter> result(new JournalWriter());
  result->path_ = journalPath(file);
  result->descriptor_ =
      ::open(result->path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (result->descriptor_ < 0)
    return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}",
                     result->path_, systemText(errno));
  if (::flock(result->descriptor_, LOCK_EX | LOCK_NB) < 0) {
    ::close(std::exchange(result->descriptor_, -1));
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' is being recorded by another process; give another path", file);
  }
  if (::ftruncate(result->descriptor_, 0) < 0)
    return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}",
                     result->path_, systemText(errno));
  json::Object header{{"journal", 1},
                      {"attributes", attributesToJson(rootAttributes)}};
  std::string text =
      "{\"state\":\"" + kBusy.str() + "\"," + line(std::move(header)).substr(1);
  if (llvm::Error error = result->write(text))
    return error;
  return result;
}

llvm::Error JournalWriter::setBusy(bool busy) {
  llvm::StringRef state = busy ? kBusy : kCalm;
  if (::pwrite(descriptor_, state.data(), state.size(), kStateOffset) ==
      static_cast<ssize_t>(state.size()))
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}", path_,
                   systemText(errno));
}

JournalWriter::~JournalWriter() {
  if (descriptor_ >= 0)
    ::close(descriptor_); // and the lock with it
}

llvm::Error JournalWriter::write(const std::string &text) {
  size_t done = 0;
  while (done < text.size()) {
    ssize_t got = ::write(descriptor_, text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return makeError(errno == ENOSPC || errno == EFBIG
                           ? ErrorCode::ResourceLimit
                           : ErrorCode::InvalidArgument,
                       "cannot write '{0}': {1}", path_, systemText(errno));
    done += static_cast<size_t>(got);
  }
  return llvm::Error::success();
}

llvm::Error JournalWriter::append(const JournalEntry &entry) {
  json::Object object{{"name", json::fixUTF8(entry.path)},
                      {"dtype", numerics::numpyName(entry.type.element)},
                      {"shape", json::Array(entry.type.shape)},
                      {"offset", entry.offset},
                      {"hash", entry.hash}};
  if (!entry.attributes.empty())
    object["attributes"] = attributesToJson(entry.attributes);
  return write(line(std::move(object)));
}

void JournalWriter::remove() {
  ::unlink(path_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

static Hdf5Writer::Attributes attributesFromJson(const json::Object *object) {
  Hdf5Writer::Attributes result;
  if (object)
    for (const auto &[name, value] : *object)
      if (std::optional<llvm::StringRef> text = value.getAsString())
        result.emplace_back(name.str(), text->str());
  return result;
}

static std::optional<JournalEntry> parseEntry(const json::Object &object) {
  JournalEntry entry;
  std::optional<llvm::StringRef> name = object.getString("name"),
                                 dtype = object.getString("dtype");
  std::optional<int64_t> offset = object.getInteger("offset");
  const json::Array *shape = object.getArray("shape");
  if (!name || !name->starts_with("/") || !dtype || !offset || !shape)
    return std::nullopt;
  std::optional<ElementType> element =
      numerics::elementTypeFromNumpyName(*dtype);
  if (!element)
    return std::nullopt;
  entry.path = name->str();
  entry.type.element = *element;
  for (const json::Value &size : *shape) {
    std::optional<int64_t> value = size.getAsInteger();
    if (!value || *value < 0)
      return std::nullopt;
    entry.type.shape.push_back(*value);
  }
  entry.offset = *offset;
  entry.hash = object.getString("hash").value_or("").str();
  entry.attributes = attributesFromJson(object.getObject("attributes"));
  return entry;
}

llvm::Expected<JournalContent> parseJournal(llvm::StringRef text,
                                            llvm::StringRef path) {
  JournalContent result;
  int64_t number = 0;
  while (!text.empty()) {
    size_t end = text.find('\n');
    if (end == llvm::StringRef::npos)
      break; // cut off by the kill
    llvm::Expected<json::Value> value = parseJson(text.take_front(end));
    text = text.drop_front(end + 1);
    const json::Object *object = value ? value->getAsObject() : nullptr;
    std::optional<JournalEntry> entry;
    if (object && number == 0 && object->getInteger("journal") == 1) {
      result.rootAttributes =
          attributesFromJson(object->getObject("attributes"));
      result.busy = object->getString("state") != kCalm;
    } else if (object && number > 0)
      entry = parseEntry(*object);
    llvm::consumeError(value.takeError());
    if (number > 0 && !entry)
      return makeError(ErrorCode::DataLoss, "'{0}' is damaged in line {1}",
                       path, number + 1);
    if (entry)
      result.entries.push_back(std::move(*entry));
    ++number;
  }
  return result;
}

/// True when the file opens and holds every tensor of the journal as the
/// journal says; datasets that the journal does not name are then taken out.
static bool repairInPlace(const std::string &file,
                          const JournalContent &journal) {
  hdf5::quiet();
  hdf5::Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  if (!opened.valid())
    return false;
  llvm::Expected<std::vector<Hdf5Dataset>> datasets =
      hdf5::listDatasets(opened);
  if (!datasets) {
    llvm::consumeError(datasets.takeError());
    return false;
  }
  llvm::StringMap<const Hdf5Dataset *> found;
  for (const Hdf5Dataset &dataset : *datasets)
    found[dataset.path] = &dataset;
  for (const JournalEntry &entry : journal.entries) {
    const Hdf5Dataset *dataset = found.lookup(entry.path);
    if (!dataset || !(dataset->type == entry.type) ||
        dataset->offset != entry.offset || dataset->hash != entry.hash)
      return false;
    found.erase(entry.path);
  }
  for (const auto &unfinished : found)
    if (H5Ldelete(opened, unfinished.getKey().str().c_str(), H5P_DEFAULT) < 0)
      return false;
  return H5Fflush(opened, H5F_SCOPE_LOCAL) >= 0;
}

/// The same in a helper process, which a damaged file may end; false then.
static bool repairInPlaceApart(const std::string &file,
                               const JournalContent &journal) {
  auto repair = [&](llvm::StringRef) -> llvm::Expected<std::string> {
    return repairInPlace(file, journal) ? "repaired" : "";
  };
  auto helper = HelperProcess::start(repair, hdf5::forkOutsideLibrary);
  if (!helper) {
    llvm::consumeError(helper.takeError());
    return false;
  }
  constexpr int kSeconds = 60;
  llvm::Expected<std::string> answer = (*helper)->ask("", kSeconds);
  if (!answer) {
    llvm::consumeError(answer.takeError());
    return false;
  }
  return !answer->empty();
}

static llvm::Error copyData(int from, int64_t offset, Hdf5Writer &to,
                            int64_t target, int64_t size) {
  std::vector<uint8_t> chunk(
      static_cast<size_t>(std::min<int64_t>(size, 8 << 20)));
  while (size > 0) {
    ssize_t got =
        ::pread(from, chunk.data(),
                std::min(chunk.size(), static_cast<size_t>(size)), offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return makeError(ErrorCode::DataLoss,
                       "the file ends before the data that its journal names");
    if (llvm::Error error =
            to.writeData({chunk.data(), static_cast<size_t>(got)}, target))
      return error;
    offset += got;
    target += got;
    size -= got;
  }
  return llvm::Error::success();
}

static llvm::Error rebuild(const std::string &file,
                           const JournalContent &journal) {
  int from = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0)
    return makeError(ErrorCode::InvalidArgument, "cannot open '{0}': {1}", file,
                     systemText(errno));
  std::string target = file + ".repaired";
  auto make = [&]() -> llvm::Error {
    llvm::Expected<std::unique_ptr<Hdf5Writer>> writer =
        Hdf5Writer::create(target, journal.rootAttributes);
    if (!writer)
      return writer.takeError();
    // No DenseMap: a damaged journal may name any number, its reserved ones too.
    std::map<int64_t, const JournalEntry *> written;
    for (const JournalEntry &entry : journal.entries) {
      auto same =
          entry.offset >= 0 ? written.find(entry.offset) : written.end();
      if (same != written.end()) {
        if (llvm::Error error = (*writer)->link(entry.path, same->second->path))
          return error;
        continue;
      }
      Hdf5Writer::Attributes attributes = entry.attributes;
      attributes.insert(attributes.begin(),
                        {{"dtype", numerics::numpyName(entry.type.element)},
                         {"hash", entry.hash}});
      llvm::Expected<int64_t> size = byteCount(entry.type),
                              offset = (*writer)->allocate(
                                  entry.path, entry.type, attributes);
      if (!size || !offset)
        return llvm::joinErrors(size.takeError(), offset.takeError());
      if (entry.offset < 0)
        continue;
      written[entry.offset] = &entry;
      if (llvm::Error error =
              copyData(from, entry.offset, **writer, *offset, *size))
        return error;
    }
    return (*writer)->close();
  };
  llvm::Error error = make();
  ::close(from);
  if (error) {
    ::unlink(target.c_str());
    return error;
  }
  if (std::rename(target.c_str(), file.c_str()) < 0)
    return makeError(ErrorCode::InvalidArgument, "cannot replace '{0}': {1}",
                     file, systemText(errno));
  return llvm::Error::success();
}

llvm::Expected<std::optional<RepairResult>>
repairFromJournal(llvm::StringRef file) {
  std::string path = journalPath(file);
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return std::nullopt;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) < 0) {
    ::close(descriptor);
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is still being recorded; stop the recorder first",
                     file);
  }
  auto repair = [&]() -> llvm::Expected<std::optional<RepairResult>> {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
        llvm::MemoryBuffer::getFile(path);
    if (!text)
      return makeError(ErrorCode::InvalidArgument, "cannot read '{0}': {1}",
                       path, text.getError().message());
    llvm::Expected<JournalContent> journal =
        parseJournal((*text)->getBuffer(), path);
    if (!journal)
      return journal.takeError();
    if (journal->entries.empty() && ::access(file.str().c_str(), F_OK) < 0) {
      ::unlink(path.c_str()); // killed before the file was made
      return std::nullopt;
    }
    RepairResult result;
    result.tensors = static_cast<int64_t>(journal->entries.size());
    result.rebuilt = journal->busy || !repairInPlaceApart(file.str(), *journal);
    if (result.rebuilt)
      if (llvm::Error error = rebuild(file.str(), *journal))
        return addContext(
            std::move(error),
            "'" + file.str() +
                "' was left by a recorder that was killed, and its repair "
                "failed");
    ::unlink(path.c_str());
    return result;
  };
  llvm::Expected<std::optional<RepairResult>> result = repair();
  ::close(descriptor);
  return result;
}

} // namespace assay::tensor
