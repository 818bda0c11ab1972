import palette from "./palette.json" with { type: "json" };

/** Hue and chroma (OKLCH) of the color families in utility classes. */
const families = new Map(Object.entries(palette.families));

/** Below this chroma a family is gray, and its dark steps are nearer to black. */
const grayChroma = 0.05;

/** Lightness of grays and of colors, and the share of the family's chroma, by step. */
const steps = new Map(Object.entries(palette.steps));

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

/** Returns the CSS of a color by its name in a class: `zinc-950/20`, `white`, `primary`; undefined for other names. */
export function findPaletteColor(text: string): string | undefined {
  const [name = "", opacity] = text.split("/", 2);
  const color = named.get(name) ?? stepColor(name);
  if (color === undefined || opacity === undefined) return color;
  if (!/^\d{1,3}$/.test(opacity)) return undefined;
  return `color-mix(in srgb, ${color} ${opacity}%, transparent)`;
}

function stepColor(name: string): string | undefined {
  const [familyName = "", stepName = ""] = name.split("-");
  const family = families.get(familyName);
  const step = steps.get(stepName);
  if (family === undefined || step === undefined) return undefined;
  const { hue, chroma } = family;
  const isGray = chroma < grayChroma;
  const amount = Number((isGray ? chroma : chroma * step.share).toFixed(3));
  return `oklch(${isGray ? step.gray : step.color} ${amount} ${hue})`;
}
