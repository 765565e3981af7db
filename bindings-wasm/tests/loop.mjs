// What the tests of loops share: a clock that does not wait, and functions that fail.

/** A clock whose time passes only while a loop waits, or when a test says so. */
export class FakeClock {
	time = 0;
	waits = [];

	now() {
		return this.time;
	}

	sleep(delay) {
		this.waits.push(delay);
		this.time += delay;
	}
}

/** A function that plays its script: an `Error` is thrown, anything else is given; the last again. */
export function script(...ends) {
	const play = async (context) => {
		play.contexts.push(context);
		const end = ends[Math.min(play.contexts.length, ends.length) - 1];
		if (end instanceof Error) {
			throw end;
		}
		return end;
	};
	play.contexts = [];
	return play;
}

/** How a promise ended: its value, or what it was rejected with. */
export async function endOf(promise) {
	try {
		return { value: await promise };
	} catch (error) {
		return { error };
	}
}

/** Hooks that note what they are told, and in what order. */
export function notes() {
	const events = [];
	const note = (hook) => (event) => {
		events.push([hook, event]);
	};
	return { events, onRetry: note("retry"), onStop: note("stop") };
}
