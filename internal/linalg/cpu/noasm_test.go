//go:build noasm

package cpu

// noasm reports whether the build tag is set.
const noasm = true
