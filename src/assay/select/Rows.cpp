// What a row of a data set must say. Features are arithmetic on whatever stands
// in the columns: a fractional size, an unknown type or a made-up kernel would
// train a model without a word, so each is refused here, by the row's own
// number in its own file.
#include "assay/select/Rows.h"
#include "assay/select/ConvFeatures.h"
#include "assay/select/CkConv.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace assay;
using namespace assay::select;

static std::string shortText(double value) {
  return llvm::formatv("{0}", llvm::format("%g", value)).str();
}

std::string Rows::place(size_t row) const {
  const ColumnTable::Origin *origin = nullptr;
  for (const ColumnTable::Origin &each : table_.origins)
    if (each.first <= static_cast<int64_t>(row))
      origin = &each;
  if (!origin)
    return ("row " + llvm::Twine(row) + " of the data set").str();
  return llvm::formatv("'{0}' row {1}", origin->file,
                       static_cast<int64_t>(row) - origin->first)
      .str();
}

static llvm::Error need(const Rows &rows, llvm::ArrayRef<const char *> names,
                        bool text) {
  for (const char *name : names) {
    if (!rows.has(name))
      return makeError(ErrorCode::InvalidArgument,
                       "the data set has no column '{0}'; `assay tune collect` "
                       "and `assay tune convert` write all of them",
                       name);
    if (rows.isText(name) != text)
      return makeError(ErrorCode::InvalidArgument,
                       "the data set's column '{0}' is {1}, expected {2}", name,
                       text ? "numbers" : "text", text ? "text" : "numbers");
  }
  return llvm::Error::success();
}

llvm::Error select::needColumns(const Rows &rows) {
  if (llvm::Error error =
          need(rows, {"op_type", "dtype", "layout", "kernel_name"}, true))
    return error;
  return need(rows,
              {"measured_tflops", "latency_ms", "bandwidth_gb_s", "is_valid"},
              false);
}

static constexpr const char *kTile[] = {
    "tile_m", "tile_n",      "tile_k",      "warp_m",     "warp_n",
    "warp_k", "warp_tile_m", "warp_tile_n", "warp_tile_k"};
static constexpr const char *kConvTile[] = {"block_size", "gemm_m_per_block",
                                            "gemm_n_per_block"};

llvm::Error select::needColumnsOf(const Rows &rows, llvm::StringRef op) {
  if (isConvOp(op)) {
    if (llvm::Error error = need(rows, {"problem"}, true))
      return error;
    return need(rows, {"threads"}, false);
  }
  if (op == kCkConvOp) {
    if (llvm::Error error = need(rows, {"variant"}, true))
      return error;
    if (llvm::Error error =
            need(rows, {"N", "C", "K", "G", "Hi", "Wi", "Y", "X"}, false))
      return error;
    return need(rows, kConvTile, false);
  }
  if (llvm::Error error = need(rows, {"m", "n", "k"}, false))
    return error;
  return op == "gemm" ? llvm::Error::success() : need(rows, kTile, false);
}

static llvm::Error wrong(const Rows &rows, size_t row, llvm::StringRef column,
                         const llvm::Twine &got, llvm::StringRef expected) {
  return makeError(ErrorCode::InvalidArgument,
                   "{0} has {1} = {2}, expected {3}", rows.place(row), column,
                   got, expected);
}

/// A whole number from `least`; columns that are not there say nothing.
static llvm::Error checkWhole(const Rows &rows, size_t row,
                              llvm::ArrayRef<const char *> columns,
                              double least = 1) {
  for (const char *column : columns) {
    if (!rows.has(column))
      continue;
    if (rows.isText(column))
      return wrong(rows, row, column,
                   "'" + rows.text(column, row).take_front(40) + "'",
                   "a number");
    double value = rows.number(column, row, std::nan(""));
    if (!(value >= least && value < 9e15 && value == std::floor(value)))
      return wrong(rows, row, column, shortText(value),
                   "a whole number from " + shortText(least));
  }
  return llvm::Error::success();
}

/// A type and a kernel of CK Tile, as `parse` reads its name.
template <typename Parse>
static llvm::Error checkCkWords(const Rows &rows, size_t row, Parse parse) {
  llvm::StringRef dtype = rows.text("dtype", row);
  if (!ckElementBytes(dtype))
    return wrong(rows, row, "dtype", "'" + dtype.take_front(40) + "'",
                 kCkTypes);
  auto name = parse(rows.text("kernel_name", row));
  if (!name)
    return addContext(name.takeError(), rows.place(row));
  return llvm::Error::success();
}

static llvm::Error checkCkGemm(const Rows &rows, size_t row) {
  if (llvm::Error error = checkCkWords(rows, row, parseCkName))
    return error;
  llvm::StringRef layout = rows.text("layout", row);
  if (!kernels::parseLayout(layout))
    return wrong(rows, row, "layout", "'" + layout.take_front(40) + "'",
                 "rcr, rrr, crr or ccr");
  if (llvm::Error error = checkWhole(rows, row, kTile))
    return error;
  if (llvm::Error error = checkWhole(rows, row, {"split_k"}))
    return error;
  return checkWhole(rows, row, {"pad_m", "pad_n", "pad_k", "persistent"}, 0);
}

static llvm::Error checkCkConv(const Rows &rows, size_t row) {
  if (llvm::Error error = checkCkWords(rows, row, parseCkConvName))
    return error;
  if (llvm::Error error = checkWhole(
          rows, row, {"N", "C", "K", "G", "Di", "Hi", "Wi", "Z", "Y", "X"}))
    return error;
  if (llvm::Error error =
          checkWhole(rows, row,
                     {"stride_d", "stride_h", "stride_w", "dilation_d",
                      "dilation_h", "dilation_w"}))
    return error;
  if (llvm::Error error = checkWhole(rows, row, kConvTile))
    return error;
  return checkWhole(rows, row, {"pad_d", "pad_h", "pad_w"}, 0);
}

llvm::Error select::checkRow(const Rows &rows, size_t row, llvm::StringRef op) {
  llvm::Error error =
      op == kCkConvOp ? checkCkConv(rows, row)
      : isConvOp(op)
          ? checkWhole(rows, row, {"threads"})
          : checkWhole(rows, row, {"m", "n", "k", "batch", "threads"});
  if (!error && op == "gemm_universal")
    error = checkCkGemm(rows, row);
  if (error || rows.integer("is_valid", row, 0) == 0)
    return error;
  for (const char *label :
       {"measured_tflops", "latency_ms", "bandwidth_gb_s"}) {
    double value = rows.number(label, row, std::nan(""));
    if (!std::isfinite(value) || value <= 0)
      return makeError(ErrorCode::InvalidArgument,
                       "{0} (kernel '{1}') is valid but has {2} = {3}, "
                       "expected a positive number",
                       rows.place(row), rows.text("kernel_name", row), label,
                       shortText(value));
  }
  return llvm::Error::success();
}
