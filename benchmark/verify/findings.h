// The cases of measure_onednn, with a function for each file.
#pragma once

namespace findings {
/// Special numbers: infinities, and numbers that saturate.
void showSpecial();
} // namespace findings
