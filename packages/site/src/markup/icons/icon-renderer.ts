import { findSimilarName } from "../../core/index.ts";
import { joinAttributes, joinClassNames, parseCssColor, html } from "../html.ts";
import type { Html } from "../html.ts";
import { createIconSets, findDrawing, getIconClass } from "./icon-sets.ts";
import type { IconSets } from "./icon-sets.ts";
import { resolveIcon } from "./resolve-icon.ts";
import type { IconLibrary, ResolvedIcon } from "./resolve-icon.ts";

export interface IconOptions {
  /** The size in pixels that the author set, if any. */
  readonly size?: number;
  /**
   * The size in pixels if neither the author nor the author's own drawing sets one. Defaults to the height of the text.
   */
  readonly usualSize?: number;
  readonly color?: string;
  /** The Font Awesome style, e.g. `regular`, `solid` or `brands`. */
  readonly type?: string;
  readonly className?: string;
}

/** An icon for a page. `html` is empty if no icon was requested or if there is an `image`. */
export interface RenderedIcon {
  readonly html: Html;
  /** The key of the drawing that the page needs, for `renderIconStyles`. */
  readonly key?: string;
  /** The authored path or address of an image. `renderIconImage` renders the resolved address. */
  readonly image?: string;
  /**
   * Set if no library has the name. Returns a message that reports this, with the icon that is shown instead and a
   * suggested name.
   */
  readonly problem?: () => string;
}

/**
 * Renders an icon from a name or from the configuration's `{ name, style, library }`. Any other value is not an icon.
 */
export type IconRenderer = (icon: unknown, options: IconOptions) => RenderedIcon;

/** The icon for names that no library has. */
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
 * Creates a renderer of icons for a site whose default library is `library`. The names in the libraries are loaded when
 * the first icon is rendered. Callers render inline JSX themselves.
 */
export function createIconRenderer(options: { readonly library: IconLibrary }): IconRenderer {
  const sets = createIconSets();
  return function renderIcon(icon, iconOptions) {
    const request = iconRequest(icon);
    if (request === undefined) return { html: "" };
    const { name } = request;
    if (imageAddress.test(name)) return { html: "", image: name };

    const style = iconOptions.type ?? request.style;
    const library = request.library ?? options.library;
    const { key, isNearest } = resolveIcon({ name, style, library }, sets) ?? neutralIcon;
    const markup = glyph(key, iconOptions);
    return isNearest
      ? { html: markup, key, problem: () => formatProblem(name, key, sets) }
      : { html: markup, key };
  };
}

function formatProblem(name: string, key: string, sets: IconSets): string {
  const start = `No icon is named ${JSON.stringify(name.slice(0, 100))};`;
  if (key !== neutralIcon.key) return `${start} ${JSON.stringify(nameOfKey(key))} is shown.`;
  const neutral = `${start} a neutral one is shown.`;
  if (/[^ -~]/.test(name)) return `${neutral} Names of icons are English, such as "download".`;
  if (name.length > 100) return neutral;
  const known = (["fa-solid", "fa-brands", "lucide"] as const).flatMap((set) => [
    ...sets.names(set),
  ]);
  const similar = findSimilarName(name.toLowerCase(), known);
  return similar === undefined ? neutral : `${neutral} Did you mean ${JSON.stringify(similar)}?`;
}

function nameOfKey(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}

/** Returns the HTML of an icon that is an image. `src` is its resolved and escaped address. */
export function renderIconImage(src: Html, options: IconOptions): Html {
  const className = joinClassNames("icon", "icon-image", options.className);
  const start = joinAttributes({ class: className });
  return html`<img${start} src="${src}"${joinAttributes({ style: iconStyle(options) })} alt="">`;
}

/** Returns the HTML of an icon that the author drew. `drawing` is the HTML of the drawing. */
export function renderIconDrawing(drawing: Html, options: IconOptions): Html {
  const className = joinClassNames("icon", "icon-drawing", options.className);
  const start = joinAttributes({
    class: className,
    style: iconStyle(options),
    "aria-hidden": "true",
  });
  return html`<span${start}>${drawing}</span>`;
}

function glyph(key: string, options: IconOptions): Html {
  const className = joinClassNames("icon", getIconClass(key), options.className);
  return html`<span${joinAttributes({ class: className, style: iconStyle(options), "aria-hidden": "true" })}></span>`;
}

function iconStyle(options: IconOptions): string {
  const size = options.size ?? options.usualSize;
  const color = parseCssColor(options.color);
  const declarations = [
    size === undefined || !Number.isFinite(size) ? "" : `--icon-size:${size}px`,
    color === undefined ? "" : `color:${color}`,
  ];
  return declarations.filter((text) => text !== "").join(";");
}

/** Reads an icon's name, or the configuration's `{ name, style, library }`. */
function iconRequest(
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
 * Returns the drawing of a key as a CSS image for a mask, which needs only the shape. Returns undefined for an unknown
 * key.
 */
export function createIconMask(key: string, sets: IconSets): string | undefined {
  const svg = findDrawing(key, sets);
  return svg && `url("${dataUrl(svg)}")`;
}

function dataUrl(svg: string): string {
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
