import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import { findSimilarName } from "../../core/index.ts";
import { joinAttributes, joinClassNames, parseCssColor, html } from "../html.ts";
import type { Html } from "../html.ts";

import freeByPaid from "./free-names.json" with { type: "json" };

export interface IconOptions {
  /** The size in pixels, if the author set it. */
  readonly size?: number;
  /**
   * The size in pixels if neither the author nor the author's own drawing sets one. Defaults to the height of the text.
   */
  readonly defaultSize?: number;
  readonly color?: string;
  /** The Font Awesome style, e.g. `regular`, `solid` or `brands`. */
  readonly type?: string;
  readonly className?: string;
}

/** An icon for a page. `html` is empty if no icon was requested or if there is an `image`. */
interface RenderedIcon {
  readonly html: Html;
  /** The key of the drawing that the page needs, for `renderIconStyles`. */
  readonly key?: string;
  /** The authored path or address of an image. `renderIconImage` renders the resolved address. */
  readonly image?: string;
  /**
   * Set if no library has an icon with this name. Returns a message that reports this, with the icon that is shown
   * instead and a suggested name.
   */
  readonly problem?: () => string;
}

/**
 * Renders an icon from a name or from the configuration's `{ name, style, library }`. For any other value, no icon is
 * rendered.
 */
export type IconRenderer = (icon: unknown, options: IconOptions) => RenderedIcon;

/** The icon that is shown for names that are in no library. */
const neutralIcon: ResolvedIcon = { key: "lucide:circle-dashed", isNearest: true };

/**
 * Matches an image such as `/images/a.svg`, `./a.png`, `https://...` or `data:image/...`, which contains a slash or has
 * the extension of an image.
 */
const imageAddress = /^data:image\/|\/|\.(?:svg|png|jpe?g|gif|webp|avif|ico)$/i;

/** Notices that the licenses of the icons require. */
const licenses = [
  ["lucide:", "Lucide icons, ISC license, https://lucide.dev/license"],
  ["fa-", "Font Awesome Free icons, CC BY 4.0, https://fontawesome.com/license/free"],
  ["tabler:", "Tabler icons, MIT license, https://github.com/tabler/tabler-icons"],
] as const;

/**
 * Creates an icon renderer for a site whose default library is `library`. The names in the libraries are loaded when
 * the first icon is rendered. Callers render inline JSX themselves.
 */
export function createIconRenderer(options: { readonly library: IconLibrary }): IconRenderer {
  const sets = createIconSets();
  return function renderIcon(icon, iconOptions) {
    const request = readIconRequest(icon);
    if (request === undefined) return { html: "" };
    const { name } = request;
    if (imageAddress.test(name)) return { html: "", image: name };

    const style = iconOptions.type ?? request.style;
    const library = request.library ?? options.library;
    const { key, isNearest } = resolveIcon({ name, style, library }, sets) ?? neutralIcon;
    const markup = renderGlyph(key, iconOptions);
    return isNearest
      ? { html: markup, key, problem: () => formatProblem(name, key, sets) }
      : { html: markup, key };
  };
}

function formatProblem(name: string, key: string, sets: IconSets): string {
  const start = `No icon is named ${JSON.stringify(name.slice(0, 100))};`;
  if (key !== neutralIcon.key)
    return `${start} ${JSON.stringify(key.slice(key.indexOf(":") + 1))} is shown.`;
  const neutral = `${start} a neutral one is shown.`;
  if (/[^ -~]/.test(name)) return `${neutral} Icon names are in English, such as "download".`;
  if (name.length > 100) return neutral;
  const names = (["fa-solid", "fa-brands", "lucide"] as const).flatMap((set) => [
    ...sets.getNames(set),
  ]);
  const similar = findSimilarName(name.toLowerCase(), names);
  return similar === undefined ? neutral : `${neutral} Did you mean ${JSON.stringify(similar)}?`;
}

/** Returns the HTML of an icon that is an image. `src` is its resolved and escaped address. */
export function renderIconImage(src: Html, options: IconOptions): Html {
  const className = joinClassNames("icon", "icon-image", options.className);
  const attributes = joinAttributes({ class: className });
  return html`<img${attributes} src="${src}"${joinAttributes({ style: writeIconStyle(options) })} alt="">`;
}

/** Returns the HTML of an icon that the author drew. `drawing` is the HTML of the drawing. */
export function renderIconDrawing(drawing: Html, options: IconOptions): Html {
  const className = joinClassNames("icon", "icon-drawing", options.className);
  const attributes = joinAttributes({
    class: className,
    style: writeIconStyle(options),
    "aria-hidden": "true",
  });
  return html`<span${attributes}>${drawing}</span>`;
}

function renderGlyph(key: string, options: IconOptions): Html {
  const className = joinClassNames("icon", getIconClass(key), options.className);
  return html`<span${joinAttributes({ class: className, style: writeIconStyle(options), "aria-hidden": "true" })}></span>`;
}

function writeIconStyle(options: IconOptions): string {
  const size = options.size ?? options.defaultSize;
  const color = parseCssColor(options.color);
  const declarations = [
    size === undefined || !Number.isFinite(size) ? "" : `--icon-size:${size}px`,
    color === undefined ? "" : `color:${color}`,
  ];
  return declarations.filter((text) => text !== "").join(";");
}

/** Reads an icon's name, or the configuration's `{ name, style, library }`. */
function readIconRequest(
  icon: unknown,
): { name: string; style?: string; library?: IconLibrary } | undefined {
  if (typeof icon === "string") return icon.trim() === "" ? undefined : { name: icon.trim() };
  if (typeof icon !== "object" || icon === null) return undefined;
  const { name, style, library }: { name?: unknown; style?: unknown; library?: unknown } = icon;
  if (typeof name !== "string" || name.trim() === "") return undefined;
  return {
    name: name.trim(),
    ...(typeof style === "string" ? { style } : {}),
    ...(library === "lucide" || library === "fontawesome" || library === "tabler"
      ? { library }
      : {}),
  };
}

/**
 * Returns CSS with the drawing of each icon that a bundle uses, sorted and without duplicates. The same set of keys
 * always produces the same CSS. Invalid and unknown keys are omitted.
 */
export function renderIconStyles(keys: readonly string[]): string {
  const sorted = [...new Set(keys)].toSorted();
  const rules: string[] = [];
  for (const [prefix, text] of licenses) {
    if (sorted.some((key) => key.startsWith(prefix))) rules.push(`/* ${text} */`);
  }
  const sets = createIconSets();
  for (const key of sorted) {
    const mask = createIconMask(key, sets);
    if (mask !== undefined) rules.push(`.${getIconClass(key)}{--icon:${mask}}`);
  }
  return rules.length === 0 ? "" : `${rules.join("\n")}\n`;
}

/**
 * Returns the drawing for a key as a CSS image for a mask, for which only the drawing's shape matters. Returns
 * undefined for an unknown key.
 */
export function createIconMask(key: string, sets: IconSets): string | undefined {
  const svg = findDrawing(key, sets);
  return svg && `url("${toDataUrl(svg)}")`;
}

function toDataUrl(svg: string): string {
  const body = removeDefaultFill(svg)
    .replaceAll("currentColor", "#000")
    .replaceAll('"', "'")
    .replaceAll("%", "%25")
    .replaceAll("#", "%23");
  return `data:image/svg+xml,${body}`;
}

/** Removes a fill that equals the default, which is black unless an enclosing element sets a different fill. */
function removeDefaultFill(svg: string): string {
  return svg.includes('fill="none"') ? svg : svg.replaceAll(' fill="currentColor"', "");
}

/** The icon library that a site prefers. */
type IconLibrary = "fontawesome" | "lucide" | "tabler";

/** An icon that an author requested: a name in any spelling, a style, and the library of the site. */
interface IconRequest {
  readonly name: string;
  /** `regular`, `solid`, `brands`, or a paid style, which is replaced with a free style. */
  readonly style?: string | undefined;
  readonly library: IconLibrary;
}

interface ResolvedIcon {
  /** The icon's key, e.g. `fa-solid:rocket`, `lucide:rocket` or `tabler:rocket`. */
  readonly key: string;
  /** Whether the drawing shares only a part of the requested name, e.g. `rocket` for `rocket-boosters`. */
  readonly isNearest: boolean;
}

/** Returns the key for an icon's name. */
type FindIconKey = (name: string) => string | undefined;

/**
 * Finds the icon for a name, or returns undefined if no icon has a similar name. Searches the site's library and then
 * the others, because authors use names from all libraries. Searches first for the name itself, then for the free
 * equivalent of a paid icon, then for the name without its last words, and then for the name without its first words.
 */
function resolveIcon(request: IconRequest, sets: IconSets): ResolvedIcon | undefined {
  const { library, style } = request;
  const authoredName = request.name.trim().toLowerCase();
  const [, set, rest = ""] = /^(lucide|tabler):(.*)$/.exec(authoredName) ?? [];
  if (set !== undefined) return toExactMatch(findKeyInSet(set as IconSet, rest, sets));

  const name = normalizeName(authoredName);
  if (name === undefined) return undefined;
  const findKey = createKeyFinder(library, listStyles(style ?? findStyleClass(authoredName)), sets);
  const key = findKey(name);
  return key === undefined ? findNearest(name, findKey) : { key, isNearest: false };
}

function toExactMatch(key: string | undefined): ResolvedIcon | undefined {
  return key === undefined ? undefined : { key, isNearest: false };
}

function createKeyFinder(
  library: IconLibrary,
  styles: readonly IconSet[],
  sets: IconSets,
): FindIconKey {
  const order = orderSets(library, styles);
  const findExactKey: FindIconKey = (name) => {
    for (const set of order) {
      const key = findKeyInSet(set, name, sets);
      if (key !== undefined) return key;
    }
    return undefined;
  };
  return (name) => {
    const free = freeNames.get(name);
    return (
      findExactKey(name) ??
      (free === undefined ? findExactKey(translateIconName(name)) : findExactKey(free))
    );
  };
}

/**
 * Returns the sets in the order in which they are searched. Tabler comes last unless it is the site's own library,
 * because it has three times as many names as any other set.
 */
function orderSets(library: IconLibrary, styles: readonly IconSet[]): readonly IconSet[] {
  if (library === "tabler") return ["tabler", "lucide", ...styles];
  return library === "lucide" ? ["lucide", ...styles, "tabler"] : [...styles, "lucide", "tabler"];
}

function findKeyInSet(set: IconSet, name: string, sets: IconSets): string | undefined {
  return sets.getNames(set).has(name) ? `${set}:${name}` : undefined;
}

/**
 * Matches a part of a name that has a meaning. Single letters, numbers and `-alt` occur in many names and have no
 * meaning.
 */
const meaningfulName = /^(?!alt$).*[a-z]{3}/;

function findNearest(name: string, findKey: FindIconKey): ResolvedIcon | undefined {
  const words = name.split("-");
  const parts: string[] = [];
  for (let end = words.length - 1; end > 0; end--) parts.push(words.slice(0, end).join("-"));
  for (let start = 1; start < words.length; start++) parts.push(words.slice(start).join("-"));
  for (const part of parts) {
    const key = meaningfulName.test(part) ? findKey(part) : undefined;
    if (key !== undefined) return { key, isNearest: true };
  }
  return undefined;
}

const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Returns the plain form of a name. `rocket`, `fa-rocket` and `fa-solid fa-rocket` become `rocket`; `circle_check` and
 * `Circle Check` become `circle-check`.
 */
function normalizeName(authoredName: string): string | undefined {
  if (authoredName.length > 100) return undefined;
  const classes = authoredName.split(/\s+/).filter((part) => /^(?:fa|ti|lucide)-/.test(part));
  const name = (classes.at(-1)?.replace(/^(?:fa|ti|lucide)-/, "") ?? authoredName).replace(
    /[\s_]+/g,
    "-",
  );
  return nameForm.test(name) ? name : undefined;
}

const styleClass = /\b(?:fa-|fa)(s|solid|r|regular|b|brands)\b/;

/** Returns the style in classes such as `fa-brands fa-github` or `fab fa-github`. */
function findStyleClass(authoredName: string): string | undefined {
  const letter = authoredName.includes(" ") ? styleClass.exec(authoredName)?.[1]?.[0] : undefined;
  return ["solid", "regular", "brands"].find((style) => style[0] === letter);
}

/**
 * Lists the styles to try, in order. Only three styles are free. Of the paid styles, thin and light are most similar to
 * regular, and the other styles are most similar to solid.
 */
function listStyles(style: string | undefined): readonly IconSet[] {
  const requestedStyle = style
    ?.trim()
    .toLowerCase()
    .replace(/^sharp-/, "");
  if (requestedStyle === "brands") return ["fa-brands", "fa-solid", "fa-regular"];
  const isThin =
    requestedStyle === "regular" || requestedStyle === "light" || requestedStyle === "thin";
  return isThin ? ["fa-regular", "fa-solid", "fa-brands"] : ["fa-solid", "fa-brands", "fa-regular"];
}

/**
 * Maps names of paid and renamed icons, which no free library has, to the names of the most similar free icons. The
 * names are from the types that Font Awesome publishes for all of its icons (MIT,
 * `@fortawesome/fontawesome-common-types` 6.1.1: 4,571 names, of which the free sets have 2,500).
 */
export const freeNames: ReadonlyMap<string, string> = new Map(Object.entries(freeByPaid));

/**
 * Parts of names in Font Awesome and their counterparts in Lucide and Tabler. For names with the old suffixes `-alt`
 * and `-o`, and for variants (`-simple`, `-blank`), the icon without the suffix is used.
 */
const nameTranslations: readonly (readonly [awesome: RegExp, other: string])[] = [
  [/-(?:alt|o|simple|blank|stroke|lines|text)$/, ""],
  [/\bmagnifying-glass\b/, "search"],
  [/\bcomment-alt\b/, "message-square"],
  [/\bcomments?\b/, "message-circle"],
  [/\bmessages?\b(?!-(?:circle|square))/, "message-square"],
  [/\btrash-(?:can|alt)\b/, "trash"],
  [/\bfloppy-disks?\b/, "device-floppy"],
  [/\b(?:map-marker|location-(?:pin|dot)|location)\b/, "map-pin"],
  [/\bmicrophone\b/, "mic"],
  [/\benvelopes?\b/, "mail"],
  [/\bmobile\b/, "device-mobile"],
  [/\b(?:desktop|display)\b/, "monitor"],
  [/\bgear\b/, "cog"],
  [/\b(?:xmark|times)\b/, "x"],
  [/\bslash\b/, "off"],
  [/\b(?:edit|pen)$/, "pencil"],
  [/\b(?:usd|dollar)\b/, "dollar-sign"],
  [/\bexclamation\b/, "alert"],
  [/\bhouse\b/, "home"],
  [/\b(?:minus|plus)-(?=hexagon|octagon)/, ""],
  [/\bcart-shopping\b|\bcart\b/, "shopping-cart"],
  [/\bquestion$/, "question-mark"],
  [/\b(?:image|images)\b/, "photo"],
  [/\bface-/, "mood-"],
  [/^(?:arrow-)?(left|right|up|down)-(to|from)-(?:dotted-)?line$/, "arrow-$1-$2-line"],
];

/** Translates a name to the terms of Lucide and Tabler. */
function translateIconName(name: string): string {
  return nameTranslations.reduce((near, [awesome, other]) => near.replace(awesome, other), name);
}

/** The free icon sets. */
export const iconSets = ["lucide", "fa-solid", "fa-regular", "fa-brands", "tabler"] as const;
export type IconSet = (typeof iconSets)[number];

/** The names and drawings of all icons. A set is read when it is first used. */
export interface IconSets {
  /** Returns all names of a set, including old names. */
  getNames(set: IconSet): ReadonlySet<string>;
  /**
   * Returns the SVG document of an icon on one line, without comments and classes, or undefined if the icon does not
   * exist.
   */
  findDrawing(set: IconSet, name: string): string | undefined;
}

const keyForm =
  /^(?<set>lucide|tabler|fa-(?:solid|regular|brands)):(?<name>[a-z0-9]+(?:-[a-z0-9]+)*)$/;

/** The module in the repository that reads the sets' packages, which are not installed with the library. */
interface IconPackages {
  readonly createIconPackageSets: () => IconSets;
}

const isBuilt = import.meta.url.endsWith(".js");

/**
 * Returns the drawing of a key such as `lucide:rocket` or `fa-solid:rocket`, or undefined for unknown and invalid keys.
 */
function findDrawing(key: string, sets: IconSets): string | undefined {
  const { set, name } = keyForm.exec(key)?.groups ?? {};
  return set === undefined || name === undefined
    ? undefined
    : sets.findDrawing(set as IconSet, name);
}

/** Returns the class for an icon's key in HTML and CSS, e.g. `i-fa-solid-rocket`. */
function getIconClass(key: string): string {
  return `i-${key.replace(":", "-")}`;
}

/**
 * Opens the icon sets. In `dist/`, they are packed next to this module; in `src/`, they are read from their packages.
 */
export function createIconSets(): IconSets {
  if (isBuilt) return createPackedIconSets(new URL("packed/", import.meta.url));
  const require = createRequire(import.meta.url);
  const { createIconPackageSets } = require("../../../build/icon-packages.ts") as IconPackages;
  return createIconPackageSets();
}

/**
 * Opens icon sets in the form in which the build packs them. The names of a set are in `<set>.txt` and its drawings are
 * in `<set>.gz`, one per line and in the same order. Drawings are read only when they are first used.
 */
export function createPackedIconSets(folder: URL): IconSets {
  const names = new Map<IconSet, ReadonlySet<string>>();
  const drawings = new Map<IconSet, ReadonlyMap<string, string>>();

  function readNames(set: IconSet): ReadonlySet<string> {
    const setNames =
      names.get(set) ?? new Set(readLines(readFileSync(new URL(`${set}.txt`, folder))));
    names.set(set, setNames);
    return setNames;
  }
  function readDrawings(set: IconSet): ReadonlyMap<string, string> {
    const lines = readLines(gunzipSync(readFileSync(new URL(`${set}.gz`, folder))));
    return new Map(Array.from(readNames(set), (name, at) => [name, lines[at] ?? ""]));
  }
  return {
    getNames: readNames,
    findDrawing(set, name) {
      const setDrawings = drawings.get(set) ?? readDrawings(set);
      drawings.set(set, setDrawings);
      return setDrawings.get(name);
    },
  };
}

function readLines(bytes: Buffer): string[] {
  return bytes.toString().split("\n");
}
