#!/usr/bin/env bash
# Makes the models of this folder again from the measurements beside them, for the kernels of the present build:
#   models/conv_fwd_f32_nhwc_amx/make.sh           (half a minute; from the project's folder, after ./dev build)
# The same data, kernels and LightGBM give the same bytes; train_manifest.json has the hashes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
assay=../../build/release/bin/assay
"$assay" tune train --data_dir data --out_dir . --n_splits 4 --num_leaves 31 --targets efficiency,tflops
rm -f oof_predictions.parquet
