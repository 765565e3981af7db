// The pages of tasks: for each language, the parts of its pages that say how. Only the first lines are written here.

export const tasks = [
	{
		name: "retry",
		title: "Retry a call",
		text: "A loop calls a function until it succeeds, until the failure is one that you did not allow, or until the policy says stop.",
		parts: {
			python: ["bindings-python/docs/retry.md#^", "bindings-python/docs/retry.md#What may be retried"],
			javascript: ["bindings-wasm/docs/retry.md#^", "bindings-wasm/docs/retry.md#What may be retried"],
			go: [
				"bindings-go/README.md#A first program",
				"bindings-go/docs/retry.md#The error",
				"bindings-go/docs/retry.md#What may be retried",
			],
			rust: ["bindings-rust/docs/retry.md#^", "bindings-rust/docs/retry.md#What to retry"],
			c: ["bindings-c/docs/retry.md#^", "bindings-c/docs/retry.md#What may be retried"],
		},
		more: ["docs/programs.md", "docs/choosing.md", "docs/presets.md", "docs/migrating.md"],
	},
	{
		name: "http",
		title: "Retry HTTP requests",
		text: "An adapter repeats what may be repeated, honours Retry-After, and has a budget for each server.",
		parts: {
			python: [
				"bindings-python/docs/http.md#^",
				"bindings-python/ADAPTERS.md#HTTP clients",
				"bindings-python/ADAPTERS.md#httpx",
			],
			javascript: [
				"bindings-wasm/docs/http.md#^",
				"bindings-wasm/ADAPTERS.md#HTTP clients",
				"bindings-wasm/ADAPTERS.md#fetch",
			],
			go: ["bindings-go/ADAPTERS.md#HTTP"],
			rust: ["bindings-rust/docs/http.md#^", "bindings-rust/adapters/docs/reqwest_middleware.md"],
			c: ["bindings-c/docs/libcurl.md"],
		},
		more: ["docs/http-budget.md", "docs/choosing.md"],
	},
	{
		name: "jobs",
		title: "Retry the jobs of a queue",
		text: "A delay depends on the key of the job and on the number of its retries alone, so any worker computes the same one.",
		parts: {
			python: ["bindings-python/ADAPTERS.md#Celery", "bindings-python/ADAPTERS.md#Dramatiq"],
			javascript: ["bindings-wasm/ADAPTERS.md#BullMQ"],
			go: ["bindings-go/ADAPTERS.md#Job queues"],
			rust: ["bindings-rust/adapters/docs/apalis.md"],
			c: ["bindings-c/docs/without-a-loop.md"],
		},
		more: ["docs/programs.md#Delays without a loop", "docs/choosing.md"],
	},
	{
		name: "fleet",
		title: "One budget for a fleet",
		text: "Many processes, also of several languages, share one budget in a store, so a server that is down sees the retries of one.",
		parts: {
			python: [
				"bindings-python/docs/budgets.md#One budget for many processes",
				"bindings-python/ADAPTERS.md#Redis",
				"bindings-python/ADAPTERS.md#Postgres",
			],
			javascript: [
				"bindings-wasm/docs/budgets.md#One budget for many processes",
				"bindings-wasm/ADAPTERS.md#Redis",
				"bindings-wasm/ADAPTERS.md#PostgreSQL",
			],
			go: [
				"bindings-go/docs/budgets.md#One budget for many processes",
				"bindings-go/ADAPTERS.md#One budget for many processes",
			],
			rust: ["bindings-rust/docs/budgets.md#One budget for many processes", "bindings-rust/adapters/docs/stores.md"],
			c: ["bindings-c/docs/budgets.md#One budget for many processes"],
		},
		more: ["docs/shared-budgets.md", "docs/choosing.md"],
	},
	{
		name: "test",
		title: "Test without sleeping",
		text: "A test replaces the clock and the sleep, and a seed makes each delay known.",
		parts: {
			python: ["bindings-python/docs/testing.md"],
			javascript: ["bindings-wasm/docs/testing.md"],
			go: ["bindings-go/docs/testing.md"],
			rust: ["bindings-rust/docs/testing.md"],
			c: ["bindings-c/docs/testing.md"],
		},
		more: ["docs/programs.md#The same delays"],
	},
	{
		name: "observe",
		title: "Observe retries",
		text: "Hooks see each retry and the end of each loop. Counters and histograms go where your telemetry is.",
		parts: {
			python: [
				"bindings-python/docs/observe.md",
				"bindings-python/ADAPTERS.md#OpenTelemetry",
				"bindings-python/ADAPTERS.md#Prometheus",
			],
			javascript: ["bindings-wasm/docs/observe.md", "bindings-wasm/ADAPTERS.md#OpenTelemetry"],
			go: ["bindings-go/docs/observe.md", "bindings-go/ADAPTERS.md#OpenTelemetry"],
			rust: [
				"bindings-rust/docs/observe.md",
				"bindings-rust/adapters/docs/tracing.md",
				"bindings-rust/adapters/docs/metrics.md",
			],
			c: ["bindings-c/docs/observability.md"],
		},
		more: ["docs/shared-budgets.md#Watch it"],
	},
	{
		name: "deadline",
		title: "Fit a deadline",
		text: "No wait ends after the deadline. Previews say how long a policy takes, and a fit changes it until it is in time.",
		parts: {
			python: ["bindings-python/docs/retry.md#Limit and cancel", "bindings-python/docs/policies.md#Preview a policy"],
			javascript: [
				"bindings-wasm/docs/retry.md#Cancel",
				"bindings-wasm/docs/retry.md#Limit an attempt",
				"bindings-wasm/docs/policies.md#Preview a policy",
			],
			go: ["bindings-go/docs/retry.md#Cancel", "bindings-go/docs/policies.md#Preview a policy"],
			rust: [
				"bindings-rust/docs/retry.md#^",
				"bindings-rust/docs/retry.md#The time of an attempt",
				"core/README.md#Policies",
			],
			c: ["bindings-c/docs/retry.md#The time of an attempt", "bindings-c/docs/policies.md#Previews"],
		},
		more: ["tools/cli/docs/policies.md#fit", "docs/choosing.md"],
	},
];
