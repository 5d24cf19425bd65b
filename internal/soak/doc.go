// Package soak tests the module as a whole: many goroutines do everything at once, on all backends and
// kernels, while others change the number of threads.
package soak
