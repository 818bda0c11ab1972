import { findAll } from "./page.ts";

/**
 * Keeps the tags by which readers filter a changelog in the address, as `?tags=a,b`, and selects the tags in the
 * address. Styles alone do the filtering.
 */
export function startFilters(): void {
  const boxes = findAll("#changelog-filters input") as HTMLInputElement[];
  if (boxes.length === 0) return;

  const asked = new URLSearchParams(location.search).get("tags")?.split(",") ?? [];
  for (const box of boxes) box.checked = asked.includes(box.value);

  document.getElementById("changelog-filters")?.addEventListener("change", () => {
    const chosen = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    const url = new URL(location.href);
    if (chosen.length === 0) url.searchParams.delete("tags");
    else url.searchParams.set("tags", chosen.join(","));
    history.replaceState(history.state, "", url);
  });
}
