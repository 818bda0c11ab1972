import { findSimilarName } from "../../core/index.ts";
import { joinAttributes, joinClassNames, parseCssColor, html } from "../html.ts";
import type { Html } from "../html.ts";
import { createIconSets, findDrawing, getIconClass } from "./icon-sets.ts";
import type { IconSets } from "./icon-sets.ts";
import { resolveIcon } from "./resolve-icon.ts";
import type { IconLibrary, ResolvedIcon } from "./resolve-icon.ts";

export interface IconOptions {
  /** The author's size in pixels, if given. */
  readonly size?: number;
  /** Pixels if neither the author nor the author's own drawing has a size; by default as high as the text. */
  readonly usualSize?: number;
  readonly color?: string;
  /** Font Awesome style: regular, solid, brands, ... */
  readonly type?: string;
  readonly className?: string;
}

/** An icon for a page. `html` is empty if no icon was requested, and if there is an `image`. */
export interface RenderedIcon {
  readonly html: Html;
  /** The drawing that the page needs, for `renderIconStyles`. */
  readonly key?: string;
  /** The path or address of a picture, as authored; `renderIconImage` makes HTML of the resolved one. */
  readonly image?: string;
  /** If no library has the name: returns a message that says so, the icon shown instead, and a suggested name. */
  readonly problem?: () => string;
}

/** Renders an icon from a name or from the configuration's `{ name, style, library }`; anything else is not an icon. */
export type IconRenderer = (icon: unknown, options: IconOptions) => RenderedIcon;

/** The icon for names that no library has. */
const neutralIcon: ResolvedIcon = { key: "lucide:circle-dashed", isNearest: true };

/** `/images/a.svg`, `./a.png`, `https://...`, `data:image/...`: has a slash or a picture's extension. */
const pictureForm = /^data:image\/|\/|\.(?:svg|png|jpe?g|gif|webp|avif|ico)$/i;

/** Notices required by the licenses of the icons. */
const licenses = [
  ["lucide:", "Lucide icons, ISC license, https://lucide.dev/license"],
  ["fa-", "Font Awesome Free icons, CC BY 4.0, https://fontawesome.com/license/free"],
  ["tabler:", "Tabler icons, MIT license, https://github.com/tabler/tabler-icons"],
] as const;

/**
 * Renders icons by name for a site whose default library is `library`. The libraries' names are loaded when the
 * first icon is rendered. Callers render inline JSX themselves.
 */
export function createIconRenderer(options: { readonly library: IconLibrary }): IconRenderer {
  const sets = createIconSets();
  return function renderIcon(icon, iconOptions) {
    const request = iconRequest(icon);
    if (request === undefined) return { html: "" };
    const { name } = request;
    if (pictureForm.test(name)) return { html: "", image: name };

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

/** HTML of an icon that is a picture; `src` is its resolved address, escaped. */
export function renderIconImage(src: Html, options: IconOptions): Html {
  const className = joinClassNames("icon", "icon-image", options.className);
  const start = joinAttributes({ class: className });
  return html`<img${start} src="${src}"${joinAttributes({ style: iconStyle(options) })} alt="">`;
}

/** HTML of an icon that the author drew, whose HTML is `drawing`. */
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

/** A name, or the configuration's `{ name, style, library }`. */
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
 * CSS with the drawing of each icon that a bundle uses: sorted, without duplicates, the same for the same
 * set of keys. Invalid and unknown keys are omitted.
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

/** The drawing of a key as a CSS image for a mask, which needs only its shape; undefined for an unknown key. */
export function createIconMask(key: string, sets: IconSets): string | undefined {
  const svg = findDrawing(key, sets);
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
