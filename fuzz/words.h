/// Problems of `assay verify` from any text, for the fuzzers of its words.
#pragma once

#include "assay/support/Error.h"
#include "assay/verify/Options.h"
#include "assay/verify/Reader.h"

inline std::vector<std::string> splitWords(llvm::StringRef text) {
  std::vector<std::string> words;
  for (assay::verify::BatchWord &word : assay::verify::batchWords(text))
    words.push_back(std::move(word.text));
  return words;
}

/// At most `limit` problems; files are not read.
inline llvm::Error readProblems(const std::vector<std::string> &words,
                                size_t limit,
                                std::vector<assay::verify::Problem> &out) {
  using namespace assay;
  verify::Reader reader({}, [&](verify::Problem problem) -> llvm::Error {
    out.push_back(std::move(problem));
    return out.size() >= limit ? makeError(ErrorCode::Cancelled, "enough")
                               : llvm::Error::success();
  });
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    if (!llvm::StringRef(word).starts_with("--batch"))
      arguments.push_back(word.c_str());
  return reader.readArguments(arguments);
}
