//go:build !race

package blas12

const raceEnabled = false
