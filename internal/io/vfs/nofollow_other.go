//go:build !unix

package vfs

// NoFollow is a flag of OpenFile that makes it fail for a symbolic link, or 0 if the system has none.
const NoFollow = 0
