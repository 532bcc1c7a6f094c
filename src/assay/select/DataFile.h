/// A data file that only grows: measurements in Parquet, and beside it, while a
/// collection runs, the journal of what was added since. However a run ends,
/// every finished measurement is in one of the two, and the next run finds it.
#pragma once

#include "assay/select/Journal.h"
#include "assay/support/RecordFile.h"

#include <map>
#include <memory>

namespace assay::select {

/// Which other process writes to a data file. Several processes that share a collection
/// each have a journal of their own ("PATH.rank3.journal"), a lane, and one of
/// them closes the file in the end.
struct DataFileAccess {
  enum class Kind { Alone, Lane, Closing };
  Kind kind = Kind::Alone;
  int lane = 0;
};

class DataFile {
public:
  /// Opens `path`, or in an existing folder the file of these settings
  /// ("part-<hash>.parquet"), and reads its contents.
  /// Errors: InvalidArgument (other settings than the file's, all of them
  /// named; a file that `tune collect` did not write; one that another run has
  /// open; a path that cannot be written), DataLoss (a damaged file). An error
  /// leaves both files as they were. A lane reads the other lanes' journals,
  /// and never writes the file itself; the others take in all lanes.
  static llvm::Expected<std::unique_ptr<DataFile>>
  open(llvm::StringRef path, const CollectSettings &settings,
       const Provenance &provenance, DataFileAccess access = {});
  ~DataFile();
  DataFile(const DataFile &) = delete;

  const std::string &path() const { return path_; }
  /// Measurements that were there at open().
  int64_t keptRows() const { return keptRows_; }
  bool isComplete(const std::string &problem) const {
    return done_.count(problem);
  }
  /// The measurements of a problem so far, in the order in which they were
  /// made.
  std::vector<Measurement> rowsOf(const std::string &problem) const;

  /// Writes a measurement to the journal, before it returns.
  /// Errors: ResourceLimit when the disk is full, else InvalidArgument
  llvm::Error append(const Measurement &row);
  /// Says that the problem has all its measurements; the same errors.
  llvm::Error markComplete(const std::string &problem, double noiseFloor);

  struct Totals {
    int64_t rows = 0, valid = 0, noisy = 0;
    double noiseFloor = 0;
  };
  /// Writes old and new rows as Parquet and removes the journal. Rows of
  /// problems without a new measurement stay as they are, bit by bit.
  /// Errors: NotFound when there is no row at all; those of writing, which
  /// leave the old file and the journal
  llvm::Expected<Totals> finish();

private:
  DataFile() = default;
  llvm::Error openJournal();
  llvm::Error readLanes(const CollectSettings &settings);
  llvm::Error takeIn(Journal journal, llvm::StringRef path,
                     const CollectSettings &settings);
  llvm::Error readTable(const CollectSettings &settings);
  llvm::Error readJournal(const CollectSettings &settings);
  void removeJournals() const;
  ColumnTable merged() const;
  double noiseFloor() const;

  DataFileAccess access_;
  std::string path_;
  std::unique_ptr<RecordFile> journal_;
  /// The guard of a lane, PATH.journal: held so that no other run than these ranks
  /// starts.
  std::unique_ptr<RecordFile> guard_;
  std::vector<std::string> lanes_;     ///< journals of other lanes, taken in
  bool hasOwnLines_ = false;           ///< measurements in this journal
  std::unique_ptr<ColumnTable> table_; ///< as the file holds it; null: no file
  std::string settingsText_;
  std::vector<Measurement> rows_; ///< the table's, then the journal's
  size_t tableRows_ = 0;
  std::vector<Provenance> runs_;
  std::map<std::string, std::vector<size_t>> byProblem_;
  std::set<std::string> done_;
  std::vector<double> floors_;
  int64_t keptRows_ = 0;
};

/// Success when writing a new file to `path` destroys no measurement.
/// Errors: InvalidArgument when `path` is a data file of `tune collect`
llvm::Error checkOverwrite(llvm::StringRef path);

} // namespace assay::select
