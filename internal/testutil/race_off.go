//go:build !race

package testutil

const underRace = false
