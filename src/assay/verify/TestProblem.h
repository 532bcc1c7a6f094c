/// For tests: a problem from the words of a command line.
#pragma once

#include "assay/verify/Reader.h"

#include "gtest/gtest.h"

namespace assay::verify {

/// The one problem of {"--matmul", "--dt=bf16", "4x5:5x6"}.
inline Problem problemOfWords(llvm::ArrayRef<const char *> words) {
  Problem problem;
  Reader reader({}, [&](Problem p) {
    problem = std::move(p);
    return llvm::Error::success();
  });
  llvm::Error error = reader.readArguments(words);
  EXPECT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
  return problem;
}

/// Calls `use` with the words of "--matmul --dt=bf16 4x5:5x6" as main gets them.
template <typename Use> auto withWordsOf(llvm::StringRef text, Use use) {
  std::vector<std::string> words;
  for (const BatchWord &word : batchWords(text))
    words.push_back(word.text);
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  return use(llvm::ArrayRef<const char *>(arguments));
}

/// The one problem of "--matmul --dt=bf16 4x5:5x6".
inline Problem problemOf(llvm::StringRef text) {
  return withWordsOf(text, problemOfWords);
}

} // namespace assay::verify
