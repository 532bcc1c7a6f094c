// Counts changes. The report has the form of CK Tile's comparison of
// predictions.
#include "assay/select/PickChanges.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace assay::select;

llvm::StringRef PickChanges::word(double gain, double slack) {
  return std::fabs(gain) <= slack ? "same" : gain > 0 ? "improved" : "degraded";
}

void PickChanges::add(bool agrees, double gain, double slack) {
  ++problems;
  agree += agrees;
  llvm::StringRef change = word(gain, slack);
  ++(change == "same" ? same : change == "improved" ? improved : degraded);
}

llvm::json::Object PickChanges::toJson() const {
  llvm::json::Object object;
  for (auto [name, count] : {std::pair("problems", problems),
                             {"agree", agree},
                             {"improved", improved},
                             {"same", same},
                             {"degraded", degraded}})
    object[name] = static_cast<int64_t>(count);
  return object;
}

void PickChanges::print(llvm::raw_ostream &os) const {
  auto share = [&](size_t count) {
    return llvm::formatv("{0} ({1:P1})", count,
                         double(count) / double(std::max<size_t>(1, problems)))
        .str();
  };
  os << llvm::formatv("kernel selection agreement: {0} of {1} ({2:P1})\n",
                      agree, problems,
                      double(agree) / double(std::max<size_t>(1, problems)));
  os << "per problem: improved " << share(improved) << ", same " << share(same)
     << ", degraded " << share(degraded) << "\n";
}
