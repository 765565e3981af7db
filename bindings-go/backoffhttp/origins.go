// The budgets of origins.

package backoffhttp

import (
	"container/list"
	"net/url"
	"strings"
	"sync"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// maxOrigins is how many origins have a budget. The one that was not used for longest loses it.
const maxOrigins = 1000

// origins are the budgets of origins.
type origins struct {
	text    string // the budget string
	mutex   sync.Mutex
	entries map[string]*list.Element
	recent  *list.List // of *origin; the last used one is first
}

type origin struct {
	name   string
	budget *backoff.Budget
}

func newOrigins(text string) *origins {
	return &origins{text: text, entries: make(map[string]*list.Element), recent: list.New()}
}

// of returns the budget of the origin of a URL.
func (o *origins) of(address *url.URL) (*backoff.Budget, error) {
	name := nameOf(address)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if entry, ok := o.entries[name]; ok {
		o.recent.MoveToFront(entry)
		return entry.Value.(*origin).budget, nil
	}
	budget, err := backoff.ParseBudget(o.text)
	if err != nil {
		return nil, err
	}
	o.entries[name] = o.recent.PushFront(&origin{name, budget})
	if o.recent.Len() > maxOrigins {
		oldest := o.recent.Remove(o.recent.Back()).(*origin)
		delete(o.entries, oldest.name)
	}
	return budget, nil
}

// nameOf returns a scheme, a host and a port.
func nameOf(address *url.URL) string {
	scheme, port := strings.ToLower(address.Scheme), address.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(address.Hostname()) + ":" + port
}
