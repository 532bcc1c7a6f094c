/// The pass --assay-fold.
#pragma once

namespace assay {

void registerFoldPass();

} // namespace assay
