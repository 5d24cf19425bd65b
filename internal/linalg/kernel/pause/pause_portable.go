//go:build !(amd64 || arm64) || noasm

package pause

func pause() {}
