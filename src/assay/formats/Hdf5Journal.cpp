// The journal and the repair. A tensor's line is written after its data, so
// every tensor in the journal is in the file at the offset that the line gives.
// The repair first checks whether the metadata that the killed writer left
// already agree with the journal; then it only removes unfinished datasets. If
// not, it makes a new file from the journal alone, copies the data by offset,
// and replaces the old file.
#include "assay/formats/Hdf5Journal.h"
#include "assay/formats/Hdf5Catalogue.h"
#include "assay/formats/Hdf5Helper.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/support/Json.h"
#include "assay/support/FullTransfer.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <sys/file.h>
#include <unistd.h>

namespace assay::formats {

namespace json = llvm::json;

// The state is at a fixed offset of the first line, so that overwriting four
// bytes changes it.
static constexpr llvm::StringLiteral kBusy("busy"), kCalm("calm");
static constexpr off_t kStateOffset = 10; // after {"state":"

static std::string journalPath(llvm::StringRef file) {
  return file.str() + ".journal";
}

static json::Object attributesToJson(const Hdf5Writer::Attributes &attributes) {
  json::Object result;
  for (const auto &[name, value] : attributes)
    result[name] = json::fixUTF8(value);
  return result;
}

static std::string textOf(json::Object object) {
  return llvm::formatv("{0}", json::Value(std::move(object))).str();
}

llvm::Expected<std::unique_ptr<JournalWriter>>
JournalWriter::create(llvm::StringRef file,
                      const Hdf5Writer::Attributes &rootAttributes) {
  llvm::Expected<std::unique_ptr<RecordFile>> records = RecordFile::open(
      journalPath(file), RecordFile::Writers::One,
      llvm::formatv("'{0}' is being recorded by another process; give another "
                    "path",
                    file)
          .str());
  if (!records)
    return records.takeError();
  if (llvm::Error error = (*records)->clear())
    return error;
  json::Object header{{"journal", 1},
                      {"attributes", attributesToJson(rootAttributes)}};
  if (llvm::Error error =
          (*records)->append("{\"state\":\"" + kBusy.str() + "\"," +
                             textOf(std::move(header)).substr(1)))
    return error;
  return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(*records)));
}

llvm::Error JournalWriter::setBusy(bool busy) {
  return file_->overwrite(kStateOffset, busy ? kBusy : kCalm);
}

llvm::Error JournalWriter::append(const JournalEntry &entry) {
  json::Object object{{"name", json::fixUTF8(entry.path)},
                      {"dtype", numerics::numpyName(entry.type.element)},
                      {"shape", json::Array(entry.type.shape)},
                      {"offset", entry.offset},
                      {"hash", entry.hash}};
  if (!entry.attributes.empty())
    object["attributes"] = attributesToJson(entry.attributes);
  return file_->append(textOf(std::move(object)));
}

void JournalWriter::remove() {
  file_->remove();
  file_.reset();
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

/// Reads one line; false when it is damaged. A damaged first line is replaced
/// by defaults: busy, no attributes.
static bool parseLine(llvm::StringRef line, bool isFirst,
                      JournalContent &content) {
  llvm::Expected<json::Value> value = parseJson(line);
  if (!value)
    llvm::consumeError(value.takeError());
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!isFirst) {
    std::optional<JournalEntry> entry =
        object ? parseEntry(*object) : std::nullopt;
    if (entry)
      content.entries.push_back(std::move(*entry));
    return bool(entry);
  }
  if (object && object->getInteger("journal") == 1) {
    content.rootAttributes =
        attributesFromJson(object->getObject("attributes"));
    content.busy = object->getString("state") != kCalm;
  }
  return true;
}

llvm::Expected<JournalContent> parseJournal(llvm::StringRef text,
                                            llvm::StringRef path) {
  JournalContent result;
  int64_t damaged = 0;
  text = text.take_front(text.rfind('\n') + 1); // a kill may cut the last line
  forEachRecord(text, [&](llvm::StringRef line, int64_t number) {
    damaged = parseLine(line, number == 1, result) ? 0 : number;
    return damaged == 0;
  });
  if (damaged)
    return makeError(ErrorCode::DataLoss, "'{0}' is damaged in line {1}", path,
                     damaged);
  return result;
}

/// Returns true when the file opens and holds every tensor that the journal
/// lists; datasets that the journal does not list are then removed.
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

/// Does the same in a helper process, which a damaged file may crash. Returns
/// false in that case.
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
    size_t step = std::min(chunk.size(), static_cast<size_t>(size));
    if (readFully(from, chunk.data(), step, offset).bytes < step)
      return makeError(ErrorCode::DataLoss,
                       "the file ends before the data that its journal names");
    if (llvm::Error error = to.writeData({chunk.data(), step}, target))
      return error;
    offset += static_cast<int64_t>(step);
    target += static_cast<int64_t>(step);
    size -= static_cast<int64_t>(step);
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
    // Not a DenseMap: a damaged journal may contain any number, including the
    // reserved keys.
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
repairFromJournal(llvm::StringRef file, const std::string &busyText) {
  std::string path = journalPath(file);
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return std::nullopt;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) < 0) {
    ::close(descriptor);
    return makeError(ErrorCode::InvalidArgument, "{0}", busyText);
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
      ::unlink(path.c_str()); // the writer was killed before it made the file
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

} // namespace assay::formats
