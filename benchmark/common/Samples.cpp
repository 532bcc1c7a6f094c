#include "Samples.h"
#include "assay/support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

using namespace assay;
using namespace assay::bench;

static double smallest(const std::vector<double> &times) {
  return times.empty() ? 0 : *std::min_element(times.begin(), times.end());
}

double Samples::least() const { return smallest(ours); }

double Samples::leastOf(const std::string &peer) const {
  return smallest(peers.at(peer));
}

select::PairStatistics Samples::against(const std::string &peer) const {
  std::vector<double> ratios;
  const std::vector<double> &theirs = peers.at(peer);
  for (size_t turn = 0; turn < std::min(ours.size(), theirs.size()); ++turn)
    ratios.push_back(theirs[turn] / ours[turn]);
  return select::summarizePairs(std::move(ratios));
}

std::string Samples::bestPeer() const {
  std::string best;
  for (auto &[name, times] : peers)
    if (best.empty() || against(name).median < against(best).median)
      best = name;
  return best;
}

llvm::json::Object Samples::json() const {
  llvm::json::Object theirs, ratios;
  for (auto &[name, times] : peers) {
    theirs[name] = llvm::json::Array(times);
    select::PairStatistics ratio = against(name);
    ratios[name] = llvm::json::Object{{"median", ratio.median},
                                      {"low", ratio.low},
                                      {"high", ratio.high},
                                      {"pairs", ratio.pairs},
                                      {"of_least", leastOf(name) / least()}};
  }
  return llvm::json::Object{{"ours", llvm::json::Array(ours)},
                            {"peers", std::move(theirs)},
                            {"ratio", std::move(ratios)}};
}

std::string bench::toString(const select::PairStatistics &ratio) {
  return llvm::formatv("{0:f2}x [{1:f2}, {2:f2}]", ratio.median, ratio.low,
                       ratio.high);
}

std::string bench::closingWords(const std::string &peer,
                                const std::vector<double> &ratios) {
  double logs = 0;
  for (double ratio : ratios)
    logs += std::log(ratio);
  return llvm::formatv("{0:f2}x {1} (geomean of {2} cases, worst {3:f2})",
                       std::exp(logs / static_cast<double>(ratios.size())),
                       peer, ratios.size(), smallest(ratios));
}

llvm::json::Object bench::head(llvm::StringRef benchmark,
                               const kernels::Machine &machine) {
  char day[16];
  std::time_t now = std::time(nullptr);
  std::strftime(day, sizeof(day), "%Y-%m-%d", std::localtime(&now));
  const char *command = std::getenv("ASSAY_BENCH");
  double load[1] = {0};
  getloadavg(load, 1);
  return llvm::json::Object{
      {"benchmark", benchmark},
      {"command", command ? command : ""},
      {"date",
       std::string(day)}, // a copy, because the object stores pointers
      {"processor", machine.processor},
      {"class", machine.isa.cpu + "-" + machine.isa.name},
      {"load", load[0]},
      {"isa", machine.isa.name}};
}

void bench::write(const std::string &path, llvm::json::Object object) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error)
    llvm::errs() << "bench: cannot write " << path << ": " << error.message()
                 << "\n";
  else
    file << llvm::formatv("{0:1}\n", llvm::json::Value(std::move(object)));
}
