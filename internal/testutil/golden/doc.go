// Package golden is the tests that results have the same bits on every machine: they compare the
// results of every operation that docs/reproducibility.md covers with the hashes of
// internal/testutil/hashes, and check the rules that make them the same.
package golden
