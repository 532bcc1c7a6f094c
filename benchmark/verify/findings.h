// What measure_onednn shows, a function for each file.
#pragma once

namespace findings {
/// Numbers at the edges: infinities, and what saturates.
void showSpecial();
} // namespace findings
