# assay passes: which pass changed the function, decided without tolerances.
# More: docs/equivalence.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/dump"

echo "A transformer block after four passes: parsed, its constants folded, sums turned, and a 'simplification' with an epsilon of 1.1e-5 for 1e-5."
assay-opt test/programs/transformer_block.mlir -o "$folder/dump/1_parse.mlir"
assay-opt --assay-fold "$folder/dump/1_parse.mlir" -o "$folder/dump/2_fold.mlir"
sed -E 's/stablehlo\.add (%[a-z_0-9]+), (%[a-z_0-9]+) :/stablehlo.add \2, \1 :/' "$folder/dump/2_fold.mlir" >"$folder/dump/3_turn_sums.mlir"
sed -E '0,/dense<9\.99999974E-6>/s//dense<1.1E-5>/' "$folder/dump/3_turn_sums.mlir" >"$folder/dump/4_simplify.mlir"
if assay passes "$folder/dump" --quiet -o "$folder/shows" >"$folder/said"; then
  echo "demo: the pass that changes the function is not found" >&2
  exit 1
fi
cat "$folder/said"
grep -q "^first pass that changes the function.*: 4_simplify" "$folder/said"
grep -q "passes: 2 equal, 0 equal but for precision, 1 differ" "$folder/said"
echo
echo "What is left of the wrong program, to paste into an issue:"
cat "$folder/shows/after.mlir"
[ "$(grep -c stablehlo "$folder/shows/after.mlir")" -le 6 ]
