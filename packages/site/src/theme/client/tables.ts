import { findAll } from "./page.ts";

/** Makes tables that are wider than their box focusable, so that readers can scroll them with keys. */
export function startTables(): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of findAll(".table")) observer.observe(box);
}
