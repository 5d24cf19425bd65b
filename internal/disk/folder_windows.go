package disk

// syncFolder does nothing: FlushFileBuffers does not take a folder.
func syncFolder(string) error { return nil }
