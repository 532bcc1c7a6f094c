/// The journal of a collection: a header line, then one JSON line per finished
/// measurement, so that a killed run loses at most the measurement that was
/// being made.
#pragma once

#include "assay/select/Dataset.h"

#include "llvm/Support/JSON.h"

#include <set>

namespace assay::select {

/// The settings that all rows of one data file share: a collection with other
/// settings needs another file. Shapes, numbers of threads and budgets may
/// differ between the runs of one file.
struct CollectSettings {
  std::string dtype, layout;
  std::string kernels; ///< --kernels as the user wrote it
  std::string machineClass, registryHash;
  uint64_t seed = 0;
  int pairs = 100; ///< the limit of pairs for one measurement
  std::string op = "gemm";

  friend bool operator==(const CollectSettings &,
                         const CollectSettings &) = default;
  llvm::json::Object toJson() const;
  /// nullopt when a field is missing or does not parse.
  static std::optional<CollectSettings>
  fromJson(const llvm::json::Value &value);
  /// "--seed 0 (now 9), --kernels all (now active)": the fields in which a file
  /// with these settings differs from a run with `now`.
  std::string differencesTo(const CollectSettings &now) const;
};

/// The lines that these functions return have no newline.
std::string journalLine(const CollectSettings &settings);
std::string journalLine(const Measurement &row);
/// The line that marks all measurements of a problem as made.
std::string journalDoneLine(llvm::StringRef problem, double noiseFloor);

struct Journal {
  CollectSettings settings;
  std::vector<Measurement> rows;
  std::set<std::string> done; ///< keys of the problems that are complete
  std::vector<double> noiseFloors;
  bool isEmpty = true; ///< there is no line, and so no settings
};

/// Parses a journal. A last line without a newline is ignored, so that a text
/// without any whole line gives an empty journal.
/// Errors: DataLoss when another line does not parse; `path` is for the message
llvm::Expected<Journal> parseJournal(llvm::StringRef text,
                                     llvm::StringRef path);

} // namespace assay::select
