// `assay merge`: merges the dumps of several ranks into one dump of whole
// tensors.
#include "assay/trace/ranks/Merge.h"
#include "Options.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;

static llvm::Expected<trace::MergeResult> merge(const std::string &folder,
                                                const std::string &out,
                                                const std::string &layoutFile,
                                                const std::string &like,
                                                const Interrupt &interrupt) {
  llvm::Expected<std::vector<trace::RankDump>> ranks = trace::openRanks(folder);
  if (!ranks)
    return ranks.takeError();
  trace::MergeOptions options;
  options.interrupt = interrupt;
  std::optional<trace::Layout> layout;
  if (!layoutFile.empty()) {
    llvm::Expected<trace::Layout> read = trace::Layout::read(layoutFile);
    if (!read)
      return addContext(read.takeError(), "--layout");
    options.layout = &layout.emplace(std::move(*read));
  }
  std::unique_ptr<formats::Hdf5Reader> whole;
  if (!like.empty()) {
    llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> file =
        formats::Hdf5Reader::open(like);
    if (!file)
      return addContext(file.takeError(), "--like");
    whole = std::move(*file);
    options.like = whole.get();
  }
  return trace::mergeRanks(*ranks, out, options);
}

ExitCode tools::mergeCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      "Puts the dumps of a run on several ranks together: tensors sharded over "
      "the ranks are put together, so that\n"
      "N ranks compare against one. What a tensor's parts are was recorded "
      "(DTensor), or is in a layout file.\n\n"
      "examples:\n"
      "  assay merge run/ whole.h5\n"
      "  assay merge run/ whole.h5 --layout megatron.json\n"
      "  assay merge run/ whole.h5 --like one_process.h5\n\n"
      "a layout: {\"mesh\": [\"dp 2\", \"tp 2\"], \"tensors\": [{\"name\": "
      "\"*.down.*.forward_output.*\", \"tp\": \"sum\"}]}\n\n"
      "exit codes: 0 all put together, 1 replicas differ or tensors were left "
      "out, 2 bad input, 3 nothing was merged");
  std::string folder, out, layout, like;
  CommonOptions flags;
  app.add_option("DIR", folder,
                 "folder with a dump for each rank "
                 "(globalrank-R_localrank-r.h5)")
      ->required();
  app.add_option("OUT,-o,--output", out, "the dump of whole tensors, OUT.h5")
      ->required();
  app.add_option("--layout", layout,
                 "JSON file: the grid of ranks, and what each has of a tensor");
  app.add_option("--like", like,
                 "a dump of one process: tensors without a placement are cut "
                 "where their sizes add up to its");
  flags.addTo(app, kSeconds);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<trace::MergeResult> result =
      merge(folder, out, layout, like, flags.interrupt());
  if (!result)
    return reportError(result.takeError());
  if (!flags.json.empty())
    if (llvm::Error error = writeJson(flags.json, trace::mergeJson(*result)))
      return reportError(std::move(error));
  if (flags.json != "-" && !flags.quiet)
    trace::printMerge(*result, tools::out());
  if (result->tensors == 0) {
    tools::err() << "assay: error: '" << folder
                 << "' holds nothing that could be put together\n";
    return ExitCode::NothingChecked;
  }
  return result->diverging.empty() && result->leftOut.empty()
             ? ExitCode::Ok
             : ExitCode::CheckFailed;
}
