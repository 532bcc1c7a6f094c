// Folders of ONNX tensors, as in ONNX Runtime's dumps of node inputs and outputs
// and the test sets of ONNX models: a file for each tensor.
#include "assay/formats/OnnxTensor.h"
#include "assay/tensor/MappedFile.h"
#include "assay/trace/import/Recording.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace assay::trace {

static llvm::Expected<formats::OnnxTensor> readOne(llvm::StringRef path) {
  llvm::Expected<std::shared_ptr<const tensor::MappedFile>> file =
      tensor::MappedFile::open(path);
  if (!file)
    return file.takeError();
  return formats::parseOnnxTensor((*file)->bytes(), path);
}

/// "output_2.pb" before "output_10.pb": numbers count as numbers.
static std::string sortKey(llvm::StringRef name) {
  std::string key;
  while (!name.empty()) {
    llvm::StringRef digits = name.take_while(llvm::isDigit);
    if (digits.size() < 12)
      key.append(digits.empty() ? 0 : 12 - digits.size(), '0');
    key += digits;
    name = name.drop_front(digits.size());
    llvm::StringRef text = name.take_until(llvm::isDigit);
    key += text;
    name = name.drop_front(text.size());
  }
  return key;
}

static void addFolder(llvm::StringRef folder, int64_t step,
                      ImportRecording &recording) {
  std::vector<std::pair<std::string, std::string>> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    llvm::StringRef ending = llvm::sys::path::extension(it->path());
    if (ending == ".pb" || ending == ".tensorproto")
      files.push_back(
          {sortKey(llvm::sys::path::filename(it->path())), it->path()});
  }
  std::sort(files.begin(), files.end());
  for (const auto &[key, path] : files) {
    std::string name = llvm::sys::path::stem(path).str();
    recording.entries.push_back(
        {step,
         {placedName(name).second,
          [path = path]() -> llvm::Expected<tensor::Tensor> {
            llvm::Expected<formats::OnnxTensor> read = readOne(path);
            if (!read)
              return read.takeError();
            return std::move(read->tensor);
          }}});
  }
}

ImportRecording listOnnxTensors(llvm::StringRef folder) {
  ImportRecording recording;
  addFolder(folder, 0, recording);
  static constexpr llvm::StringLiteral kSet = "test_data_set_";
  std::vector<std::pair<int64_t, std::string>> sets;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    int64_t step = 0;
    if (name.consume_front(kSet) && !name.getAsInteger(10, step))
      sets.push_back({step, it->path()});
  }
  std::sort(sets.begin(), sets.end());
  for (const auto &[step, path] : sets)
    addFolder(path, step, recording);
  return recording;
}

} // namespace assay::trace
