// Ties: a maximum or a sign that the two sides decide differently, since the
// values are closer to each other than the two sides are, moves a gradient to
// another place.
#include "assay/trace/Ties.h"

#include <algorithm>
#include <cmath>

namespace assay::trace {

static constexpr double kNear = 2; // times the distance of the two sides

double Ties::moved(size_t i) const {
  return kNear * std::fabs(value[1][i] - value[0][i]);
}

bool Ties::isNearZero(size_t i) const {
  return moved(i) > 0 && std::fabs(value[0][i]) <= moved(i);
}

bool Ties::isTie(size_t i, size_t j) const {
  double both = moved(i) + moved(j);
  return both > 0 && std::fabs(value[0][i] - value[0][j]) <= both;
}

/// Whether the places that tie with place `i`, and it, together lose as much as
/// they gain.
bool Ties::isHandedOver(size_t i, const std::vector<size_t> &places) const {
  constexpr double kRest = 0.1; // sums of gradients round
  double sum = change(i), size = std::fabs(change(i));
  for (size_t j : places)
    if (j != i && isTie(i, j)) {
      sum += change(j);
      size += std::fabs(change(j));
    }
  return std::fabs(sum) <= kRest * size;
}

bool Ties::decide(double explained) const {
  double norm = 0;
  for (double g : gradient[0])
    norm += g * g;
  auto count = static_cast<double>(gradient[0].size());
  double least = explained * std::sqrt(norm / count), squares = 0;
  std::vector<size_t> places;
  for (size_t i = 0; i < gradient[0].size(); ++i)
    if (std::fabs(change(i)) > least)
      places.push_back(i);
    else
      squares += change(i) * change(i);
  constexpr size_t kMost = 1000;
  size_t most = std::min(kMost, 8 + gradient[0].size() / 16), decided = 0;
  for (size_t i : places) {
    bool oneIsZero = (gradient[1][i] == 0) != (gradient[0][i] == 0),
         otherSlope = value[0][i] * value[1][i] < 0;
    bool isDecided =
        oneIsZero || otherSlope
            ? isNearZero(i) || std::any_of(places.begin(), places.end(),
                                           [&](size_t j) {
                                             return change(i) * change(j) < 0 &&
                                                    isTie(i, j);
                                           })
            : decided <= most && isHandedOver(i, places);
    if (isDecided)
      ++decided;
    else if (oneIsZero || otherSlope)
      return false;
    else
      squares += change(i) * change(i);
  }
  return decided > 0 && decided <= most &&
         squares <= explained * explained * norm;
}

} // namespace assay::trace
