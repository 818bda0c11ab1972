/** A color as red, green and blue from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

/** The minimum contrast of text with its background in WCAG 2 (AA, text of normal size). */
export const textContrast = 4.5;

/** The minimum contrast of lines and marks with adjacent colors in WCAG 2. */
export const markContrast = 3;

/** Parses `#rgb` and `#rrggbb`. Ignores a trailing alpha component. */
export function parseHex(text: string): Color | undefined {
  const digits = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text.trim())?.[1];
  if (digits === undefined) return undefined;
  const width = digits.length < 6 ? 1 : 2;
  const readChannel = (at: number) => {
    const hex = digits.slice(at * width, (at + 1) * width);
    return Number.parseInt(width === 1 ? hex + hex : hex, 16);
  };
  return [readChannel(0), readChannel(1), readChannel(2)];
}

export function toHex(color: Color): string {
  return `#${color.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** Mixes two colors. `share` (0 to 1) is the share of the second color. */
export function mixColors(from: Color, to: Color, share: number): Color {
  const mixPart = (at: 0 | 1 | 2) => from[at] + (to[at] - from[at]) * share;
  return [mixPart(0), mixPart(1), mixPart(2)];
}

/** Computes the relative luminance according to WCAG 2, from 0 for black to 1 for white. */
function computeLuminance(color: Color): number {
  const [red, green, blue] = color.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function computeContrast(left: Color, right: Color): number {
  const [low, high] = [computeLuminance(left), computeLuminance(right)].toSorted((a, b) => a - b);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

export const white: Color = [255, 255, 255];
export const black: Color = [0, 0, 0];

/** Returns black or white, whichever is easier to read on `background`. */
export function chooseTextColor(background: Color): Color {
  return computeContrast(white, background) >= computeContrast(black, background) ? white : black;
}

/** Returns white, the format's color for text on buttons, if it is readable, or else the more readable color. */
export function chooseButtonText(background: Color): Color {
  return computeContrast(white, background) >= textContrast ? white : chooseTextColor(background);
}

/**
 * Returns the color nearest to `color`, toward black or white, whose contrast with all `backgrounds` is at least
 * `minContrast`. The default is enough for text.
 */
export function adjustContrast(
  color: Color,
  backgrounds: readonly Color[],
  minContrast: number = textContrast,
): Color {
  const [first = white] = backgrounds;
  const end = chooseTextColor(first);
  for (let share = 0; share < 1; share += 0.02) {
    const candidate = mixColors(color, end, share);
    // The margin ensures that rounding to whole numbers does not reduce the contrast below the minimum.
    const margin = 0.03;
    if (backgrounds.every((other) => computeContrast(candidate, other) >= minContrast + margin)) {
      return candidate;
    }
  }
  return end;
}
