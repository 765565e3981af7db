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
/** The six counts: an event, and the place of the outcome after which the retry that it held was granted. */
const COUNTED = [
	["operation_began"],
	["operation_succeeded"],
	["operation_succeeded", 0],
	["operation_succeeded", 1],
	["operation_succeeded", 2],
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

const zeros = () => RETRIED.map(() => 0);
const noCounts = () => COUNTED.map(() => 0);
const capped = (count) => Math.min(count, MAX_COUNT);

export const BudgetMember = /* @__PURE__ */ define(
	class BudgetMember {
		/** `budget` is the shared one, `local` decides while the store is away; the timeout and all times are in ns. */
		constructor(budget, local, lease, fallback, timeout, seed) {
			const { fields } = checkBudget(budget);
			const methods = memberOf(fields, checkBudget(local).fields, lease, fallback, timeout, seed);
			for (const [name, method] of Object.entries(methods)) {
				define(this, name, method);
			}
		}
	},
	"name",
	"BudgetMember",
);

/** The methods of a member. Its state is in variables: a minifier shortens their names, but not those of properties. */
function memberOf(fields, localFields, lease, fallback, configuredTimeout, seed) {
	/** What a granted retry of the shared budget gives, by the place of its outcome, as in all these lists. */
	const gives = RETRIED.map((outcome) => new VersionedAccount(fields).step("retry_requested", 0n, { outcome }).held);
	const local = new VersionedAccount(localFields);
	let localGrants = 0n;
	let processes = 1;
	let [exchanges, failedExchanges, lostSwaps, localDecisions] = [0, 0, 0, 0];
	let countedIn;
	let counts = noCounts();
	let noted = 0n;
	let waiting = zeros();
	const unused = zeros();
	let awayUntil = 0n;
	let [pause, pauseEnds] = [0n, 0n];
	/** Of the exchange under way; no `begun` if there is none. */
	let begun;
	let slice;
	let lost;
	let sent;
	let [asked, granted, leased] = [zeros(), zeros(), zeros()];

	/** Until the first exchange has ended, the store may need a new connection. */
	const timeout = () => {
		const isFirst = exchanges === 0 || (exchanges === 1 && begun !== undefined);
		return isFirst ? most(configuredTimeout, UNITS.s) : configuredTimeout;
	};
	const isOverdue = (now) => begun !== undefined && begun <= now - timeout();
	const isAway = (now) => now < awayUntil || isOverdue(now);
	/** The number of processes for which the local budget decides. */
	const fleet = () => (fallback === WORD_MAX ? 0n : fallback || BigInt(processes));
	const keepMany = () => {
		counts = counts.map((count) => Math.min(count, MANY));
	};
	const stream = () => streamOfNumber(seed, exchanges);

	/** Rule 2 while the store is away; undefined if the local budget refuses. */
	const requestLocally = (outcome, now) => {
		const count = fleet();
		const before = local.text;
		let answer;
		for (let number = 0n; number < count; number++) {
			const { granted: isGranted, held } = local.step("retry_requested", now, { outcome });
			if (!isGranted) {
				break;
			}
			if (local.text === before) {
				// It grants them all.
				localGrants += count - number;
				return held;
			}
			answer = (seed + localGrants++) % count === 0n ? held : answer;
		}
		return answer;
	};

	/** Rule 4.5: the slice, its number of processes, and that of the slice before. */
	const countProcesses = ([latest, count, before], now) => {
		const current = now / (MINUTE * UNITS.s);
		let after = [latest, count, before];
		if (latest !== current && latest !== current + 1n) {
			after = [current, 0n, latest === current - 1n ? count : 0n];
		}
		if (countedIn !== after[0] || after[1] === 0n) {
			after[1] = least(after[1] + 1n, BigInt(MAX_COUNT));
		}
		slice = after[0];
		processes = Number([after[1], after[2], 1n].reduce(most));
		return after;
	};

	/** Rules 4.2 to 4.4. */
	const makeSteps = (account, now) => {
		const steps = [];
		const make = (event, outcome, held, limit, untilRefused = false) => {
			let [count, grants] = [0, 0];
			while (count < limit && !(untilRefused && grants < count)) {
				count++;
				grants += account.step(event, now, { outcome, held }).granted ? 1 : 0;
			}
			if (count > 0) {
				const isRequest = outcome !== null;
				steps.push({ event, outcome, held, count, granted: isRequest ? grants : null });
			}
			return grants;
		};
		const request = (place, limit, untilRefused) => make("retry_requested", RETRIED[place], 0n, limit, untilRefused);
		for (const [place, [event, of]] of COUNTED.entries()) {
			sent[place] = capped(sent[place] + counts[place]);
			make(event, null, gives[of] ?? 0n, sent[place]);
		}
		counts = noCounts();
		asked = [...waiting];
		granted = asked.map((count, place) => request(place, count));
		leased = asked.map((count, place) => {
			const isAll = count > 0 && count === granted[place];
			return request(place, isAll ? Math.max(lease - 1, contended(account, RETRIED[place], now)) : 0, true);
		});
		return steps;
	};

	/** Rule 4.4: the retries that a request takes along because of the pause. */
	const contended = (account, outcome, now) => {
		const left = account.copy();
		let grants = 0;
		for (let number = 16n * least(pause / SHORTEST_PAUSE, 15n); number > 0n; number--) {
			grants += left.step("retry_requested", now, { outcome }).granted ? 1 : 0;
		}
		return Math.floor(grants / 16);
	};

	/** Rule 9. */
	const end = (now) => {
		begun = undefined;
		pause =
			lost === 0
				? scale(pause, 0x7_0000_0008n)
				: least(most(pause, SHORTEST_PAUSE) * 2n ** BigInt(lost), configuredTimeout / 3n);
		const part = pause / 2n;
		pauseEnds = now + pause - part + sample(draw(stream(), LAST_INDEX), 0n, part);
	};

	/** Rule 10. The caller requests the retries again that waited. */
	const goAway = (now) => {
		awayUntil = now + UNITS.s;
		keepMany();
		waiting = zeros();
		asked = zeros();
	};

	return {
		isAway,
		/** How many ns a request may wait now. */
		timeout,
		/** Rule 8. */
		late: goAway,

		/** Rule 1. */
		note(event, held, isLocal, now) {
			const of = held && !isLocal ? gives.indexOf(held) : -1;
			const place = COUNTED.findIndex(
				([counted, outcome = -1]) => counted === event && (event !== "operation_succeeded" || outcome === of),
			);
			if (place < 0) {
				return;
			}
			local.step(event, now, { held: isLocal ? held : 0n, times: fleet() });
			if (!counts.some(Boolean)) {
				noted = now;
			}
			counts[place] = capped(counts[place] + 1);
			if (isAway(now)) {
				keepMany();
			}
		},

		/** Rule 2: the answer, undefined if the request waits. */
		request(outcome, now) {
			const place = RETRIED.indexOf(outcome);
			if (unused[place] > 0) {
				unused[place]--;
				return { granted: true, held: gives[place], isLocal: false };
			}
			if (place >= 0 && isAway(now)) {
				localDecisions++;
				const held = requestLocally(outcome, now);
				return { granted: held !== undefined, held: held ?? 0n, isLocal: true };
			}
			if (place < 0 || waiting[place] === MAX_COUNT) {
				return { granted: false, held: 0n, isLocal: true };
			}
			waiting[place]++;
			return undefined;
		},

		/** Rule 2. */
		cancel(outcome) {
			const place = RETRIED.indexOf(outcome);
			if (waiting[place] > 0) {
				waiting[place]--;
				asked[place] -= begun !== undefined && asked[place] > granted[place] ? 1 : 0;
			}
		},

		/** Rule 3: in how many ns an exchange is to begin; undefined for none. */
		dueIn(now) {
			const sum = counts.reduce((one, other) => one + other);
			const isMuch = (sum >= MANY || (sum > 0 && now - noted >= OLD * UNITS.s)) && !isAway(now);
			const isDue = begun === undefined && (isMuch || waiting.some(Boolean));
			return isDue ? most(0n, pauseEnds - now) : undefined;
		},

		hasUnsent: () => counts.some(Boolean) || begun !== undefined,

		/** What has happened so far, for metrics. */
		stats: () => Object.freeze({ exchanges, failedExchanges, lostSwaps, localDecisions, processes }),

		/** Rule 3. */
		begin(now) {
			exchanges++;
			begun = now;
			slice = countedIn;
			lost = 0;
			sent = noCounts();
			[asked, granted, leased] = [zeros(), zeros(), zeros()];
		},

		/** Rule 4: the text after the steps of a text (null for none) and the steps; undefined if the text is no account. */
		step(text, now) {
			const [account, slices] = readAccount(fields, text);
			if (!slices) {
				return undefined;
			}
			const before = textOf(account, slices);
			const slicesAfter = countProcesses(slices, now);
			correctClock(account, now);
			const steps = makeSteps(account, now);
			const after = textOf(account, slicesAfter);
			return { after, isChanged: after !== before, steps };
		},

		/** Rule 5: for each outcome, how many of the oldest requests are granted and refused, and what one gives. */
		stored(now) {
			countedIn = slice;
			const answers = RETRIED.map((outcome, place) => {
				const ready = unused[place] + granted[place] + leased[place];
				const grants = Math.min(waiting[place], ready);
				const refused = Math.min(waiting[place] - grants, Math.max(0, asked[place] - granted[place]));
				waiting[place] -= grants + refused;
				unused[place] = Math.min(ready - grants, Math.max(lease, 16) - 1);
				return { outcome, granted: grants, refused, held: gives[place] };
			});
			const isLate = isOverdue(now);
			end(now);
			if (isLate) {
				goAway(now);
			}
			return answers;
		},

		/** Rule 6: the wait in ns; undefined if the exchange has failed. */
		lost(now) {
			const wait = delayOf(parsePolicyText("full:base=1ms,cap=16ms"), stream(), lost++);
			lostSwaps++;
			return now + wait < begun + timeout() ? wait : undefined;
		},

		/** Rule 7. */
		failed(mayBeStored, now) {
			failedExchanges++;
			if (mayBeStored) {
				countedIn = slice;
			} else {
				counts = counts.map((count, place) => capped(count + sent[place]));
			}
			end(now);
			goAway(now);
		},
	};
}

const textOf = (account, slices) => `${account.text} | ${slices.join(" ")}`;

/** The account of a text, and its slice and the numbers of its processes; these are missing if the text is no account. */
function readAccount(fields, text) {
	const none = [0n, 0n, 0n];
	if (text === null) {
		return [new VersionedAccount(fields), none];
	}
	const [, state, numbers] = /^(.*?)(?: \| (.*))?$/s.exec(text);
	const account = VersionedAccount.read(fields, state);
	const slices = numbers === undefined ? none : readNumbers(numbers, 3);
	const isValid = account && slices?.every((number, place) => number >= 0n && number <= (place ? MAX_COUNT : WORD_MAX));
	return [account, isValid ? slices : undefined];
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
