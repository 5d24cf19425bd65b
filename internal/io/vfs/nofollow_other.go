//go:build !unix

package vfs

// NoFollow is a flag of OpenFile that makes it fail for a symbolic link, or 0 if there is no such flag.
const NoFollow = 0
