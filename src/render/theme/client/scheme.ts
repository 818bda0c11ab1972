import { remember } from "./memory.ts";
import { closest, root } from "./page.ts";

/** The button between light and dark; the inline script of the page has set what was chosen before. */
export function startScheme(): void {
  document.addEventListener("click", (event) => {
    if (!closest(event, ".scheme-toggle")) return;
    const isDark = root.classList.toggle("dark");
    remember("scheme", isDark ? "dark" : "light");
  });
}
