import type { SiteConfig } from "../../site/config.ts";
import { freeNames } from "./free-names.ts";
import { awesomeStyles, type AwesomeStyle, type IconNames } from "./icon-names.ts";

export type IconLibrary = SiteConfig["iconLibrary"];

/** What an author asked for: a name in any spelling, a style, and the library of the site. */
export interface IconRequest {
  readonly name: string;
  /** `regular`, `solid`, `brands`, or one of the paid styles, which the free ones stand for. */
  readonly style?: string | undefined;
  readonly library: IconLibrary;
}

/** Where an icon's name is looked up, in order; the first hit wins. */
type Lookup = (name: string) => string | undefined;

/**
 * The key of an icon (`fa-solid:rocket`, `lucide:rocket`), or undefined where none of the libraries
 * has it. The site's own library is asked first, then the free name of a paid icon, then the others:
 * authors use names of all of them.
 */
export function resolveIcon(request: IconRequest, names: IconNames): string | undefined {
  const { library, style } = request;
  const written = request.name.trim().toLowerCase();
  if (written.startsWith("lucide:")) return lucideKey(written.slice("lucide:".length), names);

  const name = plainName(written);
  if (name === undefined) return undefined;
  const styles = styleOrder(style ?? styleOfClasses(written));
  const awesome: Lookup = (name) => awesomeKey(name, styles, names);
  const lucide: Lookup = (name) => lucideKey(name, names);
  const order = library === "fontawesome" ? [awesome, lucide] : [lucide, awesome];
  return (
    firstHit(order, name) ??
    firstHit(order, freeNames.get(name)) ??
    firstHit(order, library === "tabler" ? withoutTablerForms(name) : undefined)
  );
}

function firstHit(order: readonly Lookup[], name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  for (const lookup of order) {
    const key = lookup(name);
    if (key !== undefined) return key;
  }
  return undefined;
}

const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** `rocket` of `rocket`, `fa-rocket`, `fa-solid fa-rocket`, `circle_check` and `Circle Check`. */
function plainName(written: string): string | undefined {
  if (written.length > 100) return undefined;
  const classes = written.split(/\s+/).filter((part) => part.startsWith("fa-"));
  const name = (classes.at(-1)?.slice("fa-".length) ?? written).replace(/[\s_]+/g, "-");
  return nameForm.test(name) ? name : undefined;
}

const styleClass = /\b(?:fa-|fa)(s|solid|r|regular|b|brands)\b/;

/** The style in `fa-brands fa-github` or `fab fa-github`. */
function styleOfClasses(written: string): string | undefined {
  const letter = written.includes(" ") ? styleClass.exec(written)?.[1]?.[0] : undefined;
  return awesomeStyles.find((style) => style[0] === letter);
}

/** Styles to try. Only three are free: thin and light ones are nearest to regular, the rest to solid. */
function styleOrder(style: string | undefined): readonly AwesomeStyle[] {
  const asked = style
    ?.trim()
    .toLowerCase()
    .replace(/^sharp-/, "");
  if (asked === "brands") return ["brands", "solid", "regular"];
  const isThin = asked === "regular" || asked === "light" || asked === "thin";
  return isThin ? ["regular", "solid", "brands"] : ["solid", "brands", "regular"];
}

function awesomeKey(
  name: string,
  styles: readonly AwesomeStyle[],
  names: IconNames,
): string | undefined {
  const style = styles.find((style) => names.awesome[style].has(name));
  return style === undefined ? undefined : `fa-${style}:${name}`;
}

function lucideKey(name: string, names: IconNames): string | undefined {
  return names.lucide.has(name) ? `lucide:${name}` : undefined;
}

function withoutTablerForms(name: string): string {
  return name.replace(/^brand-/, "").replace(/-(?:filled|off)$/, "");
}
