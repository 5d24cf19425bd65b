// Package soak tests the module as a whole: many goroutines use all parts of it at once, on all
// backends and kernels, while the number of threads changes.
package soak
