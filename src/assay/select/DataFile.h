/// A data file that only grows: measurements in Parquet and, while a collection
/// runs, a journal beside it of the measurements added since. However a run
/// ends, every finished measurement is in one of the two, and the next run
/// finds it.
#pragma once

#include "assay/select/Journal.h"
#include "assay/support/RecordFile.h"

#include <map>
#include <memory>

namespace assay::select {

/// Which other processes write to a data file. Processes that share a
/// collection each have a lane, a separate journal ("PATH.rank3.journal"), and
/// one of them closes the file at the end.
struct DataFileAccess {
  enum class Kind { Alone, Lane, Closing };
  Kind kind = Kind::Alone;
  int lane = 0;
};

class DataFile {
public:
  /// Opens `path`, or, if it is a folder, the file of these settings in it
  /// ("part-<hash>.parquet"), and reads its contents.
  /// Errors: InvalidArgument (settings other than the file's, with all that
  /// differ; a file that `tune collect` did not write; one that another run has
  /// open; a path that cannot be written), DataLoss (a damaged file). An error
  /// leaves both files as they were. A lane reads the other lanes' journals and
  /// never writes the file itself; the other kinds of access merge all lanes.
  static llvm::Expected<std::unique_ptr<DataFile>>
  open(llvm::StringRef path, const CollectSettings &settings,
       const Provenance &provenance, DataFileAccess access = {});
  ~DataFile();
  DataFile(const DataFile &) = delete;

  const std::string &path() const { return path_; }
  /// The measurements that existed at open().
  int64_t keptRows() const { return keptRows_; }
  bool isComplete(const std::string &problem) const {
    return done_.count(problem);
  }
  /// The measurements of a problem so far, in the order in which they were
  /// made.
  std::vector<Measurement> rowsOf(const std::string &problem) const;

  /// Writes a measurement to the journal before it returns.
  /// Errors: ResourceLimit when the disk is full, else InvalidArgument
  llvm::Error append(const Measurement &row);
  /// Marks the problem as having all its measurements; the same errors.
  llvm::Error markComplete(const std::string &problem, double noiseFloor);

  struct Totals {
    int64_t rows = 0, valid = 0, noisy = 0;
    double noiseFloor = 0;
  };
  /// Writes old and new rows as Parquet and removes the journal. Rows of
  /// problems without a new measurement stay the same, bit for bit.
  /// Errors: NotFound when there is no row at all; those of writing, which keep
  /// the old file and the journal
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
  /// The lock file of a lane's collection, PATH.journal: held so that no run
  /// other than these ranks starts.
  std::unique_ptr<RecordFile> guard_;
  std::vector<std::string> lanes_;     ///< journals of other lanes that were
                                       ///< read
  bool hasOwnLines_ = false;           ///< whether this journal has
                                       ///< measurements
  std::unique_ptr<ColumnTable> table_; ///< the file's content; null: no file
  std::string settingsText_;
  std::vector<Measurement> rows_; ///< the rows of the table, then of the
                                  ///< journal
  size_t tableRows_ = 0;
  std::vector<Provenance> runs_;
  std::map<std::string, std::vector<size_t>> byProblem_;
  std::set<std::string> done_;
  std::vector<double> floors_;
  int64_t keptRows_ = 0;
};

/// Success when writing a new file to `path` overwrites no measurement.
/// Errors: InvalidArgument when `path` is a data file of `tune collect`
llvm::Error checkOverwrite(llvm::StringRef path);

} // namespace assay::select
