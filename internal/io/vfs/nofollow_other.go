//go:build !unix

package vfs

// NoFollow is a flag of OpenFile that makes it fail for a symbolic link, or 0 without such a flag.
const NoFollow = 0
