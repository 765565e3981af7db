// The page in Chromium, beside the command: what a reader types, sees and shares.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { read } from "../src/address.js";
import { optionsOf } from "../src/models.js";
import { blank, dist, launch, open, served, simulated } from "./page.mjs";

const run = promisify(execFile);

/** The lines of JSON that the command prints. */
async function backoff(...options) {
	const [program, ...words] = process.env.BACKOFF_COMMAND
		? [process.env.BACKOFF_COMMAND]
		: ["cargo", "run", "--quiet", "--locked", "--package", "backoff-cli", "--"];
	const { stdout } = await run(program, [...words, ...options, "--json"], { maxBuffer: 2 ** 28 });
	return stdout
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
}

/** What the command says about wrong arguments. */
const refusal = (...options) =>
	backoff(...options).then(
		() => assert.fail("it should be refused"),
		({ stderr }) => stderr,
	);

let server;
let browser;
let shared;

before(async () => {
	[server, browser] = await Promise.all([served(), launch()]);
	shared = await blank(await browser.newContext(SCREEN), server.address);
});

after(async () => {
	await browser?.close();
	server?.close();
});

const SCREEN = { viewport: { width: 1280, height: 900 } };

/** Opens the playground, where nothing may go wrong: in the page of most tests, or in a context of its own. */
async function withPage(hash, use, options) {
	if (!options) {
		await open(shared.page, server.address, hash);
		await use(shared.page);
		assert.deepEqual(shared.complaints, []);
		return;
	}
	const context = await browser.newContext(options);
	const { page, complaints } = await blank(context, server.address);
	await open(page, server.address, hash);
	await use(page);
	assert.deepEqual(complaints, []);
	await context.close();
}

/** The data of a chart, in the unit of the command. */
async function dataOf(page, id) {
	await page.waitForFunction((id) => window.playground.charts[id].plot, id);
	return page.evaluate((id) => {
		const { plot, state } = window.playground.charts[id];
		return {
			names: state.series.map(({ name }) => name),
			x: plot.data[0],
			lines: plot.data.slice(1),
			unit: state.unit,
		};
	}, id);
}

const near = (found, expected, what) => {
	assert.equal(found.length, expected.length, what);
	for (const [index, value] of found.entries()) {
		assert.ok(
			Math.abs(value - expected[index]) <= 1e-9 * Math.abs(expected[index]),
			`${what}: ${value}, not ${expected[index]}`,
		);
	}
};

test("everything together is below 350 kB gzipped", () => {
	const shipped = readdirSync(dist).filter((name) => !name.endsWith(".LEGAL.txt"));
	const sizes = shipped.map((name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length);
	const total = sizes.reduce((sum, size) => sum + size);
	assert.ok(total < 350_000, `${total} bytes`);
});

test("a policy that is typed has the chart that the command prints", () =>
	withPage("", async (page) => {
		const policy = "equal:base=90ms,cap=2s,max_retries=7";
		await page.locator("#policy").fill("");
		await page.locator("#policy").pressSequentially(policy);
		await page.waitForFunction(() => window.playground.charts.delays.plot?.data[0].length === 7);
		const { names, x, lines, unit } = await dataOf(page, "delays");
		const rows = await backoff("preview", policy);
		assert.deepEqual(
			x,
			rows.map(({ index }) => index + 1),
		);
		const line = (name) => lines[names.indexOf(name)].map((value) => value * unit);
		near(
			line("longest"),
			rows.map(({ max_ns }) => Number(max_ns)),
			"max",
		);
		near(
			line("mean"),
			rows.map(({ mean_ns }) => Number(mean_ns)),
			"mean",
		);
		near(
			line("shortest"),
			rows.map(({ min_ns }) => Number(min_ns)),
			"min",
		);
		const waits = await backoff("delays", policy, "--seed", "1", "--key", "client-3");
		near(
			line("client-3"),
			waits.map(({ delay_ns }) => Number(delay_ns)),
			"waits of client-3",
		);
		await page.locator("#chart-delays summary").click();
		assert.equal(await page.locator("#chart-delays tbody tr").count(), 7);
	}));

test("the core's own error is under the place where it is", () =>
	withPage("", async (page) => {
		const policy = "full:base=1sec,max_retries=3";
		await page.locator("#policy").fill(policy);
		const message = await page.locator("#policy-error .message").textContent();
		const said = await refusal("preview", policy);
		assert.ok(message.length > 20 && said.includes(message), `${message} in ${said}`);
		const place = await page.locator("#policy-error .place").textContent();
		assert.equal(place, `${policy}\n${" ".repeat(11)}^^^`);
		assert.ok(said.includes(place.split("\n")[1]));
		assert.equal(await page.locator("#policy").getAttribute("aria-invalid"), "true");
		await page.locator("#policy").fill("default");
		assert.ok(await page.locator("#policy-error").isHidden());
	}));

test("fields and text are the same policy, both ways", () =>
	withPage("#policy=sidekiq", async (page) => {
		const canonical = async (policy) => (await backoff("explain", policy))[0].canonical;
		assert.equal(await page.locator("#field-growth").inputValue(), "polynomial");
		assert.equal(await page.locator("#policy-canonical").textContent(), `= ${await canonical("sidekiq")}`);
		await page.locator("#field-max_retries").fill("4");
		assert.equal(await page.locator("#policy").inputValue(), await canonical("sidekiq:max_retries=4"));
		await page.locator("#preset").selectOption("default");
		await page.locator("#field-jitter").selectOption("equal");
		assert.equal(await page.locator("#policy").inputValue(), await canonical("default:jitter=equal"));
		await page.locator("#field-base").fill("1x");
		assert.match(await page.locator("#error-base").textContent(), /unknown unit "x"/);
		await page.locator("#policy").fill("steps:waits=1s/5s,max_retries=2");
		assert.equal(await page.locator("#field-waits").inputValue(), "1s/5s");
		// Each kind brings what it needs.
		for (const field of ["growth", "jitter"]) {
			for (const kind of await page.locator(`#field-${field} option`).allTextContents()) {
				await page.locator("#policy").fill("constant:base=1s,max_retries=3");
				await page.locator(`#field-${field}`).selectOption(kind);
				const refused = await page.locator(`#error-${field}`).textContent();
				assert.ok(refused === "" || kind === "decorrelated", `${kind}: ${refused}`);
			}
		}
	}));

test("typing does what pasting does, and keeps what is wrong", () =>
	withPage("#policy=full:base=1s,cap=20s&policy=mine=full:base=1s,cap=20s;budget=sre&policy=none", async (page) => {
		const focused = () => page.evaluate(() => document.activeElement.id);
		const lines = () => page.evaluate(() => window.playground.state.policy);
		// By keyboard through the kinds, some of which have fields of their own.
		await page.locator("#field-jitter").focus();
		await page.keyboard.type("proportional");
		assert.deepEqual([await focused(), await page.locator("#field-max_retries").count()], ["field-jitter", 1]);
		assert.ok(await page.locator("#field-jitter_below").isVisible());
		await page.locator("#field-growth").focus();
		for (const _ of Array(3)) {
			await page.keyboard.press("ArrowDown");
			assert.equal(await focused(), "field-growth");
		}
		// Nothing of what was typed in between stays, and another policy that it was for a moment does not follow.
		const type = async (text) => {
			await page.locator("#policy").click();
			await page.keyboard.press("Control+A");
			await page.keyboard.type(text);
		};
		await type("none");
		await type("default;budget=sre");
		assert.deepEqual(await lines(), ["default;budget=sre", "mine=default;budget=sre", "none"]);
		await page.waitForFunction(() => location.hash.startsWith("#policy=default;budget=sre&"));
		await type("a=default;budget=sr");
		assert.match(await page.locator("#policy-error").textContent(), /budget at 0: unknown name "sr"/);
		await type("full:base=1s,cap=20s");
		assert.deepEqual(await lines(), ["full:base=1s,cap=20s", "mine=full:base=1s,cap=20s;budget=sre", "none"]);
		// Both are raised, the base first; nothing moves meanwhile.
		const top = async () => (await page.locator("#field-max_retries").boundingBox()).y;
		const before = await top();
		await page.locator("#field-base").fill("30s");
		assert.equal(await top(), before);
		await page.locator("#field-cap").click();
		assert.equal(await page.locator("#field-base").inputValue(), "30s");
		assert.match(await page.locator("#error-base").textContent(), /^base: cap 20s is below base 30s/);
		await page.keyboard.press("Control+A");
		await page.keyboard.type("1m");
		assert.ok(await page.locator("#error-base").isHidden());
		assert.equal((await lines())[0], (await backoff("explain", "full:base=30s,cap=1m"))[0].canonical);
		// Back goes through what was chosen, not through keys.
		await page.locator("#tab-use").click();
		await page.locator("#tab-decide").click();
		await page.goBack();
		assert.equal(await page.locator("#tab-use").getAttribute("aria-selected"), "true");
		await page.goBack();
		await page.goBack();
		await page.waitForFunction(() => document.getElementById("policy").value === "full:base=1s,cap=20s");
	}));

test("addresses that are long or encoded are shown", () =>
	withPage("#policy%3Dmine%3Ddefault%26view%3Ddecide", async (page) => {
		assert.equal(await page.locator("#policy").inputValue(), "mine=default");
		await open(page, server.address, `#policy=default&view=decide${"&attempt=transient".repeat(3000)}`);
		assert.equal(await page.locator(".steps li").count(), 100);
		assert.match(await page.locator("#view").textContent(), /Only the first 100 attempts are shown: 2900 are not/);
		await open(page, server.address);
		assert.equal(await page.locator("#policy").inputValue(), "default");
	}));

const OUTAGE =
	"#policy=default:max_retries=2&policy=with a budget=default:max_retries=2;budget=sre&view=simulate&model=queue&rate=60&capacity=50&outage=4s..6s&duration=20s&interval=2s&runs=3&seed=7";

test("a simulation has the numbers of the command", () =>
	withPage("#policy=full:base=20ms,cap=1s&policy=none&view=simulate&clients=10,30&runs=23", async (page) => {
		const { points } = await simulated(page);
		const lines = await backoff(
			"simulate",
			"occ",
			"--policy",
			"full:base=20ms,cap=1s",
			"--policy",
			"none",
			"--clients",
			"10,30",
			"--runs",
			"23",
		);
		assert.deepEqual(points, lines);
		const calls = await dataOf(page, "calls");
		assert.deepEqual(calls.x, [10, 30]);
		assert.deepEqual(
			calls.lines.flat(),
			lines.map(({ calls }) => calls.mean),
		);
		const time = await dataOf(page, "time");
		near(
			time.lines.flat().map((value) => value * time.unit),
			lines.map(({ time_ms }) => time_ms.mean * 1e6),
			"time",
		);
		// A policy that is edited is simulated again, beside the others.
		await page.locator("#policy").fill("equal:base=20ms,cap=1s");
		await page.waitForFunction(
			() => window.playground.results.isEnd && window.playground.results.begun.lines[0].startsWith("equal"),
		);
		assert.deepEqual((await simulated(page)).points.slice(2), lines.slice(2));
	}));

test("an outage with and without a budget is that of the command", () =>
	withPage(OUTAGE, async (page) => {
		const { points } = await simulated(page);
		const policy = "default:max_retries=2";
		const lines = await backoff(
			..."simulate queue --rate 60 --capacity 50 --outage 4s..6s --duration 20s --interval 2s --runs 3 --seed 7".split(
				" ",
			),
			"--policy",
			policy,
			"--policy",
			`with a budget=${policy};budget=sre`,
		);
		assert.deepEqual(points, lines);
		const load = await dataOf(page, "load");
		assert.deepEqual(load.names, [policy, "with a budget"]);
		assert.deepEqual(
			load.lines[0],
			lines[0].load.map(({ calls }) => calls / 2),
		);
	}));

test("a wrong option is refused in the words of the command", () =>
	withPage("#policy=default&view=simulate&clients=ten", async (page) => {
		const { error } = await simulated(page);
		assert.ok((await refusal("simulate", "occ", "--clients", "ten")).includes(error.message));
		assert.equal(await page.locator("#option-clients").getAttribute("aria-invalid"), "true");
		const refused = () => page.locator("#simulation-error").textContent();
		const wait = (words) =>
			page.waitForFunction((words) => window.playground.results.error?.message.includes(words), words);
		await page.locator("#option-clients").fill("100000000");
		await wait("more than the 1000000");
		assert.match(await refused(), /100000000 operations in a run are more than the 1000000/);
		assert.equal(await page.locator("#run").textContent(), "Run");
		await page.locator("#option-clients").fill("2");
		// The error of a policy is at its row.
		await page.getByRole("button", { name: "Add a policy" }).click();
		await page.keyboard.press("Control+A");
		await page.keyboard.type("default;budget=sr");
		await wait("unknown name");
		assert.match(await refused(), /budget at 0: unknown name "sr"/);
		assert.match(await page.locator("#view > .error").textContent(), /^policy 2: /);
		await page.getByRole("button", { name: "Remove policy 2" }).click();
		await page.locator("#option-runs").fill("2");
		await page.waitForFunction(() => window.playground.results.isEnd);
		assert.equal((await simulated(page)).points.length, 1);
	}));

test("a link shows the same in a second browser", () =>
	withPage("#policy=default&policy=none&clients=5&runs=2", async (page) => {
		await page.locator("#policy").fill("equal:base=7ms,max_retries=3");
		await page.locator("#tab-simulate").click();
		await page.locator("#option-clients").fill("5,10");
		// Characters that an address has for itself.
		await page.getByLabel("Policy 2", { exact: true }).fill("50% & #more=none;processes=2");
		await page.waitForFunction(
			() => window.playground.results.isEnd && window.playground.results.begun.lines[1] === "50% & #more",
		);
		const first = await simulated(page);
		assert.equal(first.points.length, 4);
		await page.waitForFunction(() => location.hash.includes("more"));
		const check = async (second) => {
			assert.deepEqual((await simulated(second)).points, first.points);
			assert.equal(await second.locator("#policy").inputValue(), "equal:base=7ms,max_retries=3");
			assert.deepEqual(await dataOf(second, "calls"), await dataOf(page, "calls"));
		};
		await withPage(await page.evaluate(() => location.hash), check, SCREEN);
	}));

test("a simulation that dies says so, and one that says nothing shows its time", () =>
	withPage("#policy=immediate&view=simulate&model=layers&failure=1&seed=3", async (page) => {
		await page.waitForFunction(() => /^0%, [^0]/.test(document.querySelector("#view .run .muted").textContent));
		assert.equal(await page.locator("#run").textContent(), "Cancel");
		// A module without memory cannot be made: what a worker says that dies.
		await page.evaluate(() => {
			const post = Worker.prototype.postMessage;
			Worker.prototype.postMessage = function (message) {
				post.call(this, { ...message, module: undefined, input: { ...message.input, model: 1 } });
			};
		});
		await page.locator("#option-runs").fill("3");
		const { error } = await simulated(page);
		assert.equal(error.option, "simulation");
		assert.equal(await page.locator("#run").textContent(), "Run");
	}));

test("a long simulation is cancelled at once, and the page stays free", (context) =>
	withPage("#runs=100000", async (page) => {
		await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
		await page.locator("#tab-simulate").click();
		await page.waitForFunction(() => window.playground.results.points.length > 20);
		const [worker] = page.workers();
		const ended = new Promise((resolve) => worker.once("close", resolve));
		await page.locator("#run").click();
		assert.equal(await page.locator("#run").textContent(), "Run");
		await ended;
		assert.equal(await page.evaluate(() => window.playground.results.isEnd), false);
		const { traceEvents } = JSON.parse(await browser.stopTracing());
		const threads = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
		const isMain = ({ pid, tid }) => threads.some((thread) => thread.pid === pid && thread.tid === tid);
		const tasks = traceEvents.filter((event) => event.name.endsWith("RunTask") && event.tdur && isMain(event));
		// The time of the thread, not of the clock: other programs may run on this machine.
		const longest = Math.max(...tasks.map(({ tdur }) => tdur)) / 1000;
		context.diagnostic(`the longest of ${tasks.length} tasks took ${longest.toFixed(1)} ms`);
		assert.ok(tasks.length > 20 && longest < 50, `${longest} ms`);
	}));

test("links on the pages are simulations", async () => {
	const { default: init, Simulation } = await import("../../engine/pkg/backoff.js");
	await init({ module_or_path: readFileSync(join(dist, "engine.wasm")) });
	const root = join(import.meta.dirname, "../../..");
	const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
	const texts = ["README.md", "site/playground/README.md", ...pages.map((name) => `docs/${name}`)].map((path) =>
		readFileSync(join(root, path), "utf8"),
	);
	const links = texts.flatMap((text) =>
		[...text.matchAll(/playground\/(#policy=[^)>\s]*)/g)].map(([, hash]) => read(hash)),
	);
	const simulations = links.filter(({ view }) => view === "simulate");
	assert.ok(simulations.length >= 2);
	for (const { policy, model = "occ", view, chart, ...options } of simulations) {
		const known = [...optionsOf(model), "seed", "budget"];
		assert.deepEqual(
			Object.keys(options).filter((name) => !known.includes(name)),
			[],
			`unknown options of ${model}`,
		);
		new Simulation(JSON.stringify({ model, policies: policy, options })).free();
	}
});

test("decisions say why", () =>
	withPage("#policy=full:base=100ms,max_retries=2&view=decide&key=job-1&seed=42", async (page) => {
		const said = () => page.locator(".steps .verdict").allTextContents();
		const [wait, hint, stop] = await said();
		// As the pages have it: 11399434 ns.
		assert.deepEqual([wait, hint, stop], ["wait 11.4ms", "wait 2s", "stop"]);
		assert.match(await page.locator(".steps li").nth(2).textContent(), /all retries were made/);
		// Two retries of 5 tokens each empty this budget.
		await page.locator("#policy").fill("constant:base=1s,max_retries=9");
		await page.locator("#budget").fill("quota:max_tokens=10,cost=5");
		assert.deepEqual(await said(), ["wait 1s", "wait 2s", "stop"]);
		const row = (number) => page.locator(".steps li").nth(number);
		assert.match(await row(2).textContent(), /the budget refuses the retry/);
		// Seconds, as in HTTP; and the limit that makes a wait shorter.
		const hintOf = row(0).getByLabel("retry-after");
		await hintOf.fill("5");
		assert.equal((await said())[0], "wait 5s");
		await hintOf.fill("2h");
		assert.equal((await said())[0], "wait 1h");
		assert.match(await row(0).textContent(), /Retry-After 2h, limited by retry_after_max=1h/);
		// What is wrong is beside its field, and no decision stays.
		await row(1).getByLabel("took").fill("1x");
		assert.match(await row(1).locator(".error").textContent(), /^took: .*unknown unit "x"/);
		assert.equal(await row(1).getByLabel("took").getAttribute("aria-invalid"), "true");
		assert.deepEqual(await said(), []);
	}));

/** Lines of a program that a budget adds or changes. */
const CHANGED = { Python: 3, Rust: 3, Go: 2, JavaScript: 3, C: 4 };

test("programs and configurations are those of the policy", () =>
	withPage("#policy=full:base=1s,cap=20s,max_retries=4&view=use&nearest=true", async (page) => {
		for (const name of ["Python", "Rust", "Go", "JavaScript", "C"]) {
			await page.getByRole("button", { name, exact: true }).click();
			const program = () => page.getByRole("region", { name: "Program" }).textContent();
			const without = await program();
			assert.ok(without.includes('"full:base=1s,cap=20s,max_retries=4"'), name);
			assert.ok(!without.toLowerCase().includes("budget"), name);
			await page.locator("#budget").fill("sre");
			const added = (await program()).split("\n").filter((line) => !without.includes(`${line}\n`));
			assert.ok(
				added.some((line) => line.includes('"sre"')),
				`${name}: ${added}`,
			);
			assert.ok(added.length >= CHANGED[name], `${name}: ${added}`);
			await page.locator("#budget").fill("");
		}
		assert.equal(await page.evaluate(() => localStorage.getItem("backoff-language")), "c");
		await page.waitForFunction(() => !location.hash.includes("budget"));
		for (const format of ["grpc", "envoy", "istio", "temporal", "step-functions", "k8s-job", "nginx"]) {
			await page.goto(`${page.url().split("&to=")[0]}&to=${format}`);
			const [{ text, differences }] = await backoff(
				"export",
				"full:base=1s,cap=20s,max_retries=4",
				"--to",
				format,
				"--nearest",
			);
			assert.equal(await page.getByRole("region", { name: "Configuration" }).textContent(), text);
			assert.equal(await page.locator("#view tbody tr").count(), differences.length, format);
		}
		await page.locator("#policy").fill("default:max_retries=x");
		assert.ok(await page.getByRole("region", { name: "Program" }).isHidden());
		assert.match(await page.locator("#view .error").first().textContent(), /no program with this policy/);
	}));

test("it is accessible, by keyboard, in both colour schemes, and on a phone", async () => {
	const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
	// What depends on colours and on the width is looked at in both.
	for (const [colorScheme, width, rules] of [
		["dark", 360, {}],
		["light", 1280, { runOnly: ["color-contrast", "scrollable-region-focusable"] }],
	]) {
		await withPage(
			"#policy=fulll&policy=none&policy=default&clients=5,9&runs=2",
			async (page) => {
				const check = async (what) => {
					await page.evaluate(() => {
						for (const details of document.querySelectorAll("details")) {
							details.open = true;
						}
					});
					await page.waitForTimeout(50);
					const { violations } = await page.evaluate(
						(rules) => window.axe.run(document, { resultTypes: ["violations"], ...rules }),
						rules,
					);
					assert.deepEqual(
						violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`),
						[],
						`${what}, ${colorScheme}`,
					);
					assert.ok(
						await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
						`${what} scrolls sideways`,
					);
				};
				await page.evaluate(axe);
				await check("an error");
				await page.locator("#policy").fill("default");
				await page.locator("#tab-delays").focus();
				await check("delays");
				for (const name of ["decide", "simulate", "use"]) {
					await page.keyboard.press("ArrowRight");
					assert.equal(await page.evaluate(() => document.activeElement.id), `tab-${name}`);
					if (name === "simulate") {
						await simulated(page);
					}
					await check(name);
				}
				await page.keyboard.press("ArrowRight");
				assert.equal(await page.locator("#tab-delays").getAttribute("aria-selected"), "true");
			},
			{ colorScheme, viewport: { width, height: 800 } },
		);
	}
});

test("the first paint waits for no program", async (context) => {
	const held = await browser.newContext(SCREEN);
	const page = await held.newPage();
	await page.route(/\.(wasm|js)$/, () => {});
	await page.goto(server.address, { waitUntil: "commit" });
	const painted = await page.waitForFunction(
		() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
	);
	context.diagnostic(`first contentful paint after ${Math.round(await painted.jsonValue())} ms`);
	assert.equal(await page.locator("h1").textContent(), "Playground");
	await held.close();
});
