// `assay import`: converts another tool's recording to a dump.
#include "assay/trace/Import.h"
#include "Options.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;

ExitCode tools::importCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      "Makes a dump of what another tool recorded, for summary, "
      "compare and report.\n"
      "A .pt file is read without PyTorch; nothing in it is run.\n\n"
      "examples:\n"
      "  assay import logits.npy gpu.h5\n"
      "  assay import outputs.npz gpu.h5\n"
      "  assay import activations.pt gpu.h5\n"
      "  assay import results.json gpu.h5            (polygraphy run "
      "--save-outputs results.json)\n"
      "  assay import model/test_data_set_0 gpu.h5   (tensors of ONNX, "
      ".pb or .tensorproto)\n"
      "  assay import msprobe_dump/step0/rank0 npu.h5\n"
      "  assay import msprobe_dump npu_ranks        (a dump per rank "
      "in the folder npu_ranks)");
  std::string from, to;
  CommonOptions flags;
  app.add_option("IN", from,
                 ".npy, .npz, .safetensors, .pt (.pth, .bin), Polygraphy's "
                 ".json, a folder "
                 "of msprobe or of ONNX tensors")
      ->required();
  app.add_option("OUT", to, "the dump, OUT.h5; or a folder for several ranks")
      ->required();
  flags.addTo(app, kSeconds);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<trace::ImportResult> result =
      trace::importDump(from, to, flags.interrupt());
  if (!result)
    return reportError(result.takeError());
  for (const std::string &skipped : result->skipped)
    tools::err() << "assay: note: no tensor: " << skipped << "\n";
  if (!flags.json.empty())
    if (llvm::Error error = writeJson(
            flags.json, llvm::json::Object{
                            {"tensors", result->tensors},
                            {"files", llvm::json::Array(result->files)},
                            {"skipped", llvm::json::Array(result->skipped)}}))
      return reportError(std::move(error));
  if (flags.json != "-" && !flags.quiet)
    for (const std::string &file : result->files)
      tools::out() << "wrote '" << file << "'\n";
  if (flags.json != "-" && !flags.quiet)
    tools::out() << result->tensors << " tensors\n";
  if (result->tensors == 0) {
    tools::err() << "assay: error: '" << from << "' holds no tensors\n";
    return ExitCode::NothingChecked;
  }
  return ExitCode::Ok;
}
