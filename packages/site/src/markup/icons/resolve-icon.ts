import freeByPaid from "./free-names.json" with { type: "json" };
import type { IconSet, IconSets } from "./icon-sets.ts";

/** The icon library that a site prefers. */
export type IconLibrary = "fontawesome" | "lucide" | "tabler";

/** An icon that an author requested: a name in any spelling, a style, and the library of the site. */
interface IconRequest {
  readonly name: string;
  /** `regular`, `solid`, `brands`, or a paid style, which is replaced with a free style. */
  readonly style?: string | undefined;
  readonly library: IconLibrary;
}

export interface ResolvedIcon {
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
export function resolveIcon(request: IconRequest, sets: IconSets): ResolvedIcon | undefined {
  const { library, style } = request;
  const written = request.name.trim().toLowerCase();
  const [, set, rest = ""] = /^(lucide|tabler):(.*)$/.exec(written) ?? [];
  if (set !== undefined) return exactMatch(keyIn(set as IconSet, rest, sets));

  const name = normalizeName(written);
  if (name === undefined) return undefined;
  const lookup = createKeyFinder(library, listStyles(style ?? styleOfClasses(written)), sets);
  const key = lookup(name);
  return key === undefined ? findNearest(name, lookup) : { key, isNearest: false };
}

function exactMatch(key: string | undefined): ResolvedIcon | undefined {
  return key === undefined ? undefined : { key, isNearest: false };
}

function createKeyFinder(
  library: IconLibrary,
  styles: readonly IconSet[],
  sets: IconSets,
): FindIconKey {
  const order = orderSets(library, styles);
  const exact: FindIconKey = (name) => {
    for (const set of order) {
      const key = keyIn(set, name, sets);
      if (key !== undefined) return key;
    }
    return undefined;
  };
  return (name) => {
    const free = freeNames.get(name);
    return exact(name) ?? (free === undefined ? exact(translateIconName(name)) : exact(free));
  };
}

/**
 * Returns the sets in the order in which they are searched. Tabler comes last unless it is the site's own library,
 * because it has three times as many names as any other.
 */
function orderSets(library: IconLibrary, styles: readonly IconSet[]): readonly IconSet[] {
  if (library === "tabler") return ["tabler", "lucide", ...styles];
  return library === "lucide" ? ["lucide", ...styles, "tabler"] : [...styles, "lucide", "tabler"];
}

function keyIn(set: IconSet, name: string, sets: IconSets): string | undefined {
  return sets.names(set).has(name) ? `${set}:${name}` : undefined;
}

/**
 * Matches a part of a name that has a meaning. A single letter, a number or `-alt` occurs in many names and has none.
 */
const meaningfulName = /^(?!alt$).*[a-z]{3}/;

function findNearest(name: string, lookup: FindIconKey): ResolvedIcon | undefined {
  const words = name.split("-");
  const parts: string[] = [];
  for (let end = words.length - 1; end > 0; end--) parts.push(words.slice(0, end).join("-"));
  for (let start = 1; start < words.length; start++) parts.push(words.slice(start).join("-"));
  for (const part of parts) {
    const key = meaningfulName.test(part) ? lookup(part) : undefined;
    if (key !== undefined) return { key, isNearest: true };
  }
  return undefined;
}

const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Returns the plain form of a name. `rocket`, `fa-rocket` and `fa-solid fa-rocket` become `rocket`; `circle_check` and
 * `Circle Check` become `circle-check`.
 */
function normalizeName(written: string): string | undefined {
  if (written.length > 100) return undefined;
  const classes = written.split(/\s+/).filter((part) => /^(?:fa|ti|lucide)-/.test(part));
  const name = (classes.at(-1)?.replace(/^(?:fa|ti|lucide)-/, "") ?? written).replace(
    /[\s_]+/g,
    "-",
  );
  return nameForm.test(name) ? name : undefined;
}

const styleClass = /\b(?:fa-|fa)(s|solid|r|regular|b|brands)\b/;

/** Returns the style in classes such as `fa-brands fa-github` or `fab fa-github`. */
function styleOfClasses(written: string): string | undefined {
  const letter = written.includes(" ") ? styleClass.exec(written)?.[1]?.[0] : undefined;
  return ["solid", "regular", "brands"].find((style) => style[0] === letter);
}

/**
 * Lists the styles to try, in order. Only three styles are free. Of the paid styles, thin and light are most similar to
 * regular, and the others to solid.
 */
function listStyles(style: string | undefined): readonly IconSet[] {
  const asked = style
    ?.trim()
    .toLowerCase()
    .replace(/^sharp-/, "");
  if (asked === "brands") return ["fa-brands", "fa-solid", "fa-regular"];
  const isThin = asked === "regular" || asked === "light" || asked === "thin";
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
const parts: readonly (readonly [awesome: RegExp, other: string])[] = [
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
  return parts.reduce((near, [awesome, other]) => near.replace(awesome, other), name);
}
