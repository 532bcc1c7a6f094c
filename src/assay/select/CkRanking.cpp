// CK Tile's kernels are only names here. A name holds the whole configuration,
// the features follow from it and the problem in f64, and the score is the
// plain sum of the trees, so that the picks equal those of LightGBM on CK
// Tile's features.
#include "assay/select/CkRanking.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Parquet.h"
#include "assay/select/Rows.h"
#include "assay/support/ByteOrderMark.h"
#include "assay/support/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace assay;
using namespace assay::select;

llvm::Expected<bool> select::isCkModel(const std::string &modelDir) {
  llvm::Expected<Model> model = loadDescription(modelDir);
  if (!model)
    return model.takeError();
  const std::string &op = model->spec.subject.op;
  return model->spec.published || !findLocal(op);
}

/// The names of the kernels in a file. From a table, only those with the
/// model's operation and, where both state one, its direction.
static llvm::Expected<std::set<std::string>> readNames(const std::string &path,
                                                       const Subject &subject) {
  std::set<std::string> names;
  bool isTable = llvm::sys::fs::is_directory(path) ||
                 llvm::StringRef(path).ends_with(".parquet");
  if (!isTable) {
    llvm::Expected<std::string> text = readMaybeGzip(path);
    if (!text)
      return text.takeError();
    llvm::SmallVector<llvm::StringRef> lines;
    withoutByteOrderMark(*text).split(lines, '\n');
    for (llvm::StringRef line : lines)
      if (llvm::StringRef name = line.trim(); !name.empty())
        names.insert(name.str());
    return names;
  }
  llvm::Expected<ColumnTable> table = readParquetFolder(path);
  if (!table)
    return table.takeError();
  const Column *column = table->find("kernel_name");
  if (!column || column->type != ColumnType::Text)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' has no column 'kernel_name' of text", path);
  Rows rows(*table);
  bool anyOp = false;
  for (size_t i = 0; i < column->texts.size(); ++i) {
    bool isOp = !rows.has("op_type") || rows.text("op_type", i) == subject.op;
    std::string direction = plainDirection(rows.text("variant", i));
    bool isDirection = subject.variant.empty() || direction.empty() ||
                       direction == subject.variant;
    anyOp |= isOp;
    if (isOp && isDirection)
      names.insert(column->texts[i]);
  }
  if (names.empty())
    return makeError(ErrorCode::NotFound,
                     "'{0}' holds {1} rows, none of them of op '{2}'{3}", path,
                     column->texts.size(), subject.op,
                     anyOp ? " and direction '" + subject.variant + "'" : "");
  return names;
}

/// The place of the candidates when the user names none.
static llvm::Expected<std::string> placeOf(const std::string &modelDir,
                                           const std::string &candidates) {
  if (!candidates.empty())
    return candidates;
  llvm::SmallString<256> path(modelDir);
  if (std::error_code code = llvm::sys::fs::make_absolute(path))
    return makeError(ErrorCode::NotFound, "'{0}': {1}", modelDir,
                     code.message());
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  std::string beside = inside(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(path)), "data");
  if (llvm::sys::fs::is_directory(beside))
    return beside;
  return makeError(
      ErrorCode::NotFound,
      "the model '{0}' ranks kernels of CK Tile, and '{1}' does not exist; "
      "name them with --candidates: a converted .parquet, or a file with one "
      "kernel name per line",
      modelDir, beside);
}

static CkGemm gemmOf(const CkProblem &problem, llvm::StringRef dtype,
                     const CkKernelName &name) {
  CkGemm g;
  g.m = static_cast<double>(problem.m);
  g.n = static_cast<double>(problem.n);
  g.k = static_cast<double>(problem.k);
  g.splitK = static_cast<double>(problem.splitK);
  g.size = ckBytesOrTwo(dtype);
  g.layout = ckLayout(problem.layout);
  for (int side = 0; side < 3; ++side) {
    g.tile[side] = static_cast<double>(name.tile[side]);
    g.warp[side] = static_cast<double>(name.warp[side]);
    g.warpTile[side] = static_cast<double>(name.warpTile[side]);
    g.pad[side] = name.pad[side];
  }
  g.pipeline = ckPipeline(name.pipeline);
  g.scheduler = ckScheduler(name.scheduler);
  g.epilogue = ckEpilogue(name.epilogue);
  g.persistent = name.persistent;
  return g;
}

/// The model, if it ranks CK Tile's kernels for such a problem.
static llvm::Expected<Model> openCkModel(const std::string &modelDir,
                                         const CkProblem &problem) {
  llvm::Expected<Model> model = loadModel(modelDir);
  if (!model)
    return model;
  if (llvm::Error error = checkSchema(*model))
    return error;
  if (!model->rankingTarget())
    return makeError(ErrorCode::NotFound,
                     "the model '{0}' has no model_tflops.lgbm[.gz], which "
                     "ranks kernels",
                     modelDir);
  const std::string &dtype = model->spec.subject.dtype;
  if (!problem.dtype.empty() && plainDtype(problem.dtype) != plainDtype(dtype))
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' is for {1}, expected {2}", modelDir,
                     dtype, problem.dtype);
  if ((model->spec.subject.op == "grouped_conv") != problem.conv.has_value())
    return makeError(ErrorCode::InvalidArgument,
                     problem.conv ? "the model '{0}' is of products: name one "
                                    "by --m, --n and --k"
                                  : "the model '{0}' is of convolutions: name "
                                    "one by --problem, such as "
                                    "mb2ic64ih56oc64kh3ph1",
                     modelDir);
  return model;
}

namespace {
/// Computes the feature rows of one problem's kernels from their names.
class KernelRows {
public:
  KernelRows(const CkProblem &problem, const Model &model)
      : problem_(problem), dtype_(model.spec.subject.dtype),
        variant_(model.spec.subject.variant),
        hardware_(model.spec.hardware.value_or(
            CkHardware::of(model.spec.subject.arch))) {
    if (problem_.conv)
      problem_.conv->size = ckBytesOrTwo(dtype_);
  }

  /// nullopt: the kernel is of another operation, type, layout or number of
  /// dimensions.
  llvm::Expected<std::optional<std::vector<double>>> of(llvm::StringRef name) {
    if (isForAnother(name))
      return std::nullopt;
    if (problem_.conv)
      return ofConvolution(name);
    llvm::Expected<CkKernelName> parts = parseCkName(name);
    if (!parts)
      return parts.takeError();
    if (plainDtype(parts->dtype) != plainDtype(dtype_) ||
        parts->layout != problem_.layout)
      return std::nullopt;
    return ckRow(gemmOf(problem_, dtype_, *parts), hardware_);
  }

  const CkHardware &hardware() const { return hardware_; }

private:
  /// True for a kernel of the other operation: a list may name kernels of both.
  bool isForAnother(llvm::StringRef name) const {
    bool isConv = name.starts_with("grouped_conv_"),
         isGemm = name.starts_with("gemm_") || name.starts_with("benchmark_");
    return problem_.conv ? isGemm : isConv;
  }
  llvm::Expected<std::optional<std::vector<double>>>
  ofConvolution(llvm::StringRef name) {
    llvm::Expected<CkConvName> parts = parseCkConvName(name);
    if (!parts)
      return parts.takeError();
    std::string variant = plainDirection(parts->variant);
    if (variant_.empty())
      variant_ = variant;
    if (variant != variant_)
      return makeError(ErrorCode::InvalidArgument,
                       "the candidates are convolutions of '{0}' and '{1}'; a "
                       "model is of one direction, which --direction names",
                       variant_, variant);
    if (plainDtype(parts->dtype) != plainDtype(dtype_) ||
        (parts->dimensions == 3) != problem_.conv->is3d())
      return std::nullopt;
    return ckConvRow(*problem_.conv, CkConvKernel::of(*parts), hardware_);
  }

  CkProblem problem_;
  std::string dtype_;
  std::string variant_; ///< the model's direction, or that of the first name
  CkHardware hardware_;
};
} // namespace

/// Sets the requested direction where the model states none.
static llvm::Error setDirection(Model &model, const std::string &asked) {
  std::string &own = model.spec.subject.variant;
  if (asked.empty())
    return llvm::Error::success();
  std::optional<std::string> direction = ckDirection(asked);
  if (!direction)
    return makeError(ErrorCode::InvalidArgument,
                     "--direction is '{0}', expected forward, bwd_data or "
                     "bwd_weight",
                     asked);
  if (!own.empty() && own != *direction)
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' is for direction {1}, expected {2}",
                     model.folder, own, *direction);
  own = *direction;
  return llvm::Error::success();
}

static std::string nameOf(const CkProblem &problem) {
  if (problem.conv)
    return problem.dtype + " " + problem.conv->key();
  return llvm::formatv("{0} {1} {2}x{3}x{4}", problem.dtype, problem.layout,
                       problem.m, problem.n, problem.k)
      .str();
}

/// Returns the features of a kernel, from any source of its configuration.
using RowOf =
    llvm::function_ref<llvm::Expected<std::optional<std::vector<double>>>(
        const std::string &name, size_t place)>;

/// Scores the kernels that have features, best first.
static llvm::Expected<CkRankingReport>
rankNames(const Model &model, const CkProblem &problem,
          llvm::ArrayRef<std::string> names, RowOf rowOf) {
  CkRankingReport report;
  report.problem = problem;
  report.problem.dtype = model.spec.subject.dtype;
  Target target = *model.rankingTarget();
  for (size_t i = 0; i < names.size(); ++i) {
    auto row = rowOf(names[i], i);
    if (!row)
      return row.takeError();
    if (!*row) {
      ++report.others;
      continue;
    }
    RankingReport::Row out{names[i], model.score(target, **row), {}};
    for (const auto &[each, trees] : model.trees)
      out.predicted[each] = model.predict(each, **row);
    report.rows.push_back(std::move(out));
  }
  report.candidates = report.rows.size();
  llvm::stable_sort(report.rows, [](const auto &a, const auto &b) {
    return a.score > b.score;
  });
  return report;
}

static llvm::Error noneFits(const CkRankingReport &report,
                            llvm::StringRef place, size_t names) {
  const CkProblem &problem = report.problem;
  return makeError(ErrorCode::NotFound,
                   "{0} names {1} kernels, none of them of {2} {3}", place,
                   names, problem.dtype,
                   !problem.conv          ? problem.layout
                   : problem.conv->is3d() ? "in 3d"
                                          : "in 2d");
}

/// The features of each row of a table that holds problems and kernels in the
/// columns of CK Tile's data sets. Errors: those of the space's checks
static llvm::Expected<std::vector<std::vector<double>>>
featuresOfAll(const ColumnTable &table, llvm::StringRef op,
              const CkHardware &hardware) {
  Rows rows(table);
  const KernelSpace &space = *findSpace(op);
  if (llvm::Error error = space.needColumns(rows))
    return error;
  std::vector<std::vector<double>> features(static_cast<size_t>(table.rows));
  for (size_t i = 0; i < features.size(); ++i) {
    if (llvm::Error error = checkRow(rows, i, space))
      return error;
    if (llvm::Error error =
            space.featuresIn(rows, i, {{}, hardware}).moveInto(features[i]))
      return error;
  }
  return features;
}

llvm::Expected<CkRankingReport>
select::rankCkConfigs(const std::string &modelDir, const CkProblem &problem,
                      const ColumnTable &configs) {
  llvm::Expected<Model> model = openCkModel(modelDir, problem);
  if (!model)
    return model.takeError();
  const Column *names = configs.find("kernel_name");
  if (!names || names->type != ColumnType::Text)
    return makeError(ErrorCode::InvalidArgument,
                     "the configurations have no kernel_name");
  KernelRows byName(problem, *model);
  ColumnTable table = configs;
  for (const auto &[column, text] :
       {std::pair("dtype", &model->spec.subject.dtype),
        {"variant", &model->spec.subject.variant}})
    if (!table.find(column))
      table.add(column, ColumnType::Text).texts.assign(table.rows, *text);
  std::vector<std::vector<double>> features;
  if (configs.find(problem.conv ? "block_size" : "tile_m"))
    if (llvm::Error error =
            featuresOfAll(table, model->spec.subject.op, byName.hardware())
                .moveInto(features))
      return error;
  auto report = rankNames(
      *model, problem, names->texts, [&](const std::string &name, size_t i) {
        auto row = byName.of(name); // also reports another type
        if (row && *row && !features.empty())
          **row = features[i];
        return row;
      });
  if (report && report->rows.empty())
    return noneFits(*report, "the list of configurations", names->texts.size());
  return report;
}

llvm::Expected<CkRankingReport>
select::rankCkKernels(const std::string &modelDir, const CkProblem &problem,
                      const std::string &candidates, size_t top) {
  llvm::Expected<Model> model = openCkModel(modelDir, problem);
  if (!model)
    return model.takeError();
  if (llvm::Error error = setDirection(*model, problem.direction))
    return error;
  llvm::Expected<std::string> place = placeOf(modelDir, candidates);
  if (!place)
    return place.takeError();
  llvm::Expected<std::set<std::string>> names =
      readNames(*place, model->spec.subject);
  if (!names)
    return names.takeError();
  KernelRows rows(problem, *model);
  std::vector<std::string> list(names->begin(), names->end());
  auto report =
      rankNames(*model, problem, list, [&](const std::string &name, size_t) {
        auto row = rows.of(name);
        if (!row)
          row = addContext(row.takeError(), *place);
        return row;
      });
  if (!report)
    return report;
  if (report->rows.empty())
    return noneFits(*report, "'" + *place + "'", list.size());
  report->rows.resize(std::min(top, report->rows.size()));
  return report;
}

llvm::json::Value CkRankingReport::toJson() const {
  llvm::json::Array array;
  for (const RankingReport::Row &row : rows)
    array.push_back(row.toJson());
  return llvm::json::Object{{"problem", nameOf(problem)},
                            {"candidates", static_cast<int64_t>(candidates)},
                            {"kernels", std::move(array)}};
}

void CkRankingReport::print(llvm::raw_ostream &os, bool details) const {
  using Align = Table::Align;
  Table table({{"kernel"},
               {"TFLOPS", Align::Right},
               {"ms", Align::Right},
               {"GB/s", Align::Right}});
  for (const RankingReport::Row &row : rows) {
    auto cell = [&](Target target, const char *format) {
      auto found = row.predicted.find(target);
      return found == row.predicted.end()
                 ? std::string("-")
                 : llvm::formatv(false, format, found->second).str();
    };
    table.addRow({row.kernel, cell(Target::Tflops, "{0:f2}"),
                  cell(Target::Latency, "{0:f5}"),
                  cell(Target::Bandwidth, "{0:f1}")});
  }
  if (details)
    table.print(os);
  os << llvm::formatv("predicted: {0} of {1} kernels of CK Tile for {2}",
                      rows.size(), candidates, nameOf(problem));
  if (others > 0)
    os << "; " << others << " of other types or "
       << (problem.conv ? "dimensions" : "layouts") << " left out";
  os << "\n";
}
