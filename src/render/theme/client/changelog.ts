import { findAll, make } from "./page.ts";

/** Buttons above a changelog that show the entries with a tag alone. */
export function startFilters(): void {
  const entries = findAll("[data-tags]").map((element) => ({ element, tags: tagsOf(element) }));
  const tags = [...new Set(entries.flatMap((entry) => entry.tags))];
  if (entries.length < 2 || tags.length === 0) return;

  const chosen = new Set<string>();
  const buttons = tags.map((tag) => {
    const button = make(
      "button",
      { class: "filter", type: "button", "aria-pressed": "false" },
      tag,
    );
    button.addEventListener("click", () => {
      if (!chosen.delete(tag)) chosen.add(tag);
      button.setAttribute("aria-pressed", String(chosen.has(tag)));
      for (const { element, tags } of entries) {
        element.hidden = chosen.size > 0 && !tags.some((other) => chosen.has(other));
      }
    });
    return button;
  });
  entries[0]?.element.before(make("div", { id: "changelog-filters", role: "group" }, ...buttons));
}

function tagsOf(element: HTMLElement): readonly string[] {
  try {
    const tags: unknown = JSON.parse(element.dataset["tags"] ?? "[]");
    return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
  } catch {
    return [];
  }
}
