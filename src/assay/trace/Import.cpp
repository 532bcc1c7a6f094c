// Each form is listed as (name, how to read it); one loop writes them.
#include "assay/trace/Import.h"
#include "assay/formats/Npy.h"
#include "assay/formats/Npz.h"
#include "assay/formats/PtFile.h"
#include "assay/formats/Safetensors.h"
#include "assay/trace/DumpName.h"
#include "assay/trace/UnfinishedDump.h"
#include "assay/trace/import/Recording.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <functional>
#include <map>

namespace assay::trace {

using tensor::Tensor;

using Entry = ImportEntry;
using Recording = ImportRecording;

//===--- Names -----------------------------------------------------------===//

static std::string kindOf(llvm::StringRef direction, llvm::StringRef what) {
  bool forward = direction == "forward";
  if (what == "input")
    return forward ? "forward_input" : "backward_grad_input";
  if (what == "output")
    return forward ? "forward_output" : "backward_grad_output";
  if (what == "parameters")
    return "forward_params";
  return "";
}

std::string nameOfMsprobe(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '.');
  auto joined = [&](size_t begin, size_t end) {
    return llvm::join(parts.begin() + static_cast<ptrdiff_t>(begin),
                      parts.begin() + static_cast<ptrdiff_t>(end), ".");
  };
  for (size_t i = parts.size(); i-- > 2;) {
    if (parts[i] ==
        "parameters_grad") // Module.fc.Linear.parameters_grad.weight
      return joined(parts[0] == "Module", i) + ".0.params_grad" +
             (i + 1 < parts.size() ? "." + joined(i + 1, parts.size()) : "");
    bool isDirection = parts[i] == "forward" || parts[i] == "backward";
    if (!isDirection || i + 1 >= parts.size())
      continue;
    // A module's counter follows the direction, an operator's comes before it.
    bool isModule =
        parts[0] == "Module" && llvm::all_of(parts[i + 1], llvm::isDigit);
    size_t what = isModule ? i + 2 : i + 1;
    std::string kind = what < parts.size() ? kindOf(parts[i], parts[what]) : "";
    if (kind.empty())
      continue;
    std::string call =
        isModule ? joined(1, i) + "." + parts[i + 1].str() : joined(0, i);
    return call + "." + kind +
           (what + 1 < parts.size() ? "." + joined(what + 1, parts.size())
                                    : "");
  }
  return name.str();
}

//===--- Files of many tensors -------------------------------------------===//

std::pair<int64_t, std::string> placedName(llvm::StringRef name) {
  DumpName parsed = parseDumpName(name);
  int64_t step = parsed.step >= 0 ? parsed.step : 0;
  std::string text = parsed.step >= 0 ? parsed.text() : name.str();
  std::replace(text.begin(), text.end(), '/', '.');
  llvm::StringRef plain = llvm::StringRef(text).ltrim('.');
  return {step, plain.empty() ? "tensor" : plain.str()};
}

template <typename Reader>
static llvm::Expected<Recording> listNamed(llvm::StringRef path) {
  llvm::Expected<Reader> opened = Reader::open(path);
  if (!opened)
    return opened.takeError();
  auto reader = std::make_shared<Reader>(std::move(*opened));
  Recording recording;
  for (const std::string &name : reader->names()) {
    auto [step, text] = placedName(name);
    recording.entries.push_back(
        {step, {text, [reader, name] { return reader->read(name); }}});
  }
  return recording;
}

/// The one tensor of a .npy file, under the file's name.
static llvm::Expected<Recording> listNpy(llvm::StringRef path) {
  llvm::Expected<Tensor> array = formats::readNpy(path);
  if (!array)
    return array.takeError();
  auto [step, text] = placedName(llvm::sys::path::stem(path));
  Recording recording;
  recording.entries.push_back(
      {step,
       {text, [held = *array]() -> llvm::Expected<Tensor> { return held; }}});
  return recording;
}

static llvm::Expected<Recording> listPt(llvm::StringRef path) {
  llvm::Expected<formats::PtReader> opened = formats::PtReader::open(path);
  if (!opened)
    return opened.takeError();
  auto reader = std::make_shared<formats::PtReader>(std::move(*opened));
  Recording recording;
  for (size_t i = 0; i < reader->tensors().size(); ++i) {
    auto [step, text] = placedName(reader->tensors()[i].first);
    recording.entries.push_back(
        {step, {text, [reader, i] { return reader->read(i); }}});
  }
  return recording;
}

//===--- Folders of msprobe ----------------------------------------------===//

static llvm::Expected<Tensor> readOne(const std::string &path) {
  if (llvm::StringRef(path).ends_with(".npy"))
    return formats::readNpy(path);
  llvm::Expected<formats::PtReader> reader = formats::PtReader::open(path);
  if (!reader)
    return reader.takeError();
  if (reader->tensors().size() != 1)
    return makeError(ErrorCode::InvalidArgument, "'{0}' holds {1} tensors",
                     path, reader->tensors().size());
  return reader->read(0);
}

/// The number after a prefix of a folder's name: "rank3" -> 3; -1 without.
static int64_t numberAfter(llvm::StringRef name, llvm::StringRef prefix) {
  int64_t number = -1;
  if (!name.consume_front(prefix) || name.getAsInteger(10, number))
    return -1;
  return number;
}

/// The tensors that dump.json names, in its order ("data_name" lines: parsed
/// JSON objects lose their order).
static llvm::Expected<std::vector<Entry>> listRank(const std::string &folder) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(folder + "/dump.json");
  if (!file)
    return makeError(ErrorCode::NotFound, "cannot read '{0}/dump.json': {1}",
                     folder, file.getError().message());
  std::vector<Entry> entries;
  llvm::StringRef rest = (*file)->getBuffer();
  static constexpr llvm::StringLiteral kKey = "\"data_name\"";
  for (size_t at = rest.find(kKey); at != llvm::StringRef::npos;
       at = rest.find(kKey)) {
    rest = rest.drop_front(at + kKey.size()).ltrim(" \t\r\n:");
    if (!rest.consume_front("\""))
      continue; // null: only statistics were recorded
    auto [data, after] = rest.split('"');
    rest = after;
    std::string path =
        folder + "/dump_tensor_data/" + llvm::sys::path::filename(data).str();
    entries.push_back({nameOfMsprobe(llvm::sys::path::stem(data)),
                       [path] { return readOne(path); }});
  }
  if (entries.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}/dump.json' names no tensor files: it was recorded "
                     "with task 'statistics'; record with task 'tensor'",
                     folder);
  return entries;
}

/// Every folder with a dump.json, at most two below `root` (stepS/rankR).
static std::map<std::pair<int64_t, int64_t>, std::string>
foldersOf(llvm::StringRef root) {
  std::map<std::pair<int64_t, int64_t>, std::string> found;
  auto at = [](llvm::StringRef folder, llvm::StringRef prefix,
               int64_t otherwise) {
    for (; !folder.empty(); folder = llvm::sys::path::parent_path(folder))
      if (int64_t n = numberAfter(llvm::sys::path::filename(folder), prefix);
          n >= 0)
        return n;
    return otherwise;
  };
  std::function<void(const std::string &, int)> look =
      [&](const std::string &folder, int depth) {
        if (llvm::sys::fs::exists(folder + "/dump.json"))
          found[{at(folder, "step", 0), at(folder, "rank", 0)}] = folder;
        std::error_code error;
        for (llvm::sys::fs::directory_iterator it(folder, error), end;
             it != end && !error && depth > 0; it.increment(error))
          if (llvm::sys::fs::is_directory(it->path()) &&
              llvm::sys::path::filename(it->path()) != "dump_tensor_data")
            look(it->path(), depth - 1);
      };
  look(root.str(), 2);
  return found;
}

static llvm::Expected<std::vector<Recording>> listFolder(llvm::StringRef root) {
  std::map<int64_t, Recording> ranks;
  for (const auto &[place, folder] : foldersOf(root)) {
    llvm::Expected<std::vector<Entry>> entries = listRank(folder);
    if (!entries)
      return entries.takeError();
    Recording &recording = ranks[place.second];
    recording.rank = place.second;
    for (Entry &entry : *entries)
      recording.entries.push_back({place.first, std::move(entry)});
  }
  if (ranks.empty()) {
    Recording onnx = listOnnxTensors(root);
    if (onnx.entries.empty())
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' has no dump.json, neither itself nor in "
                       "stepN/rankN below it, and no .pb or .tensorproto",
                       root);
    return std::vector<Recording>{std::move(onnx)};
  }
  std::vector<Recording> recordings;
  for (auto &[rank, recording] : ranks)
    recordings.push_back(std::move(recording));
  return recordings;
}

static llvm::Expected<std::vector<Recording>> list(llvm::StringRef from) {
  if (llvm::sys::fs::is_directory(from))
    return listFolder(from);
  llvm::StringRef ending = llvm::sys::path::extension(from);
  if (ending == ".json")
    return listPolygraphy(from);
  llvm::Expected<Recording> one =
      ending == ".npy"           ? listNpy(from)
      : ending == ".npz"         ? listNamed<formats::NpzReader>(from)
      : ending == ".safetensors" ? listNamed<formats::SafetensorsReader>(from)
      : ending == ".pt" || ending == ".pth" || ending == ".bin"
          ? listPt(from)
          : llvm::Expected<Recording>(makeError(
                ErrorCode::InvalidArgument,
                "'{0}' cannot be imported; expected .npy, .npz, "
                ".safetensors, .pt (.pth, .bin), .json of Polygraphy, or a "
                "folder of msprobe or of ONNX tensors",
                from));
  if (!one)
    return one.takeError();
  return std::vector<Recording>{std::move(*one)};
}

//===--- Writing ---------------------------------------------------------===//

static llvm::Error writeRecording(const Recording &recording,
                                  const std::string &path,
                                  const Interrupt &interrupt,
                                  ImportResult &result) {
  DumpOptions options;
  options.attributes = {{"imported_from", recording.source}};
  options.summary = false; // `assay summary` makes it
  llvm::Expected<UnfinishedDump> dump =
      UnfinishedDump::create(path, std::move(options));
  if (!dump)
    return dump.takeError();
  for (const auto &[step, entry] : recording.entries) {
    if (llvm::Error error = interrupt.check())
      return error;
    llvm::Expected<Tensor> tensor = entry.read();
    if (!tensor) {
      ErrorText info = takeError(tensor.takeError());
      if (info.code != ErrorCode::Unsupported)
        return makeError(info.code, "{0}: {1}", entry.name, info.message);
      result.skipped.push_back(entry.name + ": " + info.message);
      continue;
    }
    if (llvm::Error error = dump->writer().add(
            "/" + std::to_string(step) + "/" + entry.name, std::move(*tensor)))
      return error;
    ++result.tensors;
  }
  if (llvm::Error error = dump->finish())
    return error;
  result.files.push_back(path);
  return llvm::Error::success();
}

llvm::Expected<ImportResult> importDump(llvm::StringRef from,
                                        llvm::StringRef to,
                                        const Interrupt &interrupt) {
  if (!llvm::sys::fs::exists(from))
    return makeError(ErrorCode::NotFound,
                     "cannot read '{0}': No such file or directory", from);
  if (llvm::sys::path::extension(from) == ".h5")
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is a dump already, which compare and summary take",
                     from);
  llvm::Expected<std::vector<Recording>> recordings = list(from);
  if (!recordings)
    return recordings.takeError();
  bool isFile = llvm::sys::path::extension(to) == ".h5";
  if (recordings->size() > 1 && isFile)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' holds {1} ranks or runners: name a folder in "
                     "place of '{2}', or one rank's folder",
                     from, recordings->size(), to);
  ImportResult result;
  for (Recording &recording : *recordings) {
    recording.source = from.str();
    llvm::SmallString<256> path(to);
    if (!isFile)
      llvm::sys::path::append(path,
                              recording.file.empty()
                                  ? dumpFileName(recording.rank, recording.rank)
                                  : recording.file);
    if (llvm::Error error =
            writeRecording(recording, path.str().str(), interrupt, result))
      return error;
  }
  return result;
}

} // namespace assay::trace
