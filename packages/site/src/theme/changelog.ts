import { escapeHtml } from "../markup/index.ts";
import { limits } from "../core/index.ts";
import type { ChangelogEntry } from "../page/index.ts";
import type { FrameWords } from "../markup/index.ts";

/** The tags of a changelog that can be chosen, in the order of their numbers. */
export function changelogTags(changes: readonly ChangelogEntry[] = []): readonly string[] {
  return [...new Set(changes.flatMap(({ tags }) => tags))].slice(0, limits.changelogTags);
}

/**
 * Boxes to choose tags by. They work by `filterStyles` alone; the reader's script keeps the address
 * in step. Empty where there is nothing to choose between.
 */
export function changelogFilters(
  words: FrameWords,
  changes: readonly ChangelogEntry[] = [],
): string {
  const tags = changelogTags(changes);
  if (tags.length === 0 || changes.length < 2) return "";
  const label = escapeHtml(words.filterByTag);
  const boxes = tags.map(
    (tag, at) =>
      `<label class="filter"><input type="checkbox" name="update-tag-${at + 1}" ` +
      `value="${escapeHtml(tag)}" autocomplete="off">${escapeHtml(tag)}</label>`,
  );
  return (
    '<aside id="changelog-filters"><div id="changelog-filters-content" role="group" ' +
    `aria-label="${label}"><p class="toc-title">${label}</p>` +
    `<div class="filters">${boxes.join("")}</div></div></aside>`
  );
}

/** Rules that hide entries without each of the tags that were chosen, for the numbers up to `count`. */
export function filterStyles(count: number): string {
  return Array.from({ length: count }, (_, at) => {
    const name = `update-tag-${at + 1}`;
    return `:root:has(input[name="${name}"]:checked) .update:not(.${name}) { display: none; }`;
  }).join("\n");
}
