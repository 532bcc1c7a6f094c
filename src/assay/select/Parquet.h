/// Parquet files through the Arrow adapter, a module that is loaded on first
/// use.
#pragma once

#include "assay/select/ColumnTable.h"
#include "assay/support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace assay::select {

/// Reads all columns of numbers, truth values and text.
/// Errors:   NotFound (no file), DataLoss (not a whole Parquet file),
/// Unsupported (built without pyarrow)
llvm::Expected<ColumnTable> readParquet(llvm::StringRef path);

/// Success when this build can read and write Parquet; asked before long work.
llvm::Error requireParquet();

/// Writes the table (zstd) to a temporary file, syncs it to the disk and
/// renames it: the file appears whole or not at all.
/// Errors: those of AtomicFile; Unsupported (built without pyarrow)
llvm::Error writeParquet(const ColumnTable &table, llvm::StringRef path);

/// All tables of a folder (its *.parquet files, sorted, at any depth) or of one
/// file, joined in that order by appendTable().
/// Errors: NotFound when there is none, with what was searched for
llvm::Expected<ColumnTable> readParquetFolder(llvm::StringRef path);

/// The rows with these numbers, with all columns and no metadata.
ColumnTable takeRows(const ColumnTable &table, llvm::ArrayRef<size_t> rows);

/// Appends the rows of `more`. A column that one of the two lacks is missing
/// (NaN, or no text) in its rows; numbers of two kinds become Float; a column
/// that is text in only one of them is dropped.
void appendTable(ColumnTable &all, const ColumnTable &more);

} // namespace assay::select
