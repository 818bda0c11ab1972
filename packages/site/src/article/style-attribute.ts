import type { PropValue } from "../page/index.ts";

/** CSS properties whose plain numbers are not pixels. */
const unitless = new Set(
  `animation-iteration-count aspect-ratio border-image-outset border-image-slice border-image-width
  column-count columns fill-opacity flex flex-grow flex-shrink flood-opacity font-weight grid-area
  grid-column grid-column-end grid-column-start grid-row grid-row-end grid-row-start line-clamp
  line-height opacity order orphans scale stop-opacity stroke-dasharray stroke-dashoffset
  stroke-miterlimit stroke-opacity stroke-width tab-size widows z-index zoom`.split(/\s+/),
);

/**
 * Converts `style` to CSS text: a string unchanged, an object as in React (`{ maxWidth: 400 }`). `urlOf` maps
 * each address in `url(...)`.
 */
export function styleText(value: PropValue, urlOf: (target: string) => string): string {
  if (typeof value === "string") return resolveStyleUrls(value, urlOf);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return "";
  const declarations: string[] = [];
  for (const [key, entry] of Object.entries(value)) {
    const name = key.startsWith("--") ? key : propertyName(key);
    if (!/^-{0,2}[a-z][\w-]*$/i.test(name)) continue;
    if (typeof entry === "string" && entry !== "") declarations.push(`${name}:${entry}`);
    if (typeof entry === "number") declarations.push(`${name}:${numberText(name, entry)}`);
  }
  return resolveStyleUrls(declarations.join(";"), urlOf);
}

function propertyName(key: string): string {
  const name = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return name.startsWith("ms-") ? `-${name}` : name;
}

function numberText(name: string, value: number): string {
  const isPlain = value === 0 || unitless.has(name) || name.startsWith("--");
  return isPlain ? String(value) : `${value}px`;
}

/** The address of an empty picture, for one that is not shown; an empty address would be the page itself. */
const emptyImage = "data:,";

/** Maps each address in `url(...)` with `urlOf`, like those of pictures. */
export function resolveStyleUrls(css: string, urlOf: (target: string) => string): string {
  if (!css.includes("url(")) return css;
  return css.replaceAll(
    /url\(\s*(?:"([^"\n]{0,4000})"|'([^'\n]{0,4000})'|([^"'()\s]{0,4000}))\s*\)/g,
    (_text, double?: string, single?: string, bare?: string) =>
      `url("${(urlOf(double ?? single ?? bare ?? "") || emptyImage).replaceAll(/["\\\n]/g, encodeURIComponent)}")`,
  );
}
