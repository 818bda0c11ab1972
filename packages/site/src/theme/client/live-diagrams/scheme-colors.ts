import { mixColors, toHex, type Color } from "../../color.ts";

/** The page's colors in the current scheme. */
export interface SchemeColors {
  readonly isDark: boolean;
  readonly background: Color;
  readonly text: Color;
  readonly accent: Color;
  /** The color of lines, which contrasts with the background. */
  readonly line: Color;
}

export function readPageColors(element: Element): SchemeColors {
  const styles = getComputedStyle(element);
  const readColor = (name: string, fallback: Color) =>
    parseColor(styles.getPropertyValue(name).trim())?.color ?? fallback;
  const background = readColor("--c-bg", [255, 255, 255]);
  const text = readColor("--c-text", [23, 24, 28]);
  const accent = readColor("--c-accent", text);
  return {
    isDark: document.documentElement.classList.contains("dark"),
    background,
    text,
    accent,
    line: mixColors(background, text, 0.62),
  };
}

/** The hues that follow the accent's hue in the palette, in degrees. */
const hues = [210, 35, 340, 265, 145, 15, 190, 300, 90, 240, 0];

/** The names of Mermaid's palettes, each with the first and last number that follow the name. */
const palettes = [
  ["pie", 1, 12],
  ["venn", 1, 8],
  ["fillType", 0, 7],
  ["cScale", 0, 11],
  ["git", 0, 7],
] as const;

/** Returns the settings of Mermaid's theme "base", which derives further colors from them. */
export function createMermaidTheme(colors: SchemeColors): Readonly<Record<string, unknown>> {
  const { background, text, accent, line, isDark } = colors;
  const tint = (share: number) => toHex(mixColors(background, accent, share));
  const shade = (share: number) => toHex(mixColors(background, text, share));
  const [ink, ground, stroke] = [text, background, line].map(toHex);
  const border = toHex(mixColors(line, accent, 0.35));
  const red = isDark ? "hsl(0, 70%, 65%)" : "hsl(0, 65%, 45%)";
  return {
    // Mermaid's own changes for dark backgrounds make palettes black.
    darkMode: false,
    background: ground,
    dropShadow: "none",
    useGradient: false,
    ...createPalettes(colors),
    ...paint(ink, inkNames),
    ...paint(stroke, lineNames),
    ...paint(border, borderNames),
    ...paint(tint(0.1), tintNames),
    ...paint(shade(0.05), shadeNames),
    ...paint(ground, groundNames),
    activationBkgColor: tint(0.25),
    taskBkgColor: tint(0.25),
    activeTaskBkgColor: tint(0.4),
    doneTaskBkgColor: shade(0.15),
    critBkgColor: isDark ? "hsl(0, 45%, 30%)" : "hsl(0, 80%, 85%)",
    ...paint(red, "critBorderColor todayLineColor"),
    pieOpacity: "1",
    xyChart: {
      backgroundColor: "transparent",
      plotColorPalette: [0, 1, 2, 3, 4, 5]
        .map((index) => toTone(colors, index, isDark ? 62 : 42))
        .join(),
    },
  };
}

const inkNames =
  "primaryTextColor secondaryTextColor tertiaryTextColor textColor titleColor nodeTextColor noteTextColor " +
  "actorTextColor signalColor signalTextColor labelTextColor loopTextColor errorTextColor taskTextColor " +
  "taskTextOutsideColor taskTextLightColor taskTextDarkColor taskTextClickableColor branchLabelColor classText " +
  "scaleLabelColor commitLabelColor tagLabelColor stateLabelColor transitionLabelColor relationLabelColor " +
  "pieTitleTextColor pieSectionTextColor pieLegendTextColor quadrantPointFill";
const lineNames =
  "secondaryBorderColor tertiaryBorderColor lineColor clusterBorder noteBorderColor actorLineColor " +
  "labelBoxBorderColor gridColor doneTaskBorderColor archEdgeColor archEdgeArrowColor archGroupBorderColor " +
  "pieStrokeColor pieOuterStrokeColor arrowheadColor vertLineColor transitionColor relationColor";
const borderNames =
  "primaryBorderColor nodeBorder actorBorder activationBorderColor taskBorderColor activeTaskBorderColor";
const tintNames = "primaryColor mainBkg actorBkg stateBkg rowEven tagLabelBackground";
const shadeNames =
  "secondaryColor tertiaryColor clusterBkg noteBkgColor labelBoxBkgColor errorBkgColor sectionBkgColor " +
  "sectionBkgColor2 excludeBkgColor commitLabelBackground altBackground";
const groundNames =
  "edgeLabelBackground altSectionBkgColor rowOdd sequenceNumberColor relationLabelBackground compositeBackground";

function paint(color: string | undefined, names: string): Record<string, string | undefined> {
  return Object.fromEntries(names.split(" ").map((name) => [name, color]));
}

/** Creates area colors of different hues on which text in the page's color is readable. */
function createPalettes(colors: SchemeColors): Record<string, string> {
  const palette: Record<string, string> = {};
  for (const [name, first, last] of palettes) {
    for (let number = first; number <= last; number++) {
      palette[`${name}${number}`] = toTone(colors, number - first, colors.isDark ? 28 : 80);
    }
  }
  return palette;
}

function toTone({ accent, isDark }: SchemeColors, index: number, lightness: number): string {
  const hue = index === 0 ? computeHue(accent) : (hues[(index - 1) % hues.length] ?? 0);
  const tone = parseColor(`hsl(${hue}, ${isDark ? 40 : 55}%, ${lightness}%)`);
  return toHex(tone?.color ?? accent);
}

function computeHue([red, green, blue]: Color): number {
  const max = Math.max(red, green, blue);
  const range = max - Math.min(red, green, blue) || 1;
  let sextant = (red - green) / range + 4;
  if (max === red) sextant = (green - blue) / range + 6;
  else if (max === green) sextant = (blue - red) / range + 2;
  return Math.round(sextant * 60) % 360;
}

/** A color and its opacity, from 0 to 1. */
export interface Paint {
  readonly color: Color;
  readonly alpha: number;
}

const rgbForm = /^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)(?:\s*[,/]\s*([\d.]+)(%?))?\s*\)$/;
const paintCache = new Map<string, Paint | undefined>();
let canvas: CanvasRenderingContext2D | null | undefined;

/** Parses any CSS color; returns undefined for no color and for paints such as gradients. */
export function parseColor(value: string): Paint | undefined {
  if (!paintCache.has(value)) paintCache.set(value, parseUncached(value));
  return paintCache.get(value);
}

function parseUncached(value: string): Paint | undefined {
  if (value === "" || value === "none" || !CSS.supports("color", value)) return undefined;
  const [, red, green, blue, alpha = "1", percent] = rgbForm.exec(value) ?? [];
  if (red !== undefined) {
    const share = Number(alpha) / (percent === "%" ? 100 : 1);
    return { color: [Number(red), Number(green), Number(blue)], alpha: share };
  }
  canvas ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!canvas) return undefined;
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = value;
  canvas.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return { color: [r, g, b], alpha: a / 255 };
}
