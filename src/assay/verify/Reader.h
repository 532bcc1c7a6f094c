/// From words (a command line, batch files) to problems: knobs are applied in
/// order, and every problem token becomes the cross product of all knob values.
/// The caller gets the problems one at a time.
#pragma once

#include "assay/verify/Problem.h"
#include "assay/verify/Settings.h"

#include <functional>

namespace assay::verify {

/// Receives each problem; returning an error ends the reading.
using ProblemSink = std::function<llvm::Error(Problem problem)>;

class Reader {
public:
  /// `inputFolders`: where batch files are searched besides the current
  /// folder and those of files already read; the driver's own folder below each
  /// of them is searched too (inputs/conv/...).
  Reader(std::vector<std::string> inputFolders, ProblemSink sink)
      : folders_(std::move(inputFolders)), sink_(std::move(sink)) {}

  /// Reads the words of a command line: "--matmul --dt=bf16 64x64:64x64
  /// --batch=FILE". Errors: InvalidArgument for a knob that is unknown,
  /// malformed or (outside batch files) lacking; NotFound for a batch file. A
  /// problem token that cannot be read is passed on as a problem with `invalid`
  /// set.
  llvm::Error readArguments(llvm::ArrayRef<const char *> words);

  const Settings &settings() const { return settings_; }

private:
  llvm::Error readWord(llvm::StringRef word);
  llvm::Error lacking(llvm::StringRef word) const;
  llvm::Error readBatch(llvm::StringRef name);
  llvm::Error expand(llvm::StringRef token);
  llvm::Error combine(llvm::StringRef token);
  llvm::Error finish(Problem p, llvm::StringRef token, int64_t batchSize);
  llvm::Error emit(Problem problem);
  llvm::Expected<std::string> locate(llvm::StringRef name);

  std::vector<std::string> folders_;
  ProblemSink sink_;
  Settings settings_;
  const Driver *driver_ = nullptr;
  std::vector<std::string> openFiles_; // nesting, innermost last
  std::vector<std::string> pending_;   // knobs that no problem has used yet
  std::shared_ptr<const RunOptions> options_;
  std::string place_;     // FILE:LINE of a word of a batch file
  bool fromSink_ = false; // the current error came from the sink
};

/// The words of a batch file: separated by white space, '#' at a word's start
/// comments out the rest of the line, a word that ends in '\' is joined to the
/// next one, single quotes are read as by a shell.
struct BatchWord {
  std::string text;
  int64_t line = 1;
};
std::vector<BatchWord> batchWords(llvm::StringRef text);

} // namespace assay::verify
