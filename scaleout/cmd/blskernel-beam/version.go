package main

import "runtime/debug"

// version returns what this program was built from: the release, or the version that the go command
// makes of the revision; or unknown.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unknown"
}
