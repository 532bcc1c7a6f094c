// Writes unit tests for pytest from a dump.json: one file per operator, one
// parametrised case per kept call, and two support files (pytests/conftest.py
// and operator_call.py beside this source, embedded at build time). Arguments
// become Python literals; a recorded tensor becomes T(shape, dtype, stride,
// range, file, offset): its bytes are contiguous in the HDF5 file, so the test
// reads them by offset and needs no HDF5 library.
#include "assay/trace/ExtractPytest.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/formats/TensorFile.h"
#include "assay/support/AtomicFile.h"
#include "assay/trace/ExtractMlir.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::trace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static const char kConftest[] =
#include "assay/trace/pytests/conftest.py.inc"
    ;
static const char kOperatorCall[] =
#include "assay/trace/pytests/operator_call.py.inc"
    ;

std::vector<std::string> defaultBlacklist() {
  return {"aten.empty*",
          "aten.new_empty*",
          "aten.rand*",
          "aten.normal*",
          "aten.bernoulli*",
          "aten.uniform*",
          "aten.exponential*",
          "aten.multinomial*",
          "aten.dropout*",
          "aten.native_dropout*",
          "aten.log_normal*",
          "aten.geometric*",
          "aten.cauchy*",
          "aten.resize_*",
          "aten.set_*",
          "aten.lift*",
          "aten._local_scalar_dense*",
          "aten.is_same_size*",
          "aten.record_stream*"};
}

namespace {
/// Turns the arguments of one trace into Python; keeps open the HDF5 files that
/// they name.
class PythonLiterals {
public:
  explicit PythonLiterals(const ExtractOptions &options) : options_(options) {}

  llvm::Error write(llvm::raw_ostream &os, const Value &value);
  /// Set when an argument has no Python form (an object of the running
  /// process).
  std::string reason;

private:
  llvm::Error writeTensor(llvm::raw_ostream &os, const Object &record);
  void writeSpecial(llvm::raw_ostream &os, const Object &object);
  llvm::Expected<int64_t> offsetOf(llvm::StringRef file,
                                   llvm::StringRef member);

  const ExtractOptions &options_;
  std::map<std::string, std::unique_ptr<formats::Hdf5Reader>> readers_;
};
} // namespace

static void writeString(llvm::raw_ostream &os, llvm::StringRef text) {
  os << Value(text.str()); // a JSON string is a Python string
}

/// Only names of PyTorch ("torch.float16") and spellings of Inf and NaN are
/// copied into the Python text unchanged.
static bool isTorchName(llvm::StringRef text) {
  return text.consume_front("torch.") && !text.empty() &&
         llvm::all_of(text,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}
static bool isNonFinite(llvm::StringRef text) {
  return text == "inf" || text == "-inf" || text == "nan";
}

/// A bound of a range: a number, or the text of an Inf or NaN.
static void writeBound(llvm::raw_ostream &os, const Value *value) {
  if (!value || value->kind() == Value::Null)
    os << "None";
  else if (std::optional<llvm::StringRef> text = value->getAsString();
           text && isNonFinite(*text))
    os << "float(\"" << *text << "\")";
  else if (value->getAsNumber())
    os << *value;
  else
    os << "None";
}

static void writeIntegers(llvm::raw_ostream &os, const Array *values) {
  if (!values) {
    os << "None";
    return;
  }
  os << "[";
  llvm::interleaveComma(*values, os, [&](const Value &value) {
    os << value.getAsInteger().value_or(0);
  });
  os << "]";
}

llvm::Expected<int64_t> PythonLiterals::offsetOf(llvm::StringRef file,
                                                 llvm::StringRef member) {
  llvm::SmallString<256> path(options_.traceDir);
  llvm::sys::path::append(path, file);
  std::unique_ptr<formats::Hdf5Reader> &reader = readers_[path.str().str()];
  if (!reader) {
    llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> opened =
        formats::Hdf5Reader::open(path);
    if (!opened)
      return opened.takeError();
    reader = std::move(*opened);
  }
  const formats::Hdf5Dataset *dataset = reader->find(member);
  if (!dataset)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' has no dataset '{1}', which the trace names", path,
                     member);
  return dataset->offset; // -1: an empty tensor, whose bytes are not read
}

llvm::Error PythonLiterals::writeTensor(llvm::raw_ostream &os,
                                        const Object &record) {
  llvm::StringRef dtype = *record.getString("dtype");
  if (!isTorchName(dtype)) {
    reason = llvm::formatv("'{0}' is not a type of PyTorch", dtype).str();
    return llvm::Error::success();
  }
  os << "T(";
  writeIntegers(os, record.getArray("shape"));
  os << ", " << dtype << ", ";
  writeIntegers(os, record.getArray("stride"));
  os << ", ";
  writeBound(os, record.get("min"));
  os << ", ";
  writeBound(os, record.get("max"));
  if (std::optional<llvm::StringRef> spec = record.getString("file")) {
    formats::TensorSpec place = formats::parseTensorSpec(*spec);
    llvm::Expected<int64_t> offset = offsetOf(place.path, place.member);
    if (!offset)
      return offset.takeError();
    os << ", ";
    writeString(os, place.path);
    os << ", " << *offset;
  }
  os << ")";
  return llvm::Error::success();
}

void PythonLiterals::writeSpecial(llvm::raw_ostream &os, const Object &object) {
  for (const char *key : {"dtype", "layout", "memory_format"})
    if (std::optional<llvm::StringRef> text = object.getString(key);
        text && isTorchName(*text)) {
      os << *text;
      return;
    }
  if (object.getString("device"))
    os << "DEVICE";
  else if (std::optional<llvm::StringRef> text = object.getString("float");
           text && isNonFinite(*text))
    os << "float(\"" << *text << "\")";
  else if (const Array *parts = object.getArray("complex");
           parts && parts->size() == 2 && (*parts)[0].getAsNumber() &&
           (*parts)[1].getAsNumber())
    os << "complex(" << (*parts)[0] << ", " << (*parts)[1] << ")";
  else
    reason = ("an argument is an object of the running process: " +
              object.getString("object").value_or("?"))
                 .str();
}

llvm::Error PythonLiterals::write(llvm::raw_ostream &os, const Value &value) {
  if (isTensorRecord(value))
    return writeTensor(os, *value.getAsObject());
  if (const Array *array = value.getAsArray()) {
    os << "[";
    for (size_t i = 0; i < array->size(); ++i) {
      os << (i ? ", " : "");
      if (llvm::Error error = write(os, (*array)[i]))
        return error;
    }
    os << "]";
  } else if (const Object *object = value.getAsObject()) {
    writeSpecial(os, *object);
  } else if (value.kind() == Value::Null) {
    os << "None";
  } else if (std::optional<bool> truth = value.getAsBoolean()) {
    os << (*truth ? "True" : "False");
  } else {
    os << value;
  }
  return llvm::Error::success();
}

static llvm::Error writeFile(llvm::StringRef folder, const llvm::Twine &name,
                             llvm::StringRef text) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return writeAtomically(path, text);
}

/// The path from the folder of the tests to the folder of dump.json.
static std::string relativePath(llvm::StringRef from, llvm::StringRef to) {
  auto parts = [](llvm::StringRef path) {
    llvm::SmallString<256> absolute(path);
    (void)llvm::sys::fs::make_absolute(absolute);
    llvm::sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
    return std::vector<std::string>(llvm::sys::path::begin(absolute),
                                    llvm::sys::path::end(absolute));
  };
  std::vector<std::string> a = parts(from), b = parts(to);
  size_t common = 0;
  while (common < a.size() && common < b.size() && a[common] == b[common])
    ++common;
  llvm::SmallString<256> relative;
  for (size_t i = common; i < a.size(); ++i)
    llvm::sys::path::append(relative, "..");
  for (size_t i = common; i < b.size(); ++i)
    llvm::sys::path::append(relative, b[i]);
  return relative.empty() ? "." : relative.str().str();
}

/// The text of one case: "00004-aten": {"args": [...], "kwargs": {...}}.
static llvm::Expected<std::string> caseText(const TracedCall &call,
                                            PythonLiterals &literals) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "    \"" << call.name << "\": {\"args\": ";
  literals.reason.clear();
  if (llvm::Error error = literals.write(os, Value(Array(call.args))))
    return error;
  os << ", \"kwargs\": {";
  std::map<std::string, const Value *>
      sorted; // so the order in the file does not depend on hashing
  for (const auto &item : call.kwargs)
    sorted[item.first.str()] = &item.second;
  bool first = true;
  for (const auto &[key, value] : sorted) {
    os << (first ? "" : ", ");
    writeString(os, key);
    os << ": ";
    if (llvm::Error error = literals.write(os, *value))
      return error;
    first = false;
  }
  os << "}},  # " << call.count << (call.count == 1 ? " call\n" : " calls\n");
  return text;
}

static std::string testFile(llvm::StringRef opName, llvm::StringRef identifier,
                            llvm::StringRef cases,
                            const ExtractOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "\"\"\"Recorded calls of " << opName
     << ". Made by `assay extract`; run with pytest, see conftest.py.\"\"\"\n"
     << "import pytest\nimport torch\nfrom operator_call import DEVICE, T\n\n"
     << "HOW = dict(root=";
  writeString(os, relativePath(options.outDir, options.traceDir));
  os << ", load=" << (options.load ? "True" : "False")
     << ", cpu_init=" << (options.cpuInit ? "True" : "False")
     << ")\nCASES = {\n"
     << cases << "}\n\n\n"
     << "@pytest.mark.parametrize(\"name\", CASES)\n"
     << "def test_" << identifier << "(name, call):\n"
     << "    call(\"" << opName << "\", name, CASES[name], **HOW)\n";
  return text;
}

llvm::Expected<ExtractReport>
extractPytests(const std::vector<TracedCall> &calls,
               const ExtractOptions &options) {
  ExtractReport report;
  std::map<std::string, std::string> casesOf;
  PythonLiterals literals(options);
  for (const TracedCall &call : calls) {
    ++report.calls;
    if (isListed(call.opName, options.blacklist)) {
      ++report.leftOut["blacklisted"];
      continue;
    }
    llvm::Expected<std::string> text = caseText(call, literals);
    if (!text)
      return addContext(text.takeError(), call.name);
    if (!literals.reason.empty()) {
      ++report.leftOut[literals.reason];
      continue;
    }
    casesOf[call.opName] += *text;
    ++report.tests;
  }
  if (std::error_code failure =
          llvm::sys::fs::create_directories(options.outDir))
    return makeError(ErrorCode::InvalidArgument, "'{0}': {1}", options.outDir,
                     failure.message());
  if (llvm::Error error = writeFile(options.outDir, "conftest.py", kConftest))
    return error;
  if (llvm::Error error =
          writeFile(options.outDir, "operator_call.py", kOperatorCall))
    return error;
  for (const auto &[opName, cases] : casesOf) {
    std::string identifier = opName;
    for (char &c : identifier)
      c = isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (llvm::Error error =
            writeFile(options.outDir, "test_" + identifier + ".py",
                      testFile(opName, identifier, cases, options)))
      return error;
    ++report.files;
  }
  return report;
}

} // namespace assay::trace
