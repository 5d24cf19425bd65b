// Package ui has what all commands of blskernel share: the exit status, the flags with one meaning
// everywhere, progress, reports, tables and the text of messages.
package ui
