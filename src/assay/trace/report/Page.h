/// `assay report` and `assay compare --html`: one HTML file that needs nothing
/// else, with a command's findings as data and the page's own script.
#pragma once

#include "assay/trace/Compare.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

/// A document to show, in the form of a command's --json.
struct ReportSource {
  std::string path; ///< shown as its name
  llvm::json::Value document;
};

/// Adds `maps` to a comparison's document: where the error is in up to 40
/// tensors, those that fail before others, the largest relative error first
/// (ErrorMap.h). A pair that cannot be read has none.
void addErrorMaps(llvm::json::Object &document, const Comparison &comparison,
                  const formats::Hdf5Reader &target,
                  const formats::Hdf5Reader &bench, ThreadPool &pool);

/// Adds `within` to the rows of operator calls: the path of the module that they
/// ran in, "" for the model itself.
void addModulesAround(llvm::json::Object &document,
                      const Comparison &comparison);

/// Reads the arguments of `assay report`: .json (of any command's --json), .csv
/// (a table; RESULT.csv of compare), .h5 (one dump: its summary; two in a row:
/// the first as the tested side of the second). Errors: NotFound,
/// InvalidArgument with the file and the expected contents
llvm::Expected<std::vector<ReportSource>>
readSources(llvm::ArrayRef<std::string> paths, const CompareOptions &options,
            ThreadPool &pool);

/// Writes the page.
void writePage(llvm::StringRef title, llvm::ArrayRef<ReportSource> sources,
               llvm::raw_ostream &os);

} // namespace assay::trace
