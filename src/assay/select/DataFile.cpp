// Nothing is lost, however a run ends. A run that ends by itself (last problem,
// budget, Ctrl-C) writes old and new rows to a fresh Parquet file, renames it
// over the old one, and only then removes the journal. A run that is killed, or
// that finds the disk full, leaves the old Parquet file and a journal whose
// last line may be cut; the next run removes that line and continues. Rows that
// are in both (after a kill between rename and removal) count once. A lock on
// the journal keeps a second run out; ranks that share a collection hold the
// lock together.
#include "assay/select/DataFile.h"
#include "assay/select/Parquet.h"
#include "assay/support/Json.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <unistd.h>

using namespace assay;
using namespace assay::select;

static constexpr const char *kSettingsKey = "assay_settings";
static constexpr const char *kIncompleteKey = "assay_incomplete";

/// The path itself, or, if it is a folder, the file of these settings in it.
static llvm::Expected<std::string> pathOf(llvm::StringRef path,
                                          const std::string &settingsText) {
  namespace fs = llvm::sys::fs;
  if (fs::exists(path) && !fs::is_directory(path) && !fs::is_regular_file(path))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is not a regular file, so that it cannot grow", path);
  if (!fs::is_directory(path))
    return path.str();
  llvm::SmallString<256> inside(path);
  llvm::sys::path::append(
      inside, "part-" +
                  llvm::utohexstr(llvm::xxh3_64bits(settingsText), true, 16) +
                  ".parquet");
  return inside.str().str();
}

static constexpr const char *kLaneMark = ".rank";

/// "run.parquet.rank3.journal".
static std::string lanePath(llvm::StringRef path, int lane) {
  return llvm::formatv("{0}{1}{2}.journal", path, kLaneMark, lane).str();
}

static llvm::Error otherSettings(llvm::StringRef path,
                                 const CollectSettings &stored,
                                 const CollectSettings &now) {
  if (stored == now)
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' holds measurements with other settings: {1}; repeat "
                   "those, or choose another output",
                   path, stored.differencesTo(now));
}

llvm::Error DataFile::openJournal() {
  using Kind = DataFileAccess::Kind;
  auto open = [&](const std::string &path, RecordFile::Writers writers,
                  std::unique_ptr<RecordFile> &file) -> llvm::Error {
    auto opened = RecordFile::open(
        path, writers,
        llvm::formatv("another run writes to '{0}' at this moment; wait for "
                      "its end, or choose another output",
                      path_)
            .str());
    if (!opened)
      return opened.takeError();
    file = std::move(*opened);
    return llvm::Error::success();
  };
  if (llvm::Error error =
          open(path_ + ".journal",
               access_.kind == Kind::Alone ? RecordFile::Writers::One
                                           : RecordFile::Writers::Group,
               access_.kind == Kind::Lane ? guard_ : journal_))
    return error;
  return access_.kind == Kind::Lane ? open(lanePath(path_, access_.lane),
                                           RecordFile::Writers::One, journal_)
                                    : llvm::Error::success();
}

llvm::Error DataFile::readTable(const CollectSettings &settings) {
  if (!llvm::sys::fs::exists(path_))
    return llvm::Error::success();
  llvm::Expected<ColumnTable> table = readParquet(path_);
  if (!table)
    return table.takeError();
  llvm::Expected<llvm::json::Value> value =
      parseJson(table->metadata[kSettingsKey]);
  std::optional<CollectSettings> stored;
  if (value)
    stored = CollectSettings::fromJson(*value);
  else
    llvm::consumeError(value.takeError());
  if (!stored)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' does not say the settings that its rows were "
                     "measured with, so that it cannot grow; choose another "
                     "output",
                     path_);
  if (llvm::Error error = otherSettings(path_, *stored, settings))
    return error;
  llvm::Expected<StoredRows> rows = fromTable(*table);
  if (!rows)
    return addContext(rows.takeError(), "'" + path_ + "'");
  rows_ = std::move(rows->rows);
  runs_ = std::move(rows->runs);
  for (const Measurement &row : rows_)
    done_.insert(problemKey(row));
  llvm::SmallVector<llvm::StringRef> incomplete;
  llvm::StringRef(table->metadata[kIncompleteKey]).split(incomplete, ';');
  for (llvm::StringRef problem : incomplete)
    done_.erase(problem.str());
  table_ = std::make_unique<ColumnTable>(std::move(*table));
  return llvm::Error::success();
}

llvm::Error DataFile::readJournal(const CollectSettings &settings) {
  llvm::Expected<Journal> journal =
      parseJournal(journal_->found(), journal_->path());
  if (!journal)
    return journal.takeError();
  hasOwnLines_ = !journal->rows.empty();
  return takeIn(std::move(*journal), journal_->path(), settings);
}

llvm::Error DataFile::takeIn(Journal journal, llvm::StringRef path,
                             const CollectSettings &settings) {
  if (!journal.isEmpty)
    if (llvm::Error error = otherSettings(path, journal.settings, settings))
      return error;
  for (Measurement &row : journal.rows) {
    row.run = static_cast<int32_t>(runs_.size()) - 1;
    rows_.push_back(std::move(row));
  }
  done_.insert(journal.done.begin(), journal.done.end());
  llvm::append_range(floors_, journal.noiseFloors);
  return llvm::Error::success();
}

/// The journals of lanes beside a data file.
static std::vector<std::string> lanesBeside(llvm::StringRef path) {
  std::vector<std::string> found;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  std::error_code code;
  for (llvm::sys::fs::directory_iterator
           at(folder.empty() ? "." : folder, code),
       end;
       at != end && !code; at.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(at->path());
    int lane = 0;
    if (name.consume_front(llvm::sys::path::filename(path)) &&
        name.consume_front(kLaneMark) && name.consume_back(".journal") &&
        !name.getAsInteger(10, lane))
      found.push_back(lanePath(path, lane));
  }
  llvm::sort(found);
  return found;
}

llvm::Error DataFile::readLanes(const CollectSettings &settings) {
  for (const std::string &lane : lanesBeside(path_)) {
    if (lane == journal_->path())
      continue;
    llvm::Expected<std::string> text = readRecords(lane);
    if (!text)
      return text.takeError();
    llvm::Expected<Journal> journal = parseJournal(*text, lane);
    if (!journal)
      return journal.takeError();
    if (llvm::Error error = takeIn(std::move(*journal), lane, settings))
      return error;
    lanes_.push_back(lane);
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<DataFile>>
DataFile::open(llvm::StringRef path, const CollectSettings &settings,
               const Provenance &provenance, DataFileAccess access) {
  std::unique_ptr<DataFile> file(new DataFile());
  file->access_ = access;
  file->settingsText_ =
      llvm::formatv("{0}", llvm::json::Value(settings.toJson())).str();
  llvm::Expected<std::string> resolved = pathOf(path, file->settingsText_);
  if (!resolved)
    return resolved.takeError();
  file->path_ = std::move(*resolved);
  if (llvm::Error error = file->openJournal())
    return error;
  if (llvm::Error error = file->readTable(settings))
    return error;
  file->tableRows_ = file->rows_.size();
  file->runs_.push_back(provenance);
  if (llvm::Error error = file->readJournal(settings))
    return error;
  if (llvm::Error error = file->readLanes(settings))
    return error;
  file->keptRows_ = static_cast<int64_t>(file->rows_.size());
  for (size_t i = 0; i < file->rows_.size(); ++i)
    file->byProblem_[problemKey(file->rows_[i])].push_back(i);
  if (file->journal_->isEmpty())
    if (llvm::Error error = file->journal_->append(journalLine(settings)))
      return error;
  return file;
}

DataFile::~DataFile() {
  if (journal_) {
    if (access_.kind == DataFileAccess::Kind::Lane && !hasOwnLines_)
      journal_->remove();      // others made all measurements
    journal_->removeIfEmpty(); // an error came before the first line
  }
  if (guard_)
    guard_->removeIfEmpty();
}

std::vector<Measurement> DataFile::rowsOf(const std::string &problem) const {
  std::vector<Measurement> rows;
  auto found = byProblem_.find(problem);
  if (found != byProblem_.end())
    for (size_t i : found->second)
      rows.push_back(rows_[i]);
  return rows;
}

llvm::Error DataFile::append(const Measurement &row) {
  if (llvm::Error error = journal_->append(journalLine(row)))
    return error;
  hasOwnLines_ = true;
  byProblem_[problemKey(row)].push_back(rows_.size());
  rows_.push_back(row);
  rows_.back().run = static_cast<int32_t>(runs_.size()) - 1;
  return llvm::Error::success();
}

llvm::Error DataFile::markComplete(const std::string &problem,
                                   double noiseFloor) {
  if (llvm::Error error =
          journal_->append(journalDoneLine(problem, noiseFloor)))
    return error;
  done_.insert(problem);
  if (noiseFloor > 0)
    floors_.push_back(noiseFloor);
  return llvm::Error::success();
}

/// The median of the journal's noise floors, or the file's floor if it is
/// larger.
double DataFile::noiseFloor() const {
  double floor = 0;
  if (table_ && table_->metadata.count("noise_floor"))
    llvm::StringRef(table_->metadata.at("noise_floor")).getAsDouble(floor);
  if (floors_.empty())
    return floor;
  std::vector<double> floors = floors_;
  auto middle = floors.begin() + floors.size() / 2;
  std::nth_element(floors.begin(), middle, floors.end());
  return std::max(floor, *middle);
}

/// The table's rows of problems without a new measurement, then all rows of the
/// other problems, with their times derived from all of these rows.
ColumnTable DataFile::merged() const {
  std::set<std::string> touched;
  for (size_t i = tableRows_; i < rows_.size(); ++i)
    touched.insert(problemKey(rows_[i]));
  std::vector<Measurement> fresh;
  std::vector<size_t> unchanged;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (touched.count(problemKey(rows_[i])))
      fresh.push_back(rows_[i]);
    else
      unchanged.push_back(i);
  }
  ColumnTable table = toTable(fresh, runs_, noiseFloor());
  if (!unchanged.empty() && fresh.empty()) {
    std::map<std::string, std::string> metadata = table.metadata;
    table = takeRows(*table_, unchanged);
    table.metadata = metadata;
  } else if (!unchanged.empty()) {
    appendTable(table, takeRows(*table_, unchanged));
  }
  std::vector<std::string> incomplete;
  for (const auto &[problem, indices] : byProblem_)
    if (!done_.count(problem))
      incomplete.push_back(problem);
  table.metadata[kSettingsKey] = settingsText_;
  table.metadata[kIncompleteKey] = llvm::join(incomplete, ";");
  return table;
}

void DataFile::removeJournals() const {
  journal_->remove();
  for (const std::string &lane : lanes_)
    ::unlink(lane.c_str());
}

llvm::Expected<DataFile::Totals> DataFile::finish() {
  if (rows_.empty()) {
    removeJournals();
    return makeError(ErrorCode::NotFound,
                     "nothing was measured: the budget or an interrupt came "
                     "before the first kernel");
  }
  ColumnTable table = merged();
  if (llvm::Error error = writeParquet(table, path_))
    return addContext(std::move(error), "all measurements are kept in '" +
                                            journal_->path() +
                                            "' and go on from there");
  removeJournals();
  Totals totals;
  totals.rows = table.rows;
  totals.noiseFloor = noiseFloor();
  const Column *valid = table.find("is_valid"), *noisy = table.find("is_noisy");
  for (int64_t i = 0; i < table.rows; ++i) {
    totals.valid += valid->integers[i];
    totals.noisy += noisy->integers[i];
  }
  return totals;
}

llvm::Error select::checkOverwrite(llvm::StringRef path) {
  bool measured = llvm::sys::fs::exists(path + ".journal");
  if (!measured && llvm::sys::fs::is_regular_file(path)) {
    llvm::Expected<ColumnTable> table = readParquet(path);
    if (table)
      measured = table->metadata.count(kSettingsKey);
    else
      llvm::consumeError(table.takeError());
  }
  if (!measured)
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' holds measurements of `tune collect`, which are not "
                   "overwritten; choose another output",
                   path);
}
