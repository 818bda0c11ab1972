import { createDrawings, iconClass } from "./icon-sets.ts";

/** The licences of the drawings ask for these names. */
const licences = [
  ["lucide:", "Lucide icons, ISC licence, https://lucide.dev/license"],
  ["fa-", "Font Awesome Free icons, CC BY 4.0, https://fontawesome.com/license/free"],
  ["tabler:", "Tabler icons, MIT licence, https://github.com/tabler/tabler-icons"],
] as const;

/**
 * CSS that gives each icon its drawing, for the keys that a bundle uses: sorted, each once, the same
 * for the same set of keys. Keys of no known form, and of icons that are not there, are left out.
 */
export async function iconStyles(keys: readonly string[]): Promise<string> {
  const sorted = [...new Set(keys)].toSorted();
  const rules: string[] = [];
  for (const [prefix, text] of licences) {
    if (sorted.some((key) => key.startsWith(prefix))) rules.push(`/* ${text} */`);
  }
  const drawing = createDrawings();
  for (const key of sorted) {
    const svg = await drawing(key);
    if (svg !== undefined) rules.push(`.${iconClass(key)}{--icon:url("${dataUrl(svg)}")}`);
  }
  return rules.length === 0 ? "" : `${rules.join("\n")}\n`;
}

/** A mask needs shape only: comments, names and sizes are taken out. */
function dataUrl(svg: string): string {
  const body = withoutFill(svg)
    .replace(/<!--[^]*?-->/g, "")
    .replace(/\s+/g, " ")
    .replace(/> </g, "><")
    .replace(/ (?:class="[^"]*"|width="24"|height="24")/g, "")
    .replaceAll(" />", "/>")
    .replaceAll(" >", ">")
    .replaceAll("currentColor", "#000")
    .replaceAll('"', "'")
    .replaceAll("%", "%25")
    .replaceAll("#", "%23")
    .trim();
  return `data:image/svg+xml,${body}`;
}

/** Black is what shapes are filled with unless something around them says otherwise. */
function withoutFill(svg: string): string {
  return svg.includes('fill="none"') ? svg : svg.replaceAll(' fill="currentColor"', "");
}
