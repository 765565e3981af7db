package backoffavast

import (
	"testing"

	"github.com/backoff-rs/backoff/bindings-go/internal/page"
)

func TestProgramOfThePage(t *testing.T) { page.Program(t) }
