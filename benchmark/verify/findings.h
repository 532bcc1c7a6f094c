// What measure_onednn shows, a function for each file.
#pragma once

namespace findings {
/// Numbers at the edges: infinities, and numbers that saturate.
void showSpecial();
} // namespace findings
