//go:build unix

package vfs

import "syscall"

// NoFollow is a flag of OpenFile that makes it fail for a symbolic link, or 0 if the system has none.
const NoFollow = syscall.O_NOFOLLOW
