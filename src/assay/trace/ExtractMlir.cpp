// Recorded calls as .mlir tests. A test is a program whose @main takes the
// recorded inputs and must return the recorded outputs; the data are in an .npz
// with the same stem. There is one file per call, so that a failing one can be
// sent to others on its own.
#include "assay/trace/ExtractMlir.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/formats/Npz.h"
#include "assay/formats/TensorFile.h"
#include "assay/support/AtomicFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace assay::trace {

using llvm::json::Array;
using llvm::json::Object;
using formats::Hdf5Reader;
using tensor::Tensor;

namespace {
/// Recorded tensors by their `file` entry ("dump/operators.h5:/1/name").
class RecordedTensors {
public:
  explicit RecordedTensors(const ExtractOptions &options) : options_(options) {}

  /// Invalid when the record names no file.
  llvm::Expected<Tensor> read(const llvm::json::Value *record) {
    const Object *object = record ? record->getAsObject() : nullptr;
    std::optional<llvm::StringRef> spec =
        object ? object->getString("file") : std::nullopt;
    if (!spec)
      return Tensor();
    formats::TensorSpec place = formats::parseTensorSpec(*spec);
    llvm::SmallString<256> path(options_.traceDir);
    llvm::sys::path::append(path, place.path);
    std::unique_ptr<Hdf5Reader> &reader = readers_[path.str().str()];
    if (!reader) {
      llvm::Expected<std::unique_ptr<Hdf5Reader>> opened =
          Hdf5Reader::open(path);
      if (!opened)
        return opened.takeError();
      reader = std::move(*opened);
    }
    const formats::Hdf5Dataset *dataset = reader->find(place.member);
    if (!dataset)
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' has no dataset '{1}', which the trace names",
                       path, place.member);
    return reader->readTensor(*dataset);
  }

private:
  const ExtractOptions &options_;
  std::map<std::string, std::unique_ptr<Hdf5Reader>> readers_;
};
} // namespace

bool isListed(llvm::StringRef opName, const std::vector<std::string> &names) {
  return llvm::any_of(names, [&](llvm::StringRef name) {
    return name.consume_back("*") ? opName.starts_with(name) : opName == name;
  });
}

static llvm::Error writeCase(const RecordedCase &test, llvm::StringRef folder) {
  llvm::SmallString<256> stem(folder);
  llvm::sys::path::append(stem, test.stem);
  llvm::Expected<formats::NpzWriter> data =
      formats::NpzWriter::create((stem + ".npz").str());
  if (!data)
    return data.takeError();
  for (size_t i = 0; i < test.inputs.size(); ++i)
    if (llvm::Error error = data->add("in" + std::to_string(i), test.inputs[i]))
      return error;
  for (size_t i = 0; i < test.outputs.size(); ++i)
    if (llvm::Error error =
            data->add("out" + std::to_string(i), test.outputs[i]))
      return error;
  if (llvm::Error error = data->finish())
    return error;
  llvm::Expected<std::unique_ptr<AtomicFile>> file =
      AtomicFile::create((stem + ".mlir").str());
  if (!file)
    return file.takeError();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// " << test.comment
     << "\n// Inputs and expected outputs: " << llvm::sys::path::filename(stem)
     << ".npz; run with `assay test`.\n";
  test.program.program->module().print(os);
  os << "\n";
  if (llvm::Error error = (*file)->write(text.data(), text.size()))
    return error;
  return (*file)->commit();
}

static std::string stemOf(llvm::StringRef name, llvm::StringRef opName) {
  std::string stem = (name + "_" + opName).str();
  for (char &c : stem)
    c = isalnum(static_cast<unsigned char>(c)) || c == '-' ? c : '_';
  return stem;
}

static const llvm::json::Value *recordAt(const TracedCall &call,
                                         llvm::StringRef place) {
  auto [first, rest] = place.split('.');
  size_t i = 0, item = 0;
  if (first.getAsInteger(10, i))
    return call.kwargs.get(place);
  if (i >= call.args.size())
    return nullptr;
  if (rest.empty())
    return &call.args[i];
  const Array *list = call.args[i].getAsArray();
  return list && !rest.getAsInteger(10, item) && item < list->size()
             ? &(*list)[item]
             : nullptr;
}

/// Finds the recorded tensor of an argument or a result by its place; invalid
/// when it was not saved.
using Lookup =
    llvm::function_ref<llvm::Expected<Tensor>(bool input, std::string place)>;

/// Passes a test with the data from `find` to the sink, or counts the reason
/// why there is none.
static llvm::Error addTest(RecordedCase test, Lookup find, const char *missing,
                           CaseSink sink, ExtractReport &report) {
  bool complete = true;
  auto take = [&](bool input, std::string place) -> llvm::Error {
    llvm::Expected<Tensor> tensor = find(input, std::move(place));
    if (!tensor)
      return tensor.takeError();
    complete &= tensor->valid();
    (input ? test.inputs : test.outputs).push_back(std::move(*tensor));
    return llvm::Error::success();
  };
  for (const std::string &place : test.program.inputs)
    if (llvm::Error error = take(true, place))
      return error;
  for (size_t output : test.program.outputs)
    if (llvm::Error error = take(false, std::to_string(output)))
      return error;
  if (!complete) {
    ++report.leftOut[missing];
    return llvm::Error::success();
  }
  if (llvm::Error error = sink(test))
    return error;
  ++report.tests;
  ++report.files;
  return llvm::Error::success();
}

static llvm::Error makeFolder(const ExtractOptions &options) {
  if (std::error_code failure =
          llvm::sys::fs::create_directories(options.outDir))
    return makeError(ErrorCode::InvalidArgument, "'{0}': {1}", options.outDir,
                     failure.message());
  return llvm::Error::success();
}

llvm::Expected<ExtractReport> extractMlir(const std::vector<TracedCall> &calls,
                                          const ExtractOptions &options) {
  if (llvm::Error error = makeFolder(options))
    return error;
  return recordedCases(calls, options, Stages::Wide,
                       [&](const RecordedCase &test) {
                         return writeCase(test, options.outDir);
                       });
}

llvm::Expected<ExtractReport> extractMlir(const Hdf5Reader &dump,
                                          const Operators &operators,
                                          const ExtractOptions &options) {
  if (llvm::Error error = makeFolder(options))
    return error;
  return recordedCases(dump, operators, options, [&](const RecordedCase &test) {
    return writeCase(test, options.outDir);
  });
}

llvm::Expected<ExtractReport>
recordedCases(const std::vector<TracedCall> &calls,
              const ExtractOptions &options, Stages stages, CaseSink sink) {
  ExtractReport report;
  RecordedTensors recorded(options);
  for (const TracedCall &call : calls) {
    ++report.calls;
    if (isListed(call.opName, options.blacklist)) {
      ++report.leftOut["blacklisted"];
      continue;
    }
    llvm::Expected<AtenProgram> program = atenProgram(call, stages);
    if (!program) {
      ++report.leftOut[takeError(program.takeError()).message];
      continue;
    }
    auto find = [&](bool input, std::string place) {
      size_t i = 0;
      bool known = !llvm::StringRef(place).getAsInteger(10, i) &&
                   i < call.outputs.size();
      return recorded.read(input   ? recordAt(call, place)
                           : known ? &call.outputs[i]
                                   : nullptr);
    };
    RecordedCase test{stemOf(call.name, call.opName),
                      call.opName + ", recorded as " + call.name,
                      call.opName,
                      std::move(*program),
                      {},
                      {}};
    if (llvm::Error error =
            addTest(std::move(test), find,
                    "a tensor was not saved (X_DUMP_NUM)", sink, report))
      return addContext(std::move(error), call.name);
  }
  return report;
}

llvm::Expected<ExtractReport> recordedCases(const Hdf5Reader &dump,
                                            const Operators &operators,
                                            const ExtractOptions &options,
                                            CaseSink sink) {
  ExtractReport report;
  std::map<std::string, std::map<std::string, const formats::Hdf5Dataset *>>
      calls; // by call, by kind and item
  std::map<std::string, DumpName> names;
  std::vector<std::string> order;
  for (const formats::Hdf5Dataset &dataset : dump.datasets()) {
    DumpName name = parseDumpName(dataset.path);
    std::string key = std::to_string(name.step) + "/" + name.callText();
    if (names.try_emplace(key, name).second)
      order.push_back(key);
    calls[key][(isInput(name.kind) ? "in" : "out") + name.item] = &dataset;
  }
  for (const std::string &key : order) {
    ++report.calls;
    const DumpName &name = names.find(key)->second;
    if (isListed(name.className, options.blacklist)) {
      ++report.leftOut["blacklisted"];
      continue;
    }
    llvm::Expected<AtenProgram> program = operators.program(name);
    if (!program) {
      llvm::consumeError(program.takeError());
      ++report.leftOut
            ["the program has no such operation, or it cannot stand alone"];
      continue;
    }
    RecordedCase test{
        stemOf((name.step > 1 ? "step" + std::to_string(name.step) + "_" : "") +
                   name.module + "_" + std::to_string(name.call),
               name.className),
        name.callText() + ", step " + std::to_string(name.step),
        name.className,
        std::move(*program),
        {},
        {}};
    auto find = [&](bool input, std::string place) -> llvm::Expected<Tensor> {
      auto found = calls[key].find((input ? "in" : "out") + place);
      return found == calls[key].end() ? Tensor()
                                       : dump.readTensor(*found->second);
    };
    if (llvm::Error error = addTest(std::move(test), find,
                                    "a tensor was not recorded", sink, report))
      return error;
  }
  return report;
}

} // namespace assay::trace
