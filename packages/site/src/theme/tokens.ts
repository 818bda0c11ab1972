import {
  black,
  chooseButtonText,
  chooseTextColor,
  markContrast,
  mixColors,
  parseHex,
  adjustContrast,
  toHex,
  white,
  type Color,
} from "./color.ts";
import { getFileUrl } from "./link.ts";
import { getThemeLayout } from "./theme-layout.ts";
import {
  normalizeRemoteAddress,
  stripFileAddress,
  type FindCopy,
  type Font,
  type Site,
  type SiteConfig,
  type ThemeName,
} from "../site/index.ts";
import { cleanRelativePath } from "../core/index.ts";

type Scheme = "light" | "dark";

/** Returns the CSS `url()` of an author's address; undefined if the bundle does not show it. */
type FindUrl = (path: string) => string | undefined;

const textColors: Readonly<Record<Scheme, Color>> = { light: [23, 24, 28], dark: [238, 239, 242] };
const backgrounds: Readonly<Record<Scheme, Color>> = { light: white, dark: [17, 18, 21] };

/** The color around the sheet of the `card` layout, unless the author set a background. */
const cardGrounds: Readonly<Record<Scheme, Color>> = { light: [245, 245, 247], dark: [10, 11, 13] };

/** The colors of callouts and other marks before they are adjusted to the background. */
const marks: Readonly<Record<string, Readonly<Record<Scheme, Color>>>> = {
  note: { light: [37, 99, 235], dark: [122, 171, 255] },
  tip: { light: [13, 122, 114], dark: [86, 211, 196] },
  info: { light: [82, 88, 102], dark: [168, 176, 190] },
  warning: { light: [166, 90, 8], dark: [245, 189, 79] },
  danger: { light: [200, 38, 38], dark: [255, 140, 140] },
  check: { light: [21, 128, 61], dark: [110, 222, 155] },
};

interface ThemeStyle {
  /** The border radii of boxes and of small elements, in pixels. */
  readonly radii: readonly [boxes: number, small: number];
  /** Whether headings and the labels of the navigation are monospaced unless the author chose a font. */
  readonly isMono?: boolean;
  /** Whether the frame has the background of the article. */
  readonly isPlain?: boolean;
}

/** The differences between themes with the same layout. */
const themeStyles: Readonly<Record<ThemeName, ThemeStyle>> = {
  mint: { radii: [12, 8] },
  maple: { radii: [16, 10] },
  palm: { radii: [8, 6] },
  willow: { radii: [6, 4], isPlain: true },
  linden: { radii: [3, 2], isMono: true },
  almond: { radii: [14, 10] },
  aspen: { radii: [10, 7] },
  sequoia: { radii: [8, 6], isPlain: true },
  luma: { radii: [12, 8] },
};

const systemSansStack =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", ' +
  'Arial, sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji"';
/** System fonts, which are also used for letters that an author's font lacks. */
const sansStack = `ui-sans-serif, ${systemSansStack}`;
/** The text font on pages that load it, followed by system fonts. */
const textStack = `var(--font-text, ui-sans-serif), ${systemSansStack}`;
const monoStack =
  'ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace';

/** Renders CSS for a site's configuration: colors in both schemes, fonts, border radii, background. */
export function renderTokenStyles(
  site: Pick<Site, "config" | "assets" | "basePaths">,
  copyOf?: FindCopy,
): string {
  const { config } = site;
  const toUrl = (path: string) => findUrl(stripFileAddress(path, site), copyOf);
  const toKeptUrl = (path: string) => {
    const address = copyOf === undefined ? normalizeRemoteAddress(path) : undefined;
    return address === undefined ? toUrl(path) : `url("${address}")`;
  };
  const { radii, isMono } = themeStyles[config.theme];
  const { heading, body } = config.fonts ?? {};
  const label = isMono && body === undefined ? monoStack : writeFontStack(body);
  return [
    writeFontFace(heading, toUrl),
    body?.source === heading?.source ? "" : writeFontFace(body, toUrl),
    ":root {",
    "  color-scheme: light;",
    ...writeSchemeTokens(config, "light"),
    ...writeBackgroundImage(config, "light", toKeptUrl),
    ...writeThemeColors(config),
    `  --radius: ${radii[0]}px;`,
    `  --radius-sm: ${radii[1]}px;`,
    `  --font-body: ${writeFontStack(body)};`,
    `  --font-heading: ${heading === undefined ? label : writeFontStack(heading)};`,
    `  --font-label: ${label};`,
    `  --font-mono: ${monoStack};`,
    "}",
    // The dark scheme applies only to screens, because paper is white.
    "@media screen {",
    ".dark {",
    "  color-scheme: dark;",
    ...writeSchemeTokens(config, "dark"),
    ...writeBackgroundImage(config, "dark", toKeptUrl),
    "}",
    "}",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

interface Surfaces {
  /** The background of the article. */
  readonly background: Color;
  /** The background of the frame, if the layout distinguishes the two. */
  readonly ground: Color;
}

function computeSurfaces(config: SiteConfig, scheme: Scheme): Surfaces {
  const authoredColor = parseHex(config.background.color?.[scheme] ?? "");
  const layout = getThemeLayout(config.theme);
  if (layout === "card") {
    if (authoredColor === undefined) {
      return { background: backgrounds[scheme], ground: cardGrounds[scheme] };
    }
    const lift = chooseTextColor(authoredColor) === black ? 0.8 : 0.04;
    return { background: mixColors(authoredColor, white, lift), ground: authoredColor };
  }
  const background = authoredColor ?? backgrounds[scheme];
  const isPlain = layout === "classic" || themeStyles[config.theme].isPlain === true;
  if (isPlain) return { background, ground: background };
  const depth = chooseTextColor(background) === black ? 0.028 : 0.35;
  return { background, ground: mixColors(background, black, depth) };
}

function writeSchemeTokens(config: SiteConfig, scheme: Scheme): string[] {
  const { background, ground } = computeSurfaces(config, scheme);
  // Text must be readable even if an author set a dark background in the light scheme.
  const isExpectedScheme = chooseTextColor(background) === (scheme === "light" ? black : white);
  const ink = isExpectedScheme
    ? textColors[scheme]
    : textColors[scheme === "light" ? "dark" : "light"];
  const soft = mixColors(background, ink, 0.025);
  const mute = mixColors(background, ink, 0.055);
  const hover = mixColors(ground, ink, 0.055);
  const surfaces = [background, soft, mute, ground, hover];
  const primary = parseHex(config.colors[scheme === "light" ? "primary" : "light"]) ?? ink;
  const accentSoft = mixColors(background, primary, scheme === "light" ? 0.09 : 0.14);
  const accent = adjustContrast(primary, [background], markContrast);
  const fill = parseHex(config.colors.dark) ?? primary;
  const colors: Record<string, Color> = {
    bg: background,
    "bg-soft": soft,
    "bg-mute": mute,
    ground,
    hover,
    text: ink,
    // Long text with full contrast is tiring to read, and headings stand out from softer text.
    "text-prose": mixColors(background, ink, 0.87),
    "text-soft": adjustContrast(mixColors(background, ink, 0.74), surfaces),
    "text-faint": adjustContrast(mixColors(background, ink, 0.56), surfaces),
    border: mixColors(background, ink, 0.1),
    "border-strong": mixColors(background, ink, 0.2),
    accent,
    "accent-soft": accentSoft,
    "accent-text": adjustContrast(primary, [...surfaces, accentSoft]),
    "on-accent": chooseButtonText(accent),
    fill,
    "on-fill": chooseButtonText(fill),
  };
  for (const [name, mark] of Object.entries(marks)) {
    const markSoft = mixColors(background, mark[scheme], scheme === "light" ? 0.07 : 0.11);
    colors[name] = adjustContrast(mark[scheme], [...surfaces, markSoft]);
    colors[`${name}-soft`] = markSoft;
  }
  return Object.entries(colors).map(([name, color]) => `  --c-${name}: ${toHex(color)};`);
}

/** Returns the color tokens that are the same in both schemes, for the format's classes such as `bg-primary`. */
function writeThemeColors(config: SiteConfig): string[] {
  const { primary, light } = config.colors;
  const colors = {
    primary: parseHex(primary) ?? textColors.light,
    "primary-light": parseHex(light) ?? textColors.light,
    "background-light": computeSurfaces(config, "light").background,
    "background-dark": computeSurfaces(config, "dark").background,
  };
  return Object.entries(colors).map(([name, color]) => `  --c-${name}: ${toHex(color)};`);
}

/**
 * Returns the URL of a file of the site, or of the copy of a file from another host. The URL is relative to the style
 * sheet, which is in `_octavo/`. Returns undefined if neither exists.
 */
function findUrl(path: string, copyOf: FindCopy | undefined): string | undefined {
  const address = normalizeRemoteAddress(path);
  const isOutside = address !== undefined || /^[a-z][a-z0-9+.-]*:/i.test(path);
  const file = isOutside ? address && copyOf?.(address) : cleanRelativePath(path);
  return file === undefined ? undefined : `url("../${getFileUrl(file)}")`;
}

function writeBackgroundImage(
  { background }: SiteConfig,
  scheme: Scheme,
  toUrl: FindUrl,
): string[] {
  const path = background.image?.[scheme];
  const image = path === undefined ? undefined : toUrl(path);
  return image === undefined ? [] : [`  --background-image: ${image};`];
}

function writeFontStack(font: Font | undefined): string {
  return font === undefined ? textStack : `"${cleanFamilyName(font)}", ${sansStack}`;
}

function cleanFamilyName({ family }: Font): string {
  return family.replaceAll(/["\\\p{Cc}]/gu, "");
}

/** Renders a font that the bundle contains. Fonts from other hosts are used only if readers have them installed. */
function writeFontFace(font: Font | undefined, toUrl: FindUrl): string {
  const url = font?.source === undefined ? undefined : toUrl(font.source);
  if (font === undefined || url === undefined) return "";
  const isVariable = /variable|[-_[]vf|wght/i.test(font.source ?? "");
  const weight = font.weight ?? (isVariable ? "100 900" : undefined);
  return [
    "@font-face {",
    `  font-family: "${cleanFamilyName(font)}";`,
    `  src: ${url} format("${font.format ?? (font.source?.endsWith(".woff") ? "woff" : "woff2")}");`,
    weight === undefined ? "" : `  font-weight: ${weight};`,
    "  font-display: swap;",
    "}",
  ]
    .filter((line) => line !== "")
    .join("\n");
}
