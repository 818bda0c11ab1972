import { limits } from "../core/index.ts";
import {
  joinAttributes,
  escapeHtml,
  html,
  joinHtml,
  buildVoidTag,
  type FrameWords,
  type Html,
} from "../markup/index.ts";
import type { ChangelogEntry } from "../page/index.ts";

/** Lists the tags by which readers can filter a changelog. The position of a tag is its number. */
export function listChangelogTags(changes: readonly ChangelogEntry[] = []): readonly string[] {
  return [...new Set(changes.flatMap(({ tags }) => tags))].slice(0, limits.changelogTags);
}

/**
 * Renders checkboxes that filter by tag. The rules of `renderFilterStyles` are enough to make them work; the reader's
 * script only updates the address. Returns an empty string if there is no choice.
 */
export function renderChangelogFilters(
  words: FrameWords,
  changes: readonly ChangelogEntry[] = [],
): Html {
  const tags = listChangelogTags(changes);
  if (tags.length === 0 || changes.length < 2) return "";
  const label = escapeHtml(words.filterByTag);
  const filters = joinHtml(tags.map((tag, index) => renderFilter(tag, getFilterName(index))));
  const content = html`<p class="toc-title">${label}</p><form class="filters" autocomplete="off">${filters}</form>`;
  return html`<aside id="changelog-filters"><div id="changelog-filters-content" role="group" aria-label="${label}">${content}</div></aside>`;
}

function renderFilter(tag: string, name: string): Html {
  const attributes = joinAttributes({ type: "checkbox", name, value: tag });
  return html`<label class="filter">${buildVoidTag("input", attributes)}${escapeHtml(tag)}</label>`;
}

/** Returns the name of a tag's filter, which is also the class of the entries with this tag. */
function getFilterName(index: number): string {
  return `update-tag-${index + 1}`;
}

/** Renders rules that hide entries without a selected tag, for up to `count` tags. */
export function renderFilterStyles(count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const name = getFilterName(index);
    return `:root:has(input[name="${name}"]:checked) .update:not(.${name}) { display: none; }`;
  }).join("\n");
}
