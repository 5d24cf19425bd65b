//go:build unix

package vfs

import "syscall"

// NoFollow is a flag of OpenFile that makes it fail for a symbolic link, or 0 if there is no such flag.
const NoFollow = syscall.O_NOFOLLOW
