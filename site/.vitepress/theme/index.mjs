import { useRoute, withBase } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { h, nextTick, onMounted, watch } from "vue";
import ClientsPicture from "./ClientsPicture.vue";
import LanguageMenu from "./LanguageMenu.vue";
import LanguageTabs from "./LanguageTabs.vue";
import "./style.css";

/** A group of the sidebar is a button, and so is its arrow within it: to those who hear the page it is one. */
function makeOneButton() {
	for (const arrow of document.querySelectorAll(".VPSidebarItem > .item[role=button] > .caret[role]")) {
		arrow.removeAttribute("role");
		arrow.removeAttribute("tabindex");
		arrow.removeAttribute("aria-label");
	}
}

/** The box of the search says that it is a button. It is a dialog. */
function makeDialog() {
	const box = document.querySelector(".VPLocalSearchBox[role=button]");
	for (const name of box?.getAttributeNames().filter((name) => name.startsWith("aria-")) ?? [])
		box.removeAttribute(name);
	box?.setAttribute("role", "dialog");
	box?.setAttribute("aria-label", "Search");
}

const notFound = () =>
	h("main", { class: "not-found vp-doc" }, [
		h("h1", "This page does not exist"),
		h("p", ["Search for it, or begin at the ", h("a", { href: withBase("/") }, "first page"), "."]),
	]);

export default {
	extends: theme,
	Layout: () => h(theme.Layout, null, { "sidebar-nav-before": () => h(LanguageMenu), "not-found": notFound }),
	enhanceApp({ app }) {
		app.component("ClientsPicture", ClientsPicture);
		app.component("LanguageTabs", LanguageTabs);
	},
	setup() {
		const route = useRoute();
		onMounted(() => {
			makeOneButton();
			new MutationObserver(makeDialog).observe(document.body, { childList: true });
		});
		watch(
			() => route.path,
			() => nextTick(makeOneButton),
		);
	},
};
