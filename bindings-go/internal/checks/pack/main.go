// Command pack writes the zip file of the module backoff, or that of an adapter, as a module proxy would serve it:
//
//	pack VERSION FILE [ADAPTER]
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/backoff-rs/backoff/bindings-go/internal/checks"
)

func main() {
	if len(os.Args) != 3 && len(os.Args) != 4 {
		fail("usage: pack VERSION FILE [ADAPTER]")
	}
	path, folder := checks.ModulePath, filepath.Join("..", "..")
	if len(os.Args) == 4 {
		path += "/adapters/" + os.Args[3]
		folder = filepath.Join(folder, "adapters", os.Args[3])
	}
	file, err := os.Create(os.Args[2])
	if err != nil {
		fail(err)
	}
	if err := checks.WriteZip(file, path, folder, os.Args[1]); err != nil {
		fail(err)
	}
	if err := file.Close(); err != nil {
		fail(err)
	}
}

func fail(reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(1)
}
