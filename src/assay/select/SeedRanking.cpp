// CK Tile's kernels are names here: a name has the whole configuration, the
// features follow from it and the problem in f64, and the score is the plain
// sum of the trees, so that picks are those of LightGBM on CK Tile's features.
#include "assay/select/SeedRanking.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Parquet.h"
#include "assay/support/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace assay;
using namespace assay::select;

llvm::Expected<bool> select::isSeedModel(const std::string &modelDir) {
  llvm::Expected<Model> model = loadDescription(modelDir);
  if (!model)
    return model.takeError();
  const std::string &op = model->spec.subject.op;
  return model->spec.published || (op != "gemm" && !isConvOp(op));
}

static llvm::Expected<std::set<std::string>>
readNames(const std::string &path) {
  std::set<std::string> names;
  bool isTable = llvm::sys::fs::is_directory(path) ||
                 llvm::StringRef(path).ends_with(".parquet");
  if (!isTable) {
    llvm::Expected<std::string> text = readMaybeGzip(path);
    if (!text)
      return text.takeError();
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(*text).split(lines, '\n');
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
  names.insert(column->texts.begin(), column->texts.end());
  return names;
}

/// Where the candidates are, when no place is named.
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
      "name "
      "them with --candidates: a converted .parquet, or a file with a kernel "
      "name a line",
      modelDir, beside);
}

static SeedGemm gemmOf(const SeedProblem &problem, llvm::StringRef dtype,
                       const SeedKernelName &name) {
  SeedGemm g;
  g.m = static_cast<double>(problem.m);
  g.n = static_cast<double>(problem.n);
  g.k = static_cast<double>(problem.k);
  g.size = seedElementBytes(dtype);
  g.layout = seedLayout(problem.layout);
  for (int side = 0; side < 3; ++side) {
    g.tile[side] = static_cast<double>(name.tile[side]);
    g.warp[side] = static_cast<double>(name.warp[side]);
    g.warpTile[side] = static_cast<double>(name.warpTile[side]);
    g.pad[side] = name.pad[side];
  }
  g.pipeline = seedPipeline(name.pipeline);
  g.scheduler = seedScheduler(name.scheduler);
  g.epilogue = seedEpilogue(name.epilogue);
  g.persistent = name.persistent;
  return g;
}

/// The model, if it is one that ranks CK Tile's kernels for such a problem.
static llvm::Expected<Model> openSeedModel(const std::string &modelDir,
                                           const SeedProblem &problem) {
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
                     "the model '{0}' is of {1}, asked for is {2}", modelDir,
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
/// Rows of features of one problem's kernels, by their names.
class KernelRows {
public:
  KernelRows(const SeedProblem &problem, const Model &model)
      : problem_(problem), dtype_(model.spec.subject.dtype),
        hardware_(model.spec.hardware.value_or(
            SeedHardware::of(model.spec.subject.arch))) {
    if (problem_.conv)
      problem_.conv->size = seedElementBytes(dtype_);
  }

  /// nullopt: the kernel is of another type, layout or number of dimensions.
  llvm::Expected<std::optional<std::vector<double>>> of(llvm::StringRef name) {
    if (problem_.conv)
      return ofConvolution(name);
    llvm::Expected<SeedKernelName> parts = parseSeedName(name);
    if (!parts)
      return parts.takeError();
    if (plainDtype(parts->dtype) != plainDtype(dtype_) ||
        parts->layout != problem_.layout)
      return std::nullopt;
    return seedRow(gemmOf(problem_, dtype_, *parts), hardware_);
  }

private:
  llvm::Expected<std::optional<std::vector<double>>>
  ofConvolution(llvm::StringRef name) {
    llvm::Expected<SeedConvName> parts = parseSeedConvName(name);
    if (!parts)
      return parts.takeError();
    if (variant_.empty())
      variant_ = parts->variant;
    if (parts->variant != variant_)
      return makeError(ErrorCode::InvalidArgument,
                       "the candidates are convolutions of '{0}' and '{1}'; a "
                       "model is of one direction",
                       variant_, parts->variant);
    if (plainDtype(parts->dtype) != plainDtype(dtype_) ||
        (parts->dimensions == 3) != problem_.conv->is3d())
      return std::nullopt;
    return seedConvRow(*problem_.conv, SeedConvKernel::of(*parts), hardware_);
  }

  SeedProblem problem_;
  std::string dtype_, variant_;
  SeedHardware hardware_;
};
} // namespace

static std::string nameOf(const SeedProblem &problem) {
  if (problem.conv)
    return problem.dtype + " " + problem.conv->key();
  return llvm::formatv("{0} {1} {2}x{3}x{4}", problem.dtype, problem.layout,
                       problem.m, problem.n, problem.k)
      .str();
}

llvm::Expected<SeedRankingReport>
select::rankSeedKernels(const std::string &modelDir, const SeedProblem &problem,
                        const std::string &candidates, size_t top) {
  llvm::Expected<Model> model = openSeedModel(modelDir, problem);
  if (!model)
    return model.takeError();
  llvm::Expected<std::string> place = placeOf(modelDir, candidates);
  if (!place)
    return place.takeError();
  llvm::Expected<std::set<std::string>> names = readNames(*place);
  if (!names)
    return names.takeError();
  SeedRankingReport report;
  report.problem = problem;
  report.problem.dtype = model->spec.subject.dtype;
  KernelRows rows(problem, *model);
  Target target = *model->rankingTarget();
  for (const std::string &name : *names) {
    auto row = rows.of(name);
    if (!row)
      return addContext(row.takeError(), *place);
    if (!*row) {
      ++report.others;
      continue;
    }
    SeedRankingReport::Row out{name, model->score(target, **row), {}};
    for (const auto &[each, trees] : model->trees)
      out.predicted[each] = model->predict(each, **row);
    report.rows.push_back(std::move(out));
  }
  report.candidates = report.rows.size();
  if (report.rows.empty())
    return makeError(ErrorCode::NotFound,
                     "'{0}' names {1} kernels, none of them of {2} {3}", *place,
                     names->size(), report.problem.dtype,
                     !problem.conv            ? problem.layout
                     : problem.conv->is3d() ? "in 3d"
                                              : "in 2d");
  llvm::stable_sort(report.rows, [](const auto &a, const auto &b) {
    return a.score > b.score;
  });
  report.rows.resize(std::min(top, report.rows.size()));
  return report;
}

llvm::json::Value SeedRankingReport::toJson() const {
  llvm::json::Array array;
  for (const Row &row : rows) {
    llvm::json::Object object{{"kernel", row.kernel}, {"score", row.score}};
    for (auto [target, value] : row.predicted)
      object[toString(target)] = value;
    array.push_back(std::move(object));
  }
  return llvm::json::Object{{"problem", nameOf(problem)},
                            {"candidates", static_cast<int64_t>(candidates)},
                            {"kernels", std::move(array)}};
}

void SeedRankingReport::print(llvm::raw_ostream &os, bool details) const {
  using Align = Table::Align;
  Table table({{"kernel"},
               {"TFLOPS", Align::Right},
               {"ms", Align::Right},
               {"GB/s", Align::Right}});
  for (const Row &row : rows) {
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
