//go:build !noasm

package cpu

const noasm = false
