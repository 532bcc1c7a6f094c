// Finds and calls the Arrow adapter (arrow/ParquetModule.cpp), which is in lib/
// beside the program's bin/. A program built without pyarrow has no adapter: it
// refuses Parquet with a message about how to get it, and everything else
// works.
#include "assay/select/Parquet.h"
#include "assay/support/AtomicFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

#include <cmath>

using namespace assay;
using namespace assay::select;

namespace {
using WriteFunction = int (*)(const ColumnTable *, std::string *, char *,
                              size_t);
using ReadFunction = int (*)(const char *, ColumnTable *, char *, size_t);
struct Adapter {
  WriteFunction write;
  ReadFunction read;
};
} // namespace

/// The adapter for a file: in lib beside the file's folder, or beside the
/// folder above (the program is in bin, Python's module in python/assay).
static std::string adapterAbove(llvm::StringRef file) {
  llvm::SmallString<256> folder(file);
  for (int up = 0; up < 3 && llvm::sys::path::has_parent_path(folder); ++up) {
    llvm::sys::path::remove_filename(folder);
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, "lib", "libassay_arrow.so");
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

static llvm::Expected<Adapter> loadAdapter() {
  std::string path =
      adapterAbove(llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  Dl_info self = {};
  llvm::SmallString<256> library; // this code may be part of another program
  if (path.empty() && dladdr(reinterpret_cast<void *>(&loadAdapter), &self) &&
      !llvm::sys::fs::real_path(self.dli_fname, library))
    path = adapterAbove(library);
  if (path.empty())
    return makeError(ErrorCode::Unsupported,
                     "this build has no Parquet: it found no Python package "
                     "pyarrow; run `./dev "
                     "setup`, then `./dev build`");
  void *module =
      dlopen(path.c_str(),
             RTLD_NOW | RTLD_LOCAL); // stays loaded; a second dlopen only
                                     // counts
  if (!module)
    return makeError(ErrorCode::Unsupported,
                     "cannot load the Parquet adapter: {0}; run `./dev setup`, "
                     "then `./dev build`",
                     dlerror());
  Adapter adapter{
      reinterpret_cast<WriteFunction>(dlsym(module, "assay_parquet_write")),
      reinterpret_cast<ReadFunction>(dlsym(module, "assay_parquet_read"))};
  if (!adapter.write || !adapter.read)
    return makeError(ErrorCode::Internal, "'{0}' has no entry points", path);
  return adapter;
}

llvm::Error select::requireParquet() {
  llvm::Expected<Adapter> adapter = loadAdapter();
  return adapter ? llvm::Error::success() : adapter.takeError();
}

llvm::Expected<ColumnTable> select::readParquet(llvm::StringRef path) {
  if (!llvm::sys::fs::exists(path))
    return makeError(ErrorCode::NotFound, "cannot read '{0}': no such file",
                     path);
  llvm::Expected<Adapter> adapter = loadAdapter();
  if (!adapter)
    return adapter.takeError();
  ColumnTable table;
  char why[512];
  if (adapter->read(path.str().c_str(), &table, why, sizeof why))
    return makeError(ErrorCode::DataLoss,
                     "'{0}' is not a whole Parquet file: {1}", path, why);
  table.origins = {{path.str(), 0}};
  return table;
}

llvm::Error select::writeParquet(const ColumnTable &table,
                                 llvm::StringRef path) {
  llvm::Expected<Adapter> adapter = loadAdapter();
  if (!adapter)
    return adapter.takeError();
  std::string bytes;
  char why[512];
  if (adapter->write(&table, &bytes, why, sizeof why))
    return makeError(ErrorCode::Internal, "cannot make '{0}': {1}", path, why);
  llvm::Expected<std::unique_ptr<AtomicFile>> file =
      AtomicFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = (*file)->write(bytes.data(), bytes.size()))
    return error;
  if (llvm::Error error = (*file)->sync())
    return error;
  return (*file)->commit();
}

static llvm::Expected<std::vector<std::string>>
listFiles(llvm::StringRef path) {
  if (!llvm::sys::fs::exists(path))
    return makeError(ErrorCode::NotFound,
                     "cannot read '{0}': no such file or folder", path);
  if (!llvm::sys::fs::is_directory(path))
    return std::vector<std::string>{path.str()};
  std::vector<std::string> files;
  std::error_code code;
  for (llvm::sys::fs::recursive_directory_iterator it(path, code), end;
       it != end && !code; it.increment(code))
    if (llvm::StringRef(it->path()).ends_with(".parquet") &&
        !llvm::sys::fs::is_directory(it->path()))
      files.push_back(it->path());
  if (files.empty())
    return makeError(ErrorCode::NotFound,
                     "'{0}' holds no .parquet file; `assay tune collect` and "
                     "`convert` write them",
                     path);
  llvm::sort(files);
  return files;
}

ColumnTable select::takeRows(const ColumnTable &table,
                             llvm::ArrayRef<size_t> rows) {
  ColumnTable out;
  out.rows = static_cast<int64_t>(rows.size());
  auto take = [&](const auto &from, auto &to) {
    if (!from.empty())
      for (size_t row : rows)
        to.push_back(from[row]);
  };
  for (const Column &column : table.columns) {
    Column &copy = out.add(column.name, column.type);
    take(column.numbers, copy.numbers);
    take(column.integers, copy.integers);
    take(column.texts, copy.texts);
  }
  return out;
}

/// Converts the column to floating-point numbers.
static void makeFloat(Column &column) {
  if (column.type == ColumnType::Float)
    return;
  column.numbers.assign(column.integers.begin(), column.integers.end());
  column.integers.clear();
  column.type = ColumnType::Float;
}

/// A column like `model` in which every row lacks a value.
static Column missingColumn(const Column &model, int64_t rows) {
  Column column{model.name, model.type, {}, {}, {}};
  if (model.type == ColumnType::Text) {
    column.texts.resize(rows);
  } else {
    column.type = ColumnType::Float;
    column.numbers.assign(rows, std::nan(""));
  }
  return column;
}

void select::appendTable(ColumnTable &all, const ColumnTable &more) {
  auto isText = [](const Column &column) {
    return column.type == ColumnType::Text;
  };
  for (const Column &column : more.columns)
    if (!all.find(column.name))
      all.columns.push_back(missingColumn(column, all.rows));
  llvm::erase_if(all.columns, [&](const Column &column) {
    const Column *other = more.find(column.name);
    return other && isText(*other) != isText(column);
  });
  for (Column &column : all.columns) {
    const Column *found = more.find(column.name);
    Column other = found ? *found : missingColumn(column, more.rows);
    if (other.type != column.type) {
      makeFloat(column);
      makeFloat(other);
    }
    column.numbers.insert(column.numbers.end(), other.numbers.begin(),
                          other.numbers.end());
    column.integers.insert(column.integers.end(), other.integers.begin(),
                           other.integers.end());
    column.texts.insert(column.texts.end(), other.texts.begin(),
                        other.texts.end());
  }
  for (const ColumnTable::Origin &origin : more.origins)
    all.origins.push_back({origin.file, all.rows + origin.first});
  all.rows += more.rows;
}

llvm::Expected<ColumnTable> select::readParquetFolder(llvm::StringRef path) {
  llvm::Expected<std::vector<std::string>> files = listFiles(path);
  if (!files)
    return files.takeError();
  ColumnTable all;
  for (size_t i = 0; i < files->size(); ++i) {
    llvm::Expected<ColumnTable> table = readParquet((*files)[i]);
    if (!table)
      return table.takeError();
    if (i == 0)
      all = std::move(*table);
    else
      appendTable(all, *table);
  }
  return all;
}
