// `assay verify`: benchdnn's grammar to verdicts. The words go to verify::Reader; each problem that comes out is listed
// or run; the report prints. The hidden form `assay verify --worker ...` is the process in which an engine under test
// lives.
#include "Commands.h"
#include "assay/support/Interrupt.h"
#include "assay/verify/Reader.h"
#include "assay/verify/Report.h"
#include "assay/verify/ReferenceEngine.h"
#include "assay/verify/Session.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace assay;
using namespace assay::verify;

static void printHelp() {
  llvm::outs()
      << "Checks implementations of matmul, convolution, deconvolution, inner product or any StableHLO program.\n\n"
         "usage: assay verify --DRIVER [--knob=value ...] PROBLEM ... | --batch=FILE\n"
         "       DRIVER: matmul conv deconv ip op\n\n"
         "A knob applies to the problems after it; comma-separated values make one problem each; --reset restores the\n"
         "defaults. Each problem prints N:STATUS (reason) (T ms) __REPRO: words, and `assay verify` with those words runs\n"
         "it again.\n\n"
      << knobHelp()
      << "  --reset, --quiet, -vN, --batch=FILE\n\n"
         "examples:\n"
         "  assay verify --matmul --dt=f32,bf16 64x4096:4096x64\n"
         "  assay verify --conv --dt=bf16 --dir=FWD_D,BWD_D,BWD_W ic64ih56oc64oh56kh3ph1\n"
         "  assay verify --matmul --engine=plugin:./libmykernels.so 128x512:512x256\n"
         "  assay verify --mode=P --matmul 1024x1024:1024x1024\n"
         "  assay verify --mode=L --conv --batch=shapes_resnet_50\n\n"
         "exit codes: 0 all held, 1 a problem failed, 2 bad input, 3 nothing was checked\n";
}

/// inputs/ beside the program, above it (a build folder), and in the installed data folder.
static std::vector<std::string> inputFolders() {
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  llvm::SmallString<256> folder(llvm::sys::path::parent_path(program));
  std::vector<std::string> folders;
  for (llvm::StringRef tail : {"inputs", "../inputs", "../share/assay/inputs", "../../../inputs"}) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, tail);
    if (llvm::sys::fs::is_directory(path))
      folders.push_back(path.str().str());
  }
  return folders;
}

static llvm::Error writeJson(const Report &report, llvm::StringRef file) {
  llvm::json::Value value(report.json());
  if (file == "-") {
    llvm::outs() << llvm::formatv("{0:2}", value) << "\n";
    return llvm::Error::success();
  }
  std::error_code code;
  llvm::raw_fd_ostream os(file, code);
  if (code)
    return makeError(ErrorCode::InvalidArgument, "--json: cannot write '{0}': {1}", file, code.message());
  os << llvm::formatv("{0:2}", value) << "\n";
  return llvm::Error::success();
}

ExitCode tools::verifyCommand(llvm::ArrayRef<const char *> arguments) {
  arguments = arguments.drop_front();
  bool quiet = false, keepJson = false;
  for (llvm::StringRef word : arguments) {
    if (word == "--help" || word == "-h") {
      printHelp();
      return ExitCode::Ok;
    }
    quiet |= word == "--quiet";
    keepJson |= word.starts_with("--json=");
  }
  if (arguments.empty()) {
    printHelp();
    return ExitCode::BadInput;
  }
  if (arguments.size() == 3 && llvm::StringRef(arguments[0]) == "--worker") {
    int64_t limit = 0;
    if (llvm::StringRef(arguments[2]).getAsInteger(10, limit))
      return ExitCode::BadInput;
    return static_cast<ExitCode>(engine::workerMain(arguments[1], limit, builtinEngine));
  }
  auto start = std::chrono::steady_clock::now();
  Report report(llvm::outs(), quiet, keepJson);
  std::unique_ptr<Session> session;
  Interrupt interrupt;
  int64_t position = 0;
  Reader reader(inputFolders(), [&](Problem problem) -> llvm::Error {
    const RunOptions &run = *problem.options;
    if (position++ % run.shardCount != run.shardIndex)
      return llvm::Error::success();
    if (!session) {
      session = std::make_unique<Session>(SessionOptions{"", run.threads, run.maxMemoryBytes});
      if (run.maxSeconds > 0)
        interrupt.setTimeLimit(run.maxSeconds);
    }
    report.add(problem, session->run(problem));
    return interrupt.check();
  });
  llvm::Error error = reader.readArguments(arguments);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (session)
    for (const auto &[part, time] : session->times())
      report.addTime(part.c_str(), time);
  report.close(seconds);
  ExitCode code = report.exitCode();
  if (error)
    return report.tests() ? worst(code, reportError(std::move(error))) : reportError(std::move(error));
  if (keepJson)
    if (llvm::Error written = writeJson(report, reader.settings().run.jsonFile))
      return worst(code, reportError(std::move(written)));
  return code;
}
