// What `source/write.mjs` has written becomes the site: `BACKOFF_SITE_SOURCE` is its folder, `BACKOFF_SITE_BASE` the
// path at which a server will have it.

import { join, resolve } from "node:path";
import { defineConfig } from "vitepress";
import { slugify } from "../source/markdown.mjs";
import { navigation } from "../source/navigation.mjs";
import { languages, repository } from "../source/pages.mjs";

const source = resolve(process.env.BACKOFF_SITE_SOURCE);
const base = process.env.BACKOFF_SITE_BASE ?? "/";
/** For the tests of links, in half the time. */
const isPlain = process.env.BACKOFF_SITE_PLAIN !== undefined;
const names = JSON.stringify(languages.map(({ name }) => name));

/** Not pages of VitePress: the server answers these links. */
const isForServer = (link) => /^\/(playground|api\/rust)\//.test(link);

/** Sets the language before the first paint: that of the address, or the one that the reader chose before. */
const chooses = `(() => {
	const names = ${names}, part = location.pathname.slice(${base.length}).replace("api/", "").split("/")[0], hash = location.hash.slice(1);
	let kept = null;
	try { kept = localStorage.getItem("backoff-language") } catch {}
	document.documentElement.dataset.language = [hash, part, kept].find((name) => names.includes(name)) ?? names[0];
})()`;

/** The head of a column that says nothing is no head. */
function emptyHeads({ tokens }) {
	for (let index = 0; index < tokens.length - 2; index += 1) {
		if (tokens[index].type === "th_open" && tokens[index + 1].content === "") {
			tokens[index].tag = "td";
			tokens[index + 2].tag = "td";
		}
	}
}

export default defineConfig({
	srcDir: source,
	outDir: process.env.BACKOFF_SITE_OUT,
	cacheDir: join(source, "../cache"),
	base,
	title: "backoff",
	description: "Retries with exponential backoff and jitter: the same delays in Rust, C, Go, Python and JavaScript",
	lang: "en",
	head: [
		["link", { rel: "icon", href: `${base}favicon.svg`, type: "image/svg+xml" }],
		["script", {}, chooses],
	],
	ignoreDeadLinks: [isForServer],
	metaChunk: true,
	mpa: isPlain,
	vite: { build: { chunkSizeWarningLimit: 4000, rollupOptions: { treeshake: !isPlain } } },
	markdown: {
		...(isPlain && {
			highlight: (code) => `<pre v-pre><code>${code.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</code></pre>`,
		}),
		theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
		anchor: { slugify },
		attrs: { disable: true },
		languageAlias: { cjs: "js" },
		config(md) {
			// Pages are written for the forge, which makes no links of names such as README.md.
			md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
			md.core.ruler.disable("emoji", true);
			md.core.ruler.push("headless", emptyHeads);
			// An indented block is as any other.
			md.renderer.rules.code_block = (tokens, index, ...rest) => {
				tokens[index].info = "text";
				return md.renderer.rules.fence(tokens, index, ...rest);
			};
			const open = md.renderer.rules.link_open;
			md.renderer.rules.link_open = (tokens, index, options, env, self) => {
				const href = tokens[index].attrGet("href");
				if (!isForServer(href)) return open(tokens, index, options, env, self);
				// VitePress would look for a page of its own.
				tokens[index].attrSet("href", base + href.slice(1));
				tokens[index].attrSet("target", "_self");
				return self.renderToken(tokens, index, options);
			};
		},
	},
	themeConfig: {
		...navigation(),
		search: {
			provider: "local",
			options: {
				detailedView: true,
				miniSearch: {
					searchOptions: {
						// Runs in the browser: pages of tasks come first, then those of the reader's language and those for all;
						// references and pages for developers come last.
						boostDocument: (id) => {
							const part = /\/(tasks|api|project|python|javascript|go|rust|c)\//.exec(id)?.[1];
							if (part === document.documentElement.dataset.language) return 2;
							return { tasks: 4, api: 0.3, project: 0.2 }[part] ?? (part ? 0.6 : 1);
						},
					},
				},
				// A page of a task says what others say, which the search finds. Colours are not searched.
				_render(text, env, md) {
					const html = md.set({ highlight: null }).render(text, env);
					return env.relativePath.startsWith("tasks/") ? html.slice(0, html.indexOf("<LanguageTabs")) : html;
				},
			},
		},
		outline: { level: [2, 3] },
		docFooter: { prev: false, next: false },
		socialLinks: [{ icon: "github", link: repository }],
	},
});
