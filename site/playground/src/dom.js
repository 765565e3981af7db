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

async function copy(text, what) {
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

/** A click on the button copies, and the button says so for a while. */
export function copies(button, text, what) {
	const label = button.textContent;
	button.addEventListener("click", async () => {
		await copy(text(), what);
		button.textContent = "Copied";
		setTimeout(() => {
			button.textContent = label;
		}, 1500);
	});
	return button;
}

export const copyButton = (text, what) =>
	copies(h("button", { type: "button", class: "quiet", "aria-label": `Copy ${what}` }, "Copy"), text, what);

/** Shows these children in this order. What stays is not moved: a move would take the focus from it. */
export function arrange(box, wanted) {
	for (const child of [...box.children]) {
		if (!wanted.includes(child)) {
			child.remove();
		}
	}
	for (const [at, element] of wanted.entries()) {
		if (box.children[at] !== element) {
			box.insertBefore(element, box.children[at] ?? null);
		}
	}
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
