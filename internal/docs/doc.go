// Package docs checks what is written about the module, and has nothing but tests:
//
//   - links: every relative link and anchor of every Markdown file leads somewhere, and so does every path in backquotes;
//     external links are well-formed. Nothing is asked of the network.
//   - code: every block of Go parses and is formatted, names only what the packages of the module export, and is
//     vetted in a module of its own where it is a whole program.
//   - commands: the commands, flags, packages and make targets in blocks and in backquotes exist.
//   - the tutorial: its commands are executed in order in a new folder, and print what the page says, but for numbers.
//   - examples: every exported type and function of the public packages is in an Example, or in a list with a reason.
//
// Tests that build programs are left out with -short.
package docs
