import { findAll } from "./page.ts";

/** Tables that are wider than their place can be scrolled by keys too; the others are no stop on the way. */
export function startTables(): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of findAll(".table")) observer.observe(box);
}
