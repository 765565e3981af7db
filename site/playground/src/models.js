// The models of the simulator: their options, as `backoff simulate MODEL` calls them.

/** An option: its default, what it means, and the names that it takes if these are all. */
const OPTIONS = {
	clients: ["none", "numbers of clients, such as 10,20,50 or 10-190:10"],
	operations: ["1", "operations of each client, one after another"],
	start: ["0s", "when clients begin their first operation"],
	think: ["0s", "time between two operations of a client"],
	rate: ["none", "operations that arrive in a second, such as 50,70.5 or 50-100:10"],
	duration: ["1m", "how long operations arrive"],
	interval: ["none", "measure the load over time in intervals of this length"],
	runs: ["100", "number of runs of each point"],
	seed: ["1", "equal seeds give equal results on every machine"],
	processes: ["1", "processes that the clients are spread over; each has a budget of its own"],
	deadline: ["none", "how long after its beginning an operation may retry"],
	leg: ["normal:mean=10ms,sd=2ms", "time that a message takes"],
	service: ["exponential:mean=10ms", "time that the server needs for a call"],
	workers: ["1", "calls that are served at the same time"],
	capacity: ["none", "most calls that the server holds; it rejects the next"],
	limit: ["none", "most calls that the server admits in a second; it rejects the next"],
	timeout: ["1s", "how long a client waits for an answer, or none"],
	network: ["0s", "time that a message takes in each direction"],
	latency: ["10ms", "time of a call that is alone"],
	"per-call": ["10ms", "time that each other call in progress adds"],
	layers: ["3", "layers that retry, the clients included"],
	overhead: ["0s", "time that another layer takes before it calls the next"],
	failure: ["0", "how likely a call fails by itself, from 0 to 1"],
	outage: ["none", "time in which the server does not serve, such as 20s..30s"],
	"outage-mode": ["stalled", "what happens to calls in an outage", ["stalled", "refusing"]],
	rejection: ["throttled", "the outcome of a rejected call", ["throttled", "transient"]],
	"retry-after": ["none", "Retry-After of a rejection"],
	"give-up": ["transient", "the outcome that a layer sees when the layer below gives up", ["transient", "permanent"]],
	"drops-stale": ["false", "drop calls whose client has given up, without serving them", ["false", "true"]],
};

const FAILURES = ["failure", "outage", "outage-mode", "rejection", "retry-after"];

/** Of a number of clients, and of operations that arrive by themselves. */
const [CLOSED, OPEN] = [
	["clients", "operations", "start", "think"],
	["rate", "duration"],
];
const CLIENTS = [...CLOSED, ...OPEN, "interval", "processes", "deadline"];

/** The options that are shown, and those that are behind a click. */
export const MODELS = {
	occ: {
		name: "contention for one row",
		about:
			"Clients update one row, each by a read and a write (occ: optimistic concurrency control). The model of the article.",
		options: ["clients", "runs"],
		more: ["leg", ...CLIENTS],
	},
	serial: {
		name: "a server for one client at a time",
		about: "A server serves one client at a time and turns the others away.",
		options: ["clients", "service", "runs"],
		more: CLIENTS,
	},
	queue: {
		name: "a service with a queue",
		about: "A server with workers and a queue. Clients time out, and the server can fail.",
		options: ["rate", "outage", "interval", "capacity", "duration", "runs"],
		more: ["workers", "service", "limit", "timeout", "network", "drops-stale", ...FAILURES, ...CLIENTS],
	},
	latency: {
		name: "a service that slows down",
		about: "A server whose latency grows with the number of calls in progress.",
		options: ["rate", "latency", "per-call", "duration", "interval", "runs"],
		more: ["timeout", "network", ...FAILURES, ...CLIENTS],
	},
	layers: {
		name: "services that call each other",
		about: "Services that call each other, each of which retries.",
		options: ["layers", "failure", "clients", "runs"],
		more: ["latency", "overhead", "give-up", ...CLIENTS],
	},
};

/** Defaults that differ between models. */
const OWN = {
	occ: { clients: "10-190:10" },
	serial: { clients: "10-190:10", service: "10ms" },
	queue: { rate: "50-110:10" },
	latency: { rate: "5-30:5", latency: "1s", timeout: "3s", network: "exponential:mean=100ms" },
	layers: { clients: "1000", failure: "0.1" },
};

export function option(model, name) {
	const [value, about, values] = OPTIONS[name];
	return { value: OWN[model]?.[name] ?? value, about, values };
}

/** Those that are behind a click. */
export const moreOf = (model) => MODELS[model].more.filter((name) => !MODELS[model].options.includes(name));

export const optionsOf = (model) => [...MODELS[model].options, ...moreOf(model)];

/** The options of a load that are of no use beside these: the command refuses both. */
export function unused(options) {
	if ("clients" in options) {
		return OPEN;
	}
	return "rate" in options ? CLOSED : [];
}

/** The policies of the article, as the command has them. Decorrelated delays begin at the base itself. */
export const ARTICLE = [
	"none=none",
	"exponential=exponential:base=10ms,cap=2s",
	"full=full:base=10ms,cap=2s",
	"equal=equal:base=10ms,cap=2s",
	"decorrelated=decorrelated:base=5ms,cap=2s",
];

/**
 * Experiments to start from, and what each shows. `policies` are beside the one that is edited, `POLICY`.
 */
export const EXPERIMENTS = {
	"The article's charts": {
		about:
			"Without backoff the work grows with the square of the clients, with jitter about linearly. Exponential backoff without jitter takes longest: the clients collide again and again.",
		model: "occ",
		policies: ARTICLE,
	},
	"An outage, with and without a budget": {
		about:
			"The success is almost the same: an outage fails what it fails. Look at the load: without a budget, retries multiply it in the outage and right after it; with a budget it stays near the arrivals, and the service recovers sooner.",
		model: "queue",
		options: { rate: "70", outage: "20s..30s", interval: "1s", capacity: "100", duration: "80s", runs: "20" },
		policies: ["with a budget=POLICY;budget=sre", "at once=immediate:max_retries=3"],
	},
	"More and more load": {
		about:
			"Below the capacity of 100 calls in a second nothing differs. Above it, retries without a budget keep the service busy with calls that come too late, and more operations fail than without any retry.",
		model: "queue",
		options: { rate: "50-110:10", capacity: "100", runs: "20" },
		policies: ["with a budget=POLICY;budget=sre", "no retries=off"],
	},
	"A rate limit": {
		about:
			"Retries do not raise a limit of 50 calls in a second: as many operations succeed, and without a budget the service gets about twice the calls for it.",
		model: "queue",
		options: { rate: "60", limit: "50", service: "10ms", workers: "10", runs: "20" },
		policies: ["with a budget=POLICY;budget=sre", "no retries=off"],
	},
	"Layers that retry": {
		about:
			"Every call of the last service fails. Each layer multiplies the calls by its attempts, and a budget in each layer stops that.",
		model: "layers",
		options: { failure: "1", runs: "20" },
		policies: ["with a budget=POLICY;budget=sre", "no retries=off"],
	},
};
