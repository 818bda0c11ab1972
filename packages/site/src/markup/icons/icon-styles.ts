import { drawingOf, iconClass } from "./icon-sets.ts";
import type { IconSets } from "./icon-sets.ts";
import { createIconSets } from "./create-icon-sets.ts";

/** Notices that the licences of the icons require. */
const licences = [
  ["lucide:", "Lucide icons, ISC licence, https://lucide.dev/license"],
  ["fa-", "Font Awesome Free icons, CC BY 4.0, https://fontawesome.com/license/free"],
  ["tabler:", "Tabler icons, MIT licence, https://github.com/tabler/tabler-icons"],
] as const;

/**
 * CSS with the drawing of each icon that a bundle uses: sorted, without duplicates, the same for the same
 * set of keys. Invalid and unknown keys are omitted.
 */
export function iconStyles(keys: readonly string[]): string {
  const sorted = [...new Set(keys)].toSorted();
  const rules: string[] = [];
  for (const [prefix, text] of licences) {
    if (sorted.some((key) => key.startsWith(prefix))) rules.push(`/* ${text} */`);
  }
  const sets = createIconSets();
  for (const key of sorted) {
    const mask = iconMask(key, sets);
    if (mask !== undefined) rules.push(`.${iconClass(key)}{--icon:${mask}}`);
  }
  return rules.length === 0 ? "" : `${rules.join("\n")}\n`;
}

/** The drawing of a key as a CSS image for a mask, which needs only its shape; undefined for an unknown key. */
export function iconMask(key: string, sets: IconSets): string | undefined {
  const svg = drawingOf(key, sets);
  return svg && `url("${dataUrl(svg)}")`;
}

function dataUrl(svg: string): string {
  const body = withoutFill(svg)
    .replaceAll("currentColor", "#000")
    .replaceAll('"', "'")
    .replaceAll("%", "%25")
    .replaceAll("#", "%23");
  return `data:image/svg+xml,${body}`;
}

/** Removes a fill that is the default: black, unless an element around the shape sets another. */
function withoutFill(svg: string): string {
  return svg.includes('fill="none"') ? svg : svg.replaceAll(' fill="currentColor"', "");
}
