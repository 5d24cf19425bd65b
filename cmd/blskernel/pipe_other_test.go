//go:build !unix

package main

import "errors"

// pipeWith is for systems that have named pipes in the file system.
func pipeWith(string, string) (stop func(), err error) { return nil, errors.ErrUnsupported }
