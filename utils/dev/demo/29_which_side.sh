# assay triage: which side of a failed comparison is wrong.
# More: docs/triage.md
plugin=plugin:build/release/lib/libassay_example.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "A product on a plugin that drops one term of every sum: the engine, the fast reference, or the tolerance?"
ASSAY_EXAMPLE_FAULT=drop_k assay triage --matmul --dt=bf16 --engine="$plugin" -o "$folder" 64x512:512x48 | tee "$folder/report"
grep -q '^at fault: engine' "$folder/report"
echo
echo "The same plugin as the fast reference of a right engine:"
ASSAY_EXAMPLE_FAULT=drop_k assay triage --matmul --engine=native --trust="$plugin" 64x512:512x48 | tee "$folder/report"
grep -q '^at fault: reference' "$folder/report"
