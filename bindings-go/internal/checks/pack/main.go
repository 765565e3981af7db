// Command pack writes the zip file of the module backoff as a module proxy would serve it:
//
//	pack VERSION FILE
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/backoff-rs/backoff/bindings-go/internal/checks"
)

func main() {
	if len(os.Args) != 3 {
		fail("usage: pack VERSION FILE")
	}
	file, err := os.Create(os.Args[2])
	if err != nil {
		fail(err)
	}
	if err := checks.WriteZip(file, filepath.Join("..", ".."), os.Args[1]); err != nil {
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
