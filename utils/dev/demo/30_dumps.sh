# A program recorded twice, once with a fault: the two dumps compared, rank by rank too.
# More: docs/dumps.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
program=test/programs/mlp_inference.mlir data=test/programs/mlp_inference.npz
echo "The program $program is recorded: every operation's inputs and outputs go into one HDF5 file."
assay run "$program" --input "$data" --quiet --record "$folder/bench.h5" >/dev/null
assay summary "$folder/bench.h5" >"$folder/summary.txt"
head -n 8 "$folder/summary.txt"
echo "The same program with one fault: its tanh becomes a logistic function, as a kernel mapped to the wrong entry would do."
sed 's/stablehlo\.tanh/stablehlo.logistic/' "$program" >"$folder/fault.mlir"
assay run "$folder/fault.mlir" --input "$data" --quiet --record "$folder/target.h5" >/dev/null
echo
echo "assay compare target.h5 bench.h5 --first-wrong"
assay compare "$folder/target.h5" "$folder/bench.h5" --first-wrong --quiet || [ $? -eq 1 ]
echo
echo "Two ranks, of which the second has the fault: assay compare target/ bench/ --first-wrong"
mkdir "$folder/target" "$folder/bench"
for rank in 0 1; do cp "$folder/bench.h5" "$folder/bench/globalrank-${rank}_localrank-$rank.h5"; done
cp "$folder/bench.h5" "$folder/target/globalrank-0_localrank-0.h5"
cp "$folder/target.h5" "$folder/target/globalrank-1_localrank-1.h5"
assay compare "$folder/target" "$folder/bench" --first-wrong || [ $? -eq 1 ]
assay report "$folder/target.h5" "$folder/bench.h5" -o build/demo_report.html
echo "The same to look at, in a browser: build/demo_report.html ($(wc -c <build/demo_report.html) bytes, nothing to load from elsewhere)."
echo
echo "What another tool recorded is taken in: here an .npz archive, in the same way .pt files and folders of msprobe."
assay import "$data" "$folder/imported.h5"
assay summary "$folder/imported.h5" | head -n 4
echo
echo "Every recorded operation becomes a test of its own, with its data beside it; no framework is needed to run them."
assay extract "$folder/bench.h5" --program "$program" -o "$folder/tests" | head -n 1
assay test "$folder/tests"
