// Package golden tests that results have the same bits on every machine. It compares the results of
// every operation that docs/reproducibility.md covers with the hashes of internal/testutil/hashes,
// and checks the rules that make them the same.
package golden
