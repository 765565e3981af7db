// Elements, and what is said aloud.

/** An element with attributes, with listeners (`onclick`), and with children, which are elements or texts. */
export function h(name, attributes = {}, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (key.startsWith("on")) {
			element.addEventListener(key.slice(2), value);
		} else if (key === "value" || key === "checked") {
			element[key] = value;
		} else if (value !== undefined && value !== false) {
			element.setAttribute(key, value === true ? "" : value);
		}
	}
	element.append(...children.flat().filter((child) => child !== undefined && child !== false && child !== ""));
	return element;
}

export const byId = (id) => document.getElementById(id);

/** Tells a screen reader. */
export function say(text) {
	byId("live").textContent = text;
}

export async function copy(text, what) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		// Without the permission, or from a plain http server.
		const area = h("textarea", { value: text, "aria-hidden": "true" });
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	say(`Copied ${what}`);
}

export function copyButton(text, what) {
	const button = h("button", { type: "button", class: "quiet", "aria-label": `Copy ${what}` }, "Copy");
	button.addEventListener("click", async () => {
		await copy(text(), what);
		button.textContent = "Copied";
		setTimeout(() => {
			button.textContent = "Copy";
		}, 1500);
	});
	return button;
}

/** A table with a caption for a screen reader, in a box that scrolls by itself. */
export function table(caption, head, rows, kind = "") {
	return h(
		"div",
		{ class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
		h(
			"table",
			{ class: kind },
			h("caption", { class: "visually-hidden" }, caption),
			h("thead", {}, h("tr", {}, ...head.map((cell) => h("th", { scope: "col" }, cell)))),
			h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, String(cell)))))),
		),
	);
}

/** The command that prints the same numbers, to copy. */
export const command = (text) =>
	h(
		"div",
		{ class: "command" },
		h("code", {}, text),
		copyButton(() => text, "the command"),
	);

/** A word of a shell. */
export const quoted = (word) => (/^[\w:=,./@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
