//go:build !race

package level12

const raceEnabled = false
