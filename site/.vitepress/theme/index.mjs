import theme from "vitepress/theme-without-fonts";
import { h } from "vue";
import LanguageMenu from "./LanguageMenu.vue";
import LanguageTabs from "./LanguageTabs.vue";
import "./style.css";

export default {
	extends: theme,
	Layout: () => h(theme.Layout, null, { "sidebar-nav-before": () => h(LanguageMenu) }),
	enhanceApp: ({ app }) => app.component("LanguageTabs", LanguageTabs),
};
