package backoffhttp

import (
	"fmt"
	"net/url"
	"testing"
)

func TestOrigins(t *testing.T) {
	origins := newOrigins(DefaultBudget)
	budgetOf := func(address string) any {
		parsed, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		budget, err := origins.of(parsed)
		if err != nil {
			t.Fatal(err)
		}
		return budget
	}
	same := budgetOf("http://example.com/a")
	// That of SPEC 19.8, which sets no other fields.
	if got := fmt.Sprint(same); got != "ttl" {
		t.Errorf("the budget is %s", got)
	}
	for address, want := range map[string]bool{
		"http://example.com:80/b?c": true, "HTTP://EXAMPLE.com": true, "http://user@example.com": true,
		"https://example.com": false, "http://example.com:8080": false, "http://www.example.com": false,
	} {
		if got := budgetOf(address) == same; got != want {
			t.Errorf("%s has the same budget: %t", address, got)
		}
	}
	secure := budgetOf("https://example.com:443")
	if secure != budgetOf("https://example.com") {
		t.Error("port 443 is another origin")
	}
	// The origins that were used last keep their budgets.
	for i := range maxOrigins - 1 {
		budgetOf(fmt.Sprintf("http://%d.example.com", i))
		budgetOf("http://example.com")
	}
	if budgetOf("http://example.com") != same || budgetOf("https://example.com") == secure {
		t.Error("the wrong origin was forgotten")
	}
	if len(origins.entries) != maxOrigins || origins.recent.Len() != maxOrigins {
		t.Errorf("%d origins", len(origins.entries))
	}
}
