/** Hue and chroma (OKLCH) of the colour families in utility classes. */
const families: ReadonlyMap<string, readonly [hue: number, chroma: number]> = new Map([
  ["slate", [257, 0.04]],
  ["gray", [264, 0.027]],
  ["zinc", [286, 0.014]],
  ["neutral", [0, 0]],
  ["stone", [56, 0.012]],
  ["red", [26, 0.22]],
  ["orange", [47, 0.19]],
  ["amber", [70, 0.17]],
  ["yellow", [88, 0.17]],
  ["lime", [130, 0.21]],
  ["green", [150, 0.19]],
  ["emerald", [162, 0.15]],
  ["teal", [182, 0.12]],
  ["cyan", [213, 0.13]],
  ["sky", [237, 0.15]],
  ["blue", [259, 0.2]],
  ["indigo", [277, 0.21]],
  ["violet", [293, 0.23]],
  ["purple", [304, 0.24]],
  ["fuchsia", [322, 0.26]],
  ["pink", [354, 0.22]],
  ["rose", [16, 0.23]],
]);

/** Below this chroma a family is grey, and its dark steps are nearer to black. */
const greyChroma = 0.05;

/** Lightness of greys and of colours, and the share of the family's chroma, by step. */
const steps: ReadonlyMap<string, readonly [grey: number, colour: number, share: number]> = new Map([
  ["50", [0.985, 0.975, 0.07]],
  ["100", [0.967, 0.945, 0.16]],
  ["200", [0.925, 0.895, 0.32]],
  ["300", [0.871, 0.82, 0.58]],
  ["400", [0.71, 0.72, 0.82]],
  ["500", [0.551, 0.64, 1]],
  ["600", [0.446, 0.56, 1]],
  ["700", [0.37, 0.49, 0.9]],
  ["800", [0.275, 0.42, 0.74]],
  ["900", [0.21, 0.375, 0.6]],
  ["950", [0.14, 0.27, 0.4]],
]);

const named: ReadonlyMap<string, string> = new Map([
  ["white", "#fff"],
  ["black", "#000"],
  ["transparent", "transparent"],
  ["current", "currentcolor"],
  ["inherit", "inherit"],
  ["primary", "var(--c-accent-text)"],
  ["primary-light", "var(--c-accent-text)"],
  ["primary-dark", "var(--c-fill)"],
  ["muted-foreground", "var(--c-text-soft)"],
]);

/** The CSS of a colour by its name in a class: `zinc-950/20`, `white`, `primary`; undefined for other names. */
export function paletteColor(text: string): string | undefined {
  const [name = "", opacity] = text.split("/", 2);
  const color = named.get(name) ?? stepColor(name);
  if (color === undefined || opacity === undefined) return color;
  if (!/^\d{1,3}$/.test(opacity)) return undefined;
  return `color-mix(in srgb, ${color} ${opacity}%, transparent)`;
}

function stepColor(name: string): string | undefined {
  const [family = "", step = ""] = name.split("-");
  const [hue, chroma] = families.get(family) ?? [];
  const [grey, colour, share] = steps.get(step) ?? [];
  if (hue === undefined || chroma === undefined || grey === undefined) return undefined;
  if (colour === undefined || share === undefined) return undefined;
  const isGrey = chroma < greyChroma;
  const amount = Number((isGrey ? chroma : chroma * share).toFixed(3));
  return `oklch(${isGrey ? grey : colour} ${amount} ${hue})`;
}
