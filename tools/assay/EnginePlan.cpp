// --engine, --fast-ref, --isolate. The names are those of Engines.def.
#include "EnginePlan.h"
#include "assay/engine/Registry.h"
#include "assay/engine/all/Engines.h"
#include "assay/verify/Offers.h"

using namespace assay;

CLI::Validator tools::engineNames() {
  return CLI::Validator(
      [](std::string &name) {
        llvm::Expected<engine::EngineName> parsed =
            engine::parseEngineName(name);
        return parsed ? std::string() : takeError(parsed.takeError()).message;
      },
      engine::engineSpellings("|"));
}

void tools::EngineChoice::addTo(CLI::App &app) {
  app.add_option("--engine", name,
                 "reference; native (kernels and fused loops); or an engine of "
                 "another library, which gets the products and convolutions in "
                 "a worker process")
      ->check(engineNames());
  app.add_option("--fast-ref", fastRef,
                 "may the reference use kernels for large products: auto or "
                 "off")
      ->check(CLI::IsMember({"auto", "off", "true", "false"}));
  app.add_flag("--isolate", isolated,
               "run the engine in a worker process: a crash or a hang there is "
               "an error here");
}

llvm::Expected<std::unique_ptr<engine::Engine>>
tools::EngineChoice::make(int threads, double maxSeconds) const {
  engine::EngineOptions options;
  options.fastReference = fastRef == "auto" || fastRef == "true";
  options.isolated = isolated;
  options.dumpPasses = dumpPasses;
  options.threads = threads;
  options.timeoutSeconds = maxSeconds;
  options.recogniser = verify::offersFor;
  return engine::makeEngine(name, options);
}
