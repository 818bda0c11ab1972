import { escapeHtml, trustHtml, type Html } from "../markup/index.ts";
import type { ElementNode, PropValue } from "../page/index.ts";
import { replaceCssAddresses } from "../text/index.ts";
import { findAttributeName, isSvgElement } from "./attribute-names.ts";
import type { NodeRenderer } from "./renderer.ts";

/** The attributes whose values are addresses to which the page links. */
const linkAttributes = new Set(["action", "cite", "formaction", "ping"]);
/** The attributes whose values are addresses of files. */
const mediaAttributes = new Set(["src", "poster", "background", "data", "xlink:href"]);
/** Matches attributes that, unlike boolean attributes, require the value `"true"` or `"false"`. */
const trueFalseAttributes = /^(?:aria-|data-)|^(?:contenteditable|draggable|spellcheck|translate)$/;

/** The CSS properties for which a plain number does not mean pixels. */
const unitlessProperties = new Set(
  `animation-iteration-count aspect-ratio border-image-outset border-image-slice border-image-width
  column-count columns fill-opacity flex flex-grow flex-shrink flood-opacity font-weight grid-area
  grid-column grid-column-end grid-column-start grid-row grid-row-end grid-row-start line-clamp
  line-height opacity order orphans scale stop-opacity stroke-dasharray stroke-dashoffset
  stroke-miterlimit stroke-opacity stroke-width tab-size widows z-index zoom`.split(/\s+/),
);

/**
 * Renders the attributes of an HTML or SVG element, each with a leading space. Names may have React's or HTML's
 * spelling. Addresses become relative to the page. Omits and reports event handlers (`onclick`) and addresses that run
 * code. `excluded` lists the HTML names of attributes that the caller renders itself.
 */
export function renderAttributes(
  element: ElementNode,
  renderer: NodeRenderer,
  excluded: readonly string[] = [],
): Html {
  let markup = "";
  const seen = new Set(excluded);
  for (const [key, value] of Object.entries(element.props)) {
    const name = findAttributeName(key, element.name);
    if (name === undefined || isHandler(name)) {
      warnOfDroppedAttribute(key, element, renderer);
      continue;
    }
    if (seen.has(name)) continue;
    seen.add(name);
    const text = formatAttribute(name, value, element, renderer);
    if (text === undefined) continue;
    markup += text === true ? ` ${name}` : ` ${name}="${escapeHtml(text)}"`;
  }
  // `findAttributeName` returns only valid names.
  return trustHtml(markup);
}

/**
 * Converts `style`, which is a string or an object as in React (`{ maxWidth: 400 }`), to CSS. `resolveUrl` maps each
 * address in `url(...)`.
 */
export function toStyleText(value: PropValue, resolveUrl: (target: string) => string): string {
  if (typeof value === "string") return resolveStyleUrls(value, resolveUrl);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return "";
  const declarations: string[] = [];
  for (const [key, entry] of Object.entries(value)) {
    const name = key.startsWith("--") ? key : toPropertyName(key);
    if (!/^-{0,2}[a-z][\w-]*$/i.test(name)) continue;
    if (typeof entry === "string" && entry !== "") declarations.push(`${name}:${entry}`);
    if (typeof entry === "number") declarations.push(`${name}:${formatNumber(name, entry)}`);
  }
  return resolveStyleUrls(declarations.join(";"), resolveUrl);
}

/** Replaces each address in CSS, such as the one in `url(...)`, with the result of `resolveUrl`. */
export function resolveStyleUrls(css: string, resolveUrl: (target: string) => string): string {
  return replaceCssAddresses(css, ({ target }) => resolveUrl(target) || emptyImage);
}

function isHandler(name: string): boolean {
  return /^on/i.test(name) || name.toLowerCase() === "srcdoc";
}

function warnOfDroppedAttribute(key: string, element: ElementNode, renderer: NodeRenderer): void {
  if (key === "key" || key === "ref" || key === "children") return;
  renderer.problems.warn(
    "attribute_dropped",
    `The attribute ${key} of <${element.name}> is omitted: it runs code or is not an HTML attribute.`,
    element.position,
  );
}

/** Returns the text of an attribute, `true` for an attribute without a value, or undefined to omit the attribute. */
function formatAttribute(
  name: string,
  value: PropValue,
  element: ElementNode,
  renderer: NodeRenderer,
): string | true | undefined {
  if (name === "style") {
    const resolveUrl = (target: string) => renderer.links.media(target, element.position).src;
    return toStyleText(value, resolveUrl) || undefined;
  }
  const text = toPlainValue(name, value);
  if (typeof text !== "string") return text;
  if (name === "id") return reserveId(text, element, renderer);
  const address = resolveAddresses(name, text, element, renderer);
  // Omit the attribute of a file that is not shown, because an empty address would refer to the page itself.
  return address === "" && text !== "" ? undefined : address;
}

/** The boolean attributes of HTML. Authors also write them with values. */
const booleanAttributes = new Set(
  `allowfullscreen autoplay checked controls default disabled loop multiple muted nomodule open playsinline
  readonly required reversed selected`.split(/\s+/),
);

function toPlainValue(name: string, value: PropValue): string | true | undefined {
  if (booleanAttributes.has(name) && value !== null && typeof value !== "object") {
    return String(value) === "false" ? undefined : true;
  }
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") {
    if (trueFalseAttributes.test(name)) return String(value);
    return value || undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const words = value.filter((entry) => typeof entry === "string" || typeof entry === "number");
  return words.length === 0 ? undefined : words.join(" ");
}

/**
 * Reserves and returns the id to render. Returns undefined for a duplicate. Ids in SVG may repeat, such as those in
 * icons.
 */
function reserveId(text: string, element: ElementNode, renderer: NodeRenderer): string | undefined {
  if (isSvgElement(element.name)) return text;
  const id = renderer.ids.findWrapperId(element) ?? text.normalize("NFC");
  if (renderer.ids.show(id)) return id;
  renderer.problems.warn(
    "duplicate_id",
    `The id ${JSON.stringify(id)} is used more than once on this page; only the first is kept.`,
    element.position,
  );
  return undefined;
}

function resolveAddresses(
  attribute: string,
  text: string,
  element: ElementNode,
  renderer: NodeRenderer,
): string {
  const { position } = element;
  // The names of SVG attributes keep their case, but browsers ignore it.
  const name = attribute.toLowerCase();
  if (name === "href") {
    return isLinkElement(element)
      ? renderer.links.link(text, position).href
      : renderer.links.media(text, position).src;
  }
  const isLink = linkAttributes.has(name) || (name === "xlink:href" && isLinkElement(element));
  if (isLink) return renderer.links.link(text, position).href;
  if (mediaAttributes.has(name)) return renderer.links.media(text, position).src;
  if (name === "srcset" || name === "imagesrcset") return resolveSourceSet(text, element, renderer);
  // The address is in the value of an SVG attribute such as `mask`.
  if (/url\(\s*["']?[^\s"'#]/i.test(text) && isSvgElement(element.name)) {
    return resolveStyleUrls(text, (target) => renderer.links.media(target, position).src);
  }
  return text;
}

function isLinkElement({ name }: ElementNode): boolean {
  return name === "a" || name === "area";
}

/** Matches an address in a `srcset` and the text up to the next comma. The address may itself end with a comma. */
const sourceSetEntry = /[\s,]*(\S+)([^,]*)/g;

/**
 * Resolves a `srcset` such as `a.png 1x, b.png 2x`. Like browsers, allows commas in addresses. Omits sources that the
 * bundle does not contain, so that browsers use the others.
 */
function resolveSourceSet(
  text: string,
  { position }: ElementNode,
  { links }: NodeRenderer,
): string {
  const sources: string[] = [];
  sourceSetEntry.lastIndex = 0;
  for (let entry = sourceSetEntry.exec(text); entry; entry = sourceSetEntry.exec(text)) {
    const [, written = "", descriptors = ""] = entry;
    const target = written.replace(/,+$/, "");
    // A comma at the end of an address ends its entry.
    if (target !== written) sourceSetEntry.lastIndex -= descriptors.length;
    if (target === "") continue;
    const { src } = links.media(target, position);
    if (src === "" || links.isMissing(target, position)) continue;
    sources.push(target === written ? src + descriptors.trimEnd() : src);
  }
  return sources.join(", ");
}

function toPropertyName(key: string): string {
  const name = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return name.startsWith("ms-") ? `-${name}` : name;
}

function formatNumber(name: string, value: number): string {
  const isPlain = value === 0 || unitlessProperties.has(name) || name.startsWith("--");
  return isPlain ? String(value) : `${value}px`;
}

/**
 * The address of an empty picture, for pictures that are not shown. An empty address would refer to the page itself.
 */
const emptyImage = "data:,";
