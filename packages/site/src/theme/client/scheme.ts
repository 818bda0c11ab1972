import { recall, remember } from "./memory.ts";
import { findClosest, root } from "./page.ts";

/**
 * Switches between light and dark. The inline script has set the scheme before the page was painted; this script
 * follows the system, the reader's other windows, and changes made before the reader went back to this page.
 */
export function startScheme(): void {
  if ("fixed" in root.dataset) return;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    const scheme = recall("scheme") ?? root.dataset["appearance"];
    root.classList.toggle("dark", scheme === "dark" || (scheme === "system" && system.matches));
  };
  system.addEventListener("change", follow);
  addEventListener("storage", follow);
  addEventListener("pageshow", follow);
  document.addEventListener("click", (event) => {
    if (!findClosest(event, ".scheme-toggle")) return;
    const isDark = root.classList.toggle("dark");
    remember("scheme", isDark ? "dark" : "light");
  });
}
