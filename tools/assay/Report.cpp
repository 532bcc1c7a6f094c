// `assay report`: the results of a command as one page for a browser.
#include "Options.h"
#include "assay/trace/report/Page.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;

ExitCode tools::reportCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      "One HTML page, with nothing to load from elsewhere: a model as a tree "
      "coloured by error, the error\nalong the model, maps of where in a "
      "tensor it lies, NaN flow; faults of verify by driver and type; picks\n"
      "of tune against the best; any other JSON or CSV as a table.\n\n"
      "examples:\n"
      "  assay report xpu.h5 gpu.h5 -o pair.html\n"
      "  assay compare xpu.h5 gpu.h5 --first-wrong --html pair.html\n"
      "  assay verify --engine=plugin:./mine.so --json=v.json --batch=list; "
      "assay report v.json -o v.html\n"
      "  assay tune validate --model_dir m --shapes s.csv --json t.json; "
      "assay report t.json -o t.html");
  std::vector<std::string> paths;
  std::string out, rule = "dtype", title;
  CommonOptions flags;
  app.add_option("FILE", paths,
                 ".json of a command's --json, .csv, or .h5 dumps: two in a "
                 "row are compared, the tested one first")
      ->required();
  app.add_option("-o,--output", out, "the page to write, - for standard output")
      ->required();
  app.add_option("--rule", rule,
                 "verdict for two dumps: dtype, xray, exact, ulp:N, "
                 "close:RTOL,ATOL, or a JSON rule file");
  app.add_option("--title", title, "of the page (default: the files' names)");
  flags.addTo(app, kThreads);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<numerics::RuleSet> rules = numerics::RuleSet::parse(rule);
  if (!rules)
    return reportError(addContext(rules.takeError(), "--rule"));
  trace::CompareOptions options;
  options.interrupt = flags.interrupt();
  options.rules = std::move(*rules);
  ThreadPool pool(flags.threads);
  llvm::Expected<std::vector<trace::ReportSource>> sources =
      trace::readSources(paths, options, pool);
  if (!sources)
    return reportError(sources.takeError());
  if (title.empty())
    title = "Assay: " + llvm::join(paths, ", ");
  if (llvm::Error error = writeText(out, [&](llvm::raw_ostream &os) {
        trace::writePage(title, *sources, os);
      }))
    return reportError(std::move(error));
  if (!flags.json.empty()) {
    llvm::json::Array read;
    for (const trace::ReportSource &source : *sources)
      read.push_back(source.path);
    llvm::json::Value said = llvm::json::Object{
        {"page", out}, {"title", title}, {"sources", std::move(read)}};
    if (llvm::Error error = writeJson(flags.json, said))
      return reportError(std::move(error));
  }
  if (out != "-" && !flags.quiet && flags.json != "-")
    tools::out() << "wrote '" << out << "'\n";
  return ExitCode::Ok;
}
