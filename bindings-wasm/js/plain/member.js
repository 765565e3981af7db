// What a process knows of a shared budget: the state machine of SPEC 15.7, whose rules the comments number.

import { define } from "../core/show.js";
import { checkBudget } from "./budget.js";
import { RATE, TTL } from "./budget-fields.js";
import { UNITS } from "./messages.js";
import { draw, least, most, sample, scale, WORD_MAX, word } from "./numbers.js";
import { parsePolicyText } from "./policy-text.js";
import { delayOf } from "./schedule.js";
import { streamOfNumber } from "./siphash.js";
import { readNumbers, VersionedAccount } from "./states.js";

/** The outcomes after which a retry may be requested, in the order of the answers. */
const RETRIED = ["transient", "throttled", "timeout"];
/** The six counts: an event, and the outcome after which the retry that it held was granted. */
const COUNTED = [
	["operation_began"],
	["operation_succeeded"],
	["operation_succeeded", "transient"],
	["operation_succeeded", "throttled"],
	["operation_succeeded", "timeout"],
	["attempt_failed"],
];
/** This many events begin an exchange. While the store is away, at most this many of each kind are kept. */
const MANY = 100;
/** Of each count, of the processes, and of the requests that wait after an outcome. */
const MAX_COUNT = 1_000_000;
const OLD = 30n;
const MINUTE = 60n;
const SHORTEST_PAUSE = 1_000_000n;
const LAST_INDEX = 4_294_967_295;

const forEach = (value) => Object.fromEntries(RETRIED.map((outcome) => [outcome, value(outcome)]));
const noCounts = () => COUNTED.map(() => 0);
const capped = (count) => Math.min(count, MAX_COUNT);

export const BudgetMember = /* @__PURE__ */ define(
	class BudgetMember {
		/** `budget` is the shared one, `local` decides while the store is away; the timeout and all times are in ns. */
		constructor(budget, local, lease, fallback, timeout, seed) {
			const { fields } = checkBudget(budget);
			/** What a granted retry of the shared budget gives. */
			const gives = (outcome) => new VersionedAccount(fields).step("retry_requested", 0n, { outcome }).held;
			members.set(this, {
				fields,
				lease,
				fallback,
				seed,
				configuredTimeout: timeout,
				gives: forEach(gives),
				local: new VersionedAccount(checkBudget(local).fields),
				localGrants: 0n,
				processes: 1,
				failedExchanges: 0,
				lostSwaps: 0,
				localDecisions: 0,
				countedIn: undefined,
				counts: noCounts(),
				noted: 0n,
				waiting: forEach(() => 0),
				unused: forEach(() => 0),
				awayUntil: 0n,
				pause: 0n,
				pauseEnds: 0n,
				exchanges: 0,
				exchange: undefined,
			});
		}

		/** Rule 1. */
		note(event, held, isLocal, now) {
			const member = members.get(this);
			if (!COUNTED.some(([counted]) => counted === event)) {
				return;
			}
			const { counts, gives, local } = member;
			local.step(event, now, { held: isLocal ? held : 0n, times: fleetOf(member) });
			if (!counts.some(Boolean)) {
				member.noted = now;
			}
			const outcome = held && !isLocal ? RETRIED.find((each) => gives[each] === held) : undefined;
			const place =
				event === "operation_succeeded"
					? COUNTED.findIndex((counted) => counted[0] === event && counted[1] === outcome)
					: COUNTED.findIndex(([counted]) => counted === event);
			counts[place] = capped(counts[place] + 1);
			if (isAway(member, now)) {
				keepMany(member);
			}
		}

		/** Rule 2: the answer, undefined if the request waits. */
		request(outcome, now) {
			const member = members.get(this);
			const refused = { granted: false, held: 0n, isLocal: true };
			if (!RETRIED.includes(outcome)) {
				return refused;
			}
			const { gives, unused, waiting } = member;
			if (unused[outcome] > 0) {
				unused[outcome]--;
				return { granted: true, held: gives[outcome], isLocal: false };
			}
			if (isAway(member, now)) {
				member.localDecisions++;
				return requestLocally(member, outcome, now) ?? refused;
			}
			if (waiting[outcome] === MAX_COUNT) {
				return refused;
			}
			waiting[outcome]++;
			return undefined;
		}

		/** Rule 2. */
		cancel(outcome) {
			const { exchange, waiting } = members.get(this);
			if (!waiting[outcome]) {
				return;
			}
			waiting[outcome]--;
			if (exchange && exchange.asked[outcome] > exchange.granted[outcome]) {
				exchange.asked[outcome]--;
			}
		}

		isAway(now) {
			return isAway(members.get(this), now);
		}

		/** Rule 3: in how many ns an exchange is to begin; undefined for none. */
		dueIn(now) {
			const member = members.get(this);
			const { counts, exchange, noted, pauseEnds, waiting } = member;
			const sum = counts.reduce((one, other) => one + other);
			const isOld = sum > 0 && now - noted >= OLD * UNITS.s;
			const isFull = (sum >= MANY || isOld) && !isAway(member, now);
			const isDue = !exchange && (isFull || Object.values(waiting).some(Boolean));
			return isDue ? most(0n, pauseEnds - now) : undefined;
		}

		hasUnsent() {
			const { counts, exchange } = members.get(this);
			return counts.some(Boolean) || exchange !== undefined;
		}

		/** How many ns a request may wait now. */
		timeout() {
			return timeoutOf(members.get(this));
		}

		/** What has happened so far, for metrics. */
		stats() {
			const { exchanges, failedExchanges, lostSwaps, localDecisions, processes } = members.get(this);
			return Object.freeze({ exchanges, failedExchanges, lostSwaps, localDecisions, processes });
		}

		/** Rule 3. */
		begin(now) {
			const member = members.get(this);
			member.exchanges++;
			member.exchange = {
				begun: now,
				slice: member.countedIn,
				lost: 0,
				sent: noCounts(),
				asked: forEach(() => 0),
				/** Of those that were asked. */
				granted: forEach(() => 0),
				leased: forEach(() => 0),
			};
		}

		/** Rule 4: the text after the steps of a text (null for none) and the steps; undefined if the text is no account. */
		step(text, now) {
			const member = members.get(this);
			const loaded = readAccount(member.fields, text);
			if (!loaded) {
				return undefined;
			}
			const { account, processes } = loaded;
			const before = textOf(account, processes);
			const after = countProcesses(member, processes, now);
			correctClock(account, now);
			const steps = makeSteps(member, account, now);
			const textAfter = textOf(account, after);
			return { after: textAfter, isChanged: textAfter !== before, steps };
		}

		/** Rule 5: for each outcome, how many of the oldest requests are granted and refused, and what one gives. */
		stored(now) {
			const member = members.get(this);
			const { exchange, gives, lease, unused, waiting } = member;
			member.countedIn = exchange.slice;
			const answers = RETRIED.map((outcome) => {
				unused[outcome] += exchange.granted[outcome] + exchange.leased[outcome];
				const granted = Math.min(waiting[outcome], unused[outcome]);
				const notGranted = Math.max(0, exchange.asked[outcome] - exchange.granted[outcome]);
				const refused = Math.min(waiting[outcome] - granted, notGranted);
				waiting[outcome] -= granted + refused;
				unused[outcome] = Math.min(unused[outcome] - granted, Math.max(lease, 16) - 1);
				return { outcome, granted, refused, held: gives[outcome] };
			});
			const isLate = isOverdue(member, now);
			end(member, now);
			if (isLate) {
				goAway(member, now);
			}
			return answers;
		}

		/** Rule 6: the wait in ns; undefined if the exchange has failed. */
		lost(now) {
			const member = members.get(this);
			const { exchange } = member;
			const wait = delayOf(parsePolicyText("full:base=1ms,cap=16ms"), streamOf(member), exchange.lost);
			exchange.lost++;
			member.lostSwaps++;
			return now + wait < exchange.begun + timeoutOf(member) ? wait : undefined;
		}

		/** Rule 7. */
		failed(mayBeStored, now) {
			const member = members.get(this);
			const { counts, exchange } = member;
			member.failedExchanges++;
			if (mayBeStored) {
				member.countedIn = exchange.slice;
			} else {
				member.counts = counts.map((count, place) => capped(count + exchange.sent[place]));
			}
			end(member, now);
			goAway(member, now);
		}

		/** Rule 8. */
		late(now) {
			goAway(members.get(this), now);
		}
	},
	"name",
	"BudgetMember",
);

const members = /* @__PURE__ */ new WeakMap();

/** Until the first exchange has ended, the store may need a new connection. */
function timeoutOf({ configuredTimeout, exchange, exchanges }) {
	const isFirst = exchanges === 0 || (exchanges === 1 && exchange);
	return isFirst ? most(configuredTimeout, UNITS.s) : configuredTimeout;
}

function isOverdue(member, now) {
	return member.exchange !== undefined && member.exchange.begun <= now - timeoutOf(member);
}

const isAway = (member, now) => now < member.awayUntil || isOverdue(member, now);

/** The number of processes for which the local budget decides. */
const fleetOf = ({ fallback, processes }) => (fallback === WORD_MAX ? 0n : fallback || BigInt(processes));

function keepMany(member) {
	member.counts = member.counts.map((count) => Math.min(count, MANY));
}

/** Rule 2 while the store is away; undefined if the local budget refuses. */
function requestLocally(member, outcome, now) {
	const { local, seed } = member;
	const fleet = fleetOf(member);
	const before = local.text;
	let answer;
	for (let number = 0n; number < fleet; number++) {
		const { granted, held } = local.step("retry_requested", now, { outcome });
		if (!granted) {
			break;
		}
		const granting = { granted, held, isLocal: true };
		if (local.text === before) {
			// It grants them all.
			member.localGrants += fleet - number;
			return granting;
		}
		if ((seed + member.localGrants) % fleet === 0n) {
			answer = granting;
		}
		member.localGrants++;
	}
	return answer;
}

const textOf = (account, processes) => `${account.text} | ${processes.join(" ")}`;

/** The account of a text, and its slice and the numbers of its processes. */
function readAccount(fields, text) {
	const none = [0n, 0n, 0n];
	if (text === null) {
		return { account: new VersionedAccount(fields), processes: none };
	}
	const [, state, numbers] = /^(.*?)(?: \| (.*))?$/s.exec(text);
	const account = VersionedAccount.read(fields, state);
	const processes = numbers === undefined ? none : readNumbers(numbers, 3);
	const isValid = processes?.every((number, place) => number >= 0n && number <= (place ? MAX_COUNT : WORD_MAX));
	return account && isValid ? { account, processes } : undefined;
}

/** Rule 4.5: the slice, its number of processes, and that of the slice before. */
function countProcesses(member, [latest, inLatest, inBefore], now) {
	const current = now / (MINUTE * UNITS.s);
	let [slice, count, before] = [latest, inLatest, inBefore];
	if (slice !== current && slice !== current + 1n) {
		[slice, count, before] = [current, 0n, latest === current - 1n ? count : 0n];
	}
	if (member.countedIn !== slice || count === 0n) {
		count = least(count + 1n, BigInt(MAX_COUNT));
	}
	member.exchange.slice = slice;
	member.processes = Number([count, before, 1n].reduce(most));
	return [slice, count, before];
}

/** Rule 4.1. */
function correctClock(account, now) {
	const { fields, kind, numbers } = account;
	const ahead = now + MINUTE * UNITS.s;
	const length = kind === TTL ? fields.ttl / 10n : 1n;
	if (kind === RATE && numbers[1] > ahead) {
		numbers[1] = now;
	} else if (kind === TTL && numbers[0] > ahead / length) {
		account.numbers = numbers.map((_, place) => (place ? 0n : now / length));
	} else {
		return;
	}
	account.version = word(account.version + 1n);
}

/** Rules 4.2 to 4.4. */
function makeSteps(member, account, now) {
	const { counts, exchange, gives, lease, waiting } = member;
	const steps = [];
	const make = (event, outcome, held, limit, untilRefused = false) => {
		let [count, granted] = [0, 0];
		let isRefused = false;
		while (count < limit && !(untilRefused && isRefused)) {
			count++;
			isRefused = !account.step(event, now, { outcome, held }).granted;
			granted += isRefused ? 0 : 1;
		}
		if (count > 0) {
			const isRequest = event === "retry_requested";
			steps.push({ event, outcome: outcome ?? null, held, count, granted: isRequest ? granted : null });
		}
		return granted;
	};
	for (const [place, [event, outcome]] of COUNTED.entries()) {
		exchange.sent[place] = capped(exchange.sent[place] + counts[place]);
		counts[place] = 0;
		make(event, undefined, outcome ? gives[outcome] : 0n, exchange.sent[place]);
	}
	for (const outcome of RETRIED) {
		exchange.asked[outcome] = waiting[outcome];
		exchange.granted[outcome] = make("retry_requested", outcome, 0n, waiting[outcome]);
	}
	for (const outcome of RETRIED) {
		const asked = exchange.asked[outcome];
		const isAll = asked > 0 && asked === exchange.granted[outcome];
		const limit = isAll ? Math.max(lease - 1, contended(member, account, outcome, now)) : 0;
		exchange.leased[outcome] = make("retry_requested", outcome, 0n, limit, true);
	}
	return steps;
}

/** Rule 4.4: the retries that a request takes along because of the pause. */
function contended({ pause }, account, outcome, now) {
	const left = account.copy();
	let granted = 0;
	for (let number = 16n * least(pause / SHORTEST_PAUSE, 15n); number > 0n; number--) {
		granted += left.step("retry_requested", now, { outcome }).granted ? 1 : 0;
	}
	return Math.floor(granted / 16);
}

const streamOf = ({ exchanges, seed }) => streamOfNumber(seed, BigInt(exchanges));

/** Rule 9. */
function end(member, now) {
	const { configuredTimeout, exchange, pause } = member;
	const { lost } = exchange;
	member.exchange = undefined;
	member.pause =
		lost === 0
			? scale(pause, 0x700000008n)
			: least(most(pause, SHORTEST_PAUSE) * 2n ** BigInt(lost), configuredTimeout / 3n);
	const part = member.pause / 2n;
	member.pauseEnds = now + member.pause - part + sample(draw(streamOf(member), LAST_INDEX), 0n, part);
}

/** Rule 10. The caller requests the retries again that waited. */
function goAway(member, now) {
	member.awayUntil = now + UNITS.s;
	keepMany(member);
	member.waiting = forEach(() => 0);
	if (member.exchange) {
		member.exchange.asked = forEach(() => 0);
	}
}
