/// LightGBM's text format, version 4: reading and writing, plain or gzip. A
/// damaged file is refused with the line that is wrong; a model that was read
/// can be evaluated without further checks.
#pragma once

#include "assay/select/Tree.h"
#include "assay/support/Error.h"

#include "llvm/ADT/StringRef.h"

namespace assay::select {

/// How much of a model is read: everything, or only what a prediction needs
/// (gains, weights, counts and inner values stay zero, which halves the time).
enum class ModelDetail { All, Prediction };

/// Parses a model. `name` is for messages.
/// Errors:   DataLoss for truncated or inconsistent text (counts, child links,
/// indices, numbers that are not finite);
///           Unsupported for several classes, linear leaves and objectives that
///           transform the sum
llvm::Expected<TreeModel> parseLightGbm(llvm::StringRef text,
                                        llvm::StringRef name,
                                        ModelDetail detail = ModelDetail::All);

/// A text that LightGBM itself can load: header, tree sizes, trees,
/// importances, parameters. Numbers have 17 digits, so that reading them back
/// gives the same bits.
std::string printLightGbm(const TreeModel &model);

/// Reads a model from a file. Inflates it (to at most 1 GiB) if its name ends
/// in .gz or its content begins like gzip.
llvm::Expected<TreeModel> readLightGbm(llvm::StringRef path,
                                       ModelDetail detail = ModelDetail::All);

/// Writes the model; gzip with a fixed header (no time stamp) when the name
/// ends in .gz. The file appears whole or not at all.
llvm::Error writeLightGbm(const TreeModel &model, llvm::StringRef path);

/// Reads a whole file, inflated as above; used for models and for CK Tile's
/// data.
llvm::Expected<std::string> readMaybeGzip(llvm::StringRef path);
/// Writes content to a temporary file beside `path` and renames it; compresses
/// when the name ends in .gz.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef content);
/// folder/name.
std::string inside(llvm::StringRef folder, const llvm::Twine &name);

} // namespace assay::select
