import fixedDeclarations from "./fixed-declarations.json" with { type: "json" };
import palette from "./palette.json" with { type: "json" };

/** The declarations of classes without a value, keyed by class name. */
const declarationsByName: ReadonlyMap<string, string> = new Map(Object.entries(fixedDeclarations));

/** Font sizes in rem with their line heights, keyed by the value of the class. */
const textSizes: ReadonlyMap<string, readonly [size: number, leading: number]> = new Map(
  Object.entries({
    xs: [0.75, 1.35],
    sm: [0.875, 1.45],
    base: [1, 1.5],
    lg: [1.125, 1.55],
    xl: [1.25, 1.4],
    "2xl": [1.5, 1.35],
    "3xl": [1.875, 1.2],
    "4xl": [2.25, 1.15],
    "5xl": [3, 1],
    "6xl": [3.75, 1],
  }),
);

const weights: ReadonlyMap<string, number> = new Map(
  Object.entries({
    thin: 100,
    light: 300,
    normal: 400,
    medium: 500,
    semibold: 600,
    bold: 700,
    extrabold: 800,
    black: 900,
  }),
);

const leadings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    none: "1",
    tight: "1.25",
    snug: "1.375",
    normal: "1.5",
    relaxed: "1.625",
    loose: "2",
  }),
);

const radii: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "": ".25rem",
    none: "0",
    sm: ".125rem",
    md: ".375rem",
    lg: ".5rem",
    xl: ".75rem",
    "2xl": "1rem",
    "3xl": "1.5rem",
    full: "9999px",
  }),
);

/** The values of `display`. `table` is missing because it is the class of the boxes in which wide tables scroll. */
const displays = new Set(
  "block inline-block inline flex inline-flex grid inline-grid contents flow-root".split(" "),
);

function findTextDeclaration(value: string): string | undefined {
  const [size, leading] = textSizes.get(value) ?? [];
  if (size !== undefined) return `font-size:${size}rem;line-height:${leading}`;
  const color = findPaletteColor(value);
  if (color !== undefined) return `color:${color}`;
  const arbitraryValue = findArbitraryValue(value);
  if (arbitraryValue === undefined) return undefined;
  return arbitraryValue.startsWith("#") ? `color:${arbitraryValue}` : `font-size:${arbitraryValue}`;
}

function findColor(value: string): string | undefined {
  return findPaletteColor(value) ?? findArbitraryValue(value);
}

/** Returns the color of a surface, which is the theme's own color. Text colors are instead adjusted for readability. */
function findSurfaceColor(value: string): string | undefined {
  const [name = "", opacity] = value.split("/", 2);
  const color = surfaceColors.get(name);
  return color === undefined ? findColor(value) : addOpacity(color, opacity);
}

/** The direction of a gradient in `bg-gradient-to-<direction>`. */
const directions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    t: "top",
    tr: "top right",
    r: "right",
    br: "bottom right",
    b: "bottom",
    bl: "bottom left",
    l: "left",
    tl: "top left",
  }),
);

function findBackgroundDeclaration(value: string): string | undefined {
  const direction = directions.get(/^(?:gradient|linear)-to-([trbl]{1,2})$/.exec(value)?.[1] ?? "");
  if (direction === undefined) return writeProperty("background-color", findSurfaceColor(value));
  const stops = "var(--from,transparent),var(--via,)var(--to,transparent)";
  return `background-image:linear-gradient(to ${direction},${stops})`;
}

function findRingDeclaration(value: string): string | undefined {
  if (value.startsWith("offset-")) return undefined;
  const width =
    parseWholeNumber(value, 8) ?? (/^\[\d/.test(value) ? findArbitraryValue(value) : undefined);
  if (width === undefined) return writeProperty("--ring", findSurfaceColor(value));
  const length = typeof width === "number" ? `${width}px` : width;
  return `box-shadow:var(--ring-inset,) 0 0 0 ${length} var(--ring,var(--c-border-strong))`;
}

/** The functions of `filter`; each class sets one function, and the functions of an element are combined. */
const filterFunctions = [
  "blur",
  "brightness",
  "contrast",
  "grayscale",
  "invert",
  "saturate",
  "sepia",
];
const filterValue = filterFunctions.map((name) => `var(--f-${name},)`).join(" ");

function findFilterDeclaration(name: string, value: string): string | undefined {
  const amount = toFraction(value) ?? findArbitraryValue(value);
  return amount === undefined ? undefined : `--f-${name}:${name}(${amount});filter:${filterValue}`;
}

const sides: ReadonlyMap<string, string> = new Map(
  Object.entries({
    t: "top",
    r: "right",
    b: "bottom",
    l: "left",
    x: "inline",
    y: "block",
  }),
);

function findBorderDeclaration(value: string): string | undefined {
  const [, side, width] = /^(?:([trblxy])(?:-(\d))?|(\d))$/.exec(value) ?? [];
  if (side !== undefined) return `border-${sides.get(side)}:${width ?? 1}px solid var(--c-border)`;
  if (/^\d$/.test(value)) return `border-width:${value}px;border-style:solid`;
  const color = findSurfaceColor(value);
  return color === undefined ? undefined : `border-color:${color}`;
}

function findRoundedDeclaration(value: string): string | undefined {
  const radius = radii.get(value) ?? findArbitraryValue(value);
  return radius === undefined ? undefined : `border-radius:${radius}`;
}

function parseWholeNumber(value: string, max: number): number | undefined {
  const number = /^\d{1,4}$/.test(value) ? Number(value) : undefined;
  return number === undefined || number > max ? undefined : number;
}

/** Functions that convert the value in `<name>-<value>` to a declaration, keyed by name. */
const families: ReadonlyMap<string, (value: string) => string | undefined> = new Map(
  Object.entries({
    text: findTextDeclaration,
    bg: findBackgroundDeclaration,
    from: (value: string) => writeProperty("--from", findSurfaceColor(value)),
    via: (value: string) => {
      const color = findSurfaceColor(value);
      return color === undefined ? undefined : `--via:${color},`;
    },
    to: (value: string) => writeProperty("--to", findSurfaceColor(value)),
    ring: findRingDeclaration,
    ...Object.fromEntries(
      filterFunctions.map((name) => [name, (value: string) => findFilterDeclaration(name, value)]),
    ),
    fill: (value: string) => writeProperty("fill", findSurfaceColor(value)),
    stroke: (value: string) => writeProperty("stroke", findSurfaceColor(value)),
    accent: (value: string) => writeProperty("accent-color", findSurfaceColor(value)),
    decoration: (value: string) => writeProperty("text-decoration-color", findColor(value)),
    "underline-offset": (value: string) => {
      const length = parseWholeNumber(value, 8);
      return writeProperty(
        "text-underline-offset",
        length === undefined ? undefined : `${length}px`,
      );
    },
    tracking: (value: string) => writeProperty("letter-spacing", findArbitraryValue(value)),
    aspect: (value: string) => writeProperty("aspect-ratio", findArbitraryValue(value)),
    flex: (value: string) => writeProperty("flex", findArbitraryValue(value)),
    "line-clamp": (value: string) => {
      const count = parseWholeNumber(value, 20);
      return count === undefined
        ? undefined
        : `overflow:hidden;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:${count}`;
    },
    columns: (value: string) => writeProperty("columns", parseWholeNumber(value, 12)),
    "row-span": (value: string) => {
      const count = parseWholeNumber(value, 12);
      return writeProperty("grid-row", count && `span ${count}/span ${count}`);
    },
    "grid-rows": (value: string) => {
      const count = parseWholeNumber(value, 12);
      return writeProperty("grid-template-rows", count && `repeat(${count},minmax(0,1fr))`);
    },
    "col-start": (value: string) => writeProperty("grid-column-start", parseWholeNumber(value, 13)),
    "col-end": (value: string) => writeProperty("grid-column-end", parseWholeNumber(value, 13)),
    border: findBorderDeclaration,
    rounded: findRoundedDeclaration,
    font: (value: string) => writeProperty("font-weight", weights.get(value)),
    leading: (value: string) =>
      writeProperty("line-height", leadings.get(value) ?? toCssLength("", value)),
    opacity: (value: string) =>
      writeProperty("opacity", toFraction(value) ?? findArbitraryValue(value)),
    z: (value: string) => writeProperty("z-index", parseWholeNumber(value, 100)),
    order: (value: string) => writeProperty("order", parseWholeNumber(value, 12)),
    "grid-cols": (value: string) => {
      const count = parseWholeNumber(value, 12);
      return writeProperty("grid-template-columns", count && `repeat(${count},minmax(0,1fr))`);
    },
    "col-span": (value: string) => {
      if (value === "full") return "grid-column:1/-1";
      const count = parseWholeNumber(value, 12);
      return writeProperty("grid-column", count && `span ${count}/span ${count}`);
    },
    duration: (value: string) => writeProperty("transition-duration", toMilliseconds(value)),
    delay: (value: string) => writeProperty("transition-delay", toMilliseconds(value)),
    scale: (value: string) => writeProperty("scale", toFraction(value)),
    rotate: (value: string) => writeProperty("rotate", toDegrees(value)),
    overflow: (value: string) =>
      writeProperty("overflow", matchWord(value, "auto hidden visible scroll clip")),
    "overflow-x": (value: string) =>
      writeProperty("overflow-x", matchWord(value, "auto hidden visible scroll")),
    "overflow-y": (value: string) =>
      writeProperty("overflow-y", matchWord(value, "auto hidden visible scroll")),
    object: (value: string) =>
      writeProperty("object-fit", matchWord(value, "contain cover fill none")),
    whitespace: (value: string) =>
      writeProperty("white-space", matchWord(value, "normal nowrap pre pre-line pre-wrap")),
    cursor: (value: string) =>
      writeProperty("cursor", matchWord(value, "pointer default help not-allowed auto zoom-in")),
    align: (value: string) =>
      writeProperty(
        "vertical-align",
        matchWord(value, "baseline top middle bottom text-top text-bottom"),
      ),
  }),
);

function writeProperty(name: string, value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : `${name}:${value}`;
}

function toFraction(value: string): number | undefined {
  const number = parseWholeNumber(value, 200);
  return number === undefined ? undefined : number / 100;
}

function toMilliseconds(value: string): string | undefined {
  const number = parseWholeNumber(value, 5000);
  return number === undefined ? undefined : `${number}ms`;
}

function toDegrees(value: string): string | undefined {
  const number = parseWholeNumber(value, 360);
  return number === undefined ? undefined : `${number}deg`;
}

function matchWord(value: string, allowed: string): string | undefined {
  return allowed.split(" ").includes(value) ? value : undefined;
}

/** Returns the declarations of a utility class, e.g. `margin-top:1rem` for `mt-4`, or undefined for other names. */
export function findDeclaration(name: string): string | undefined {
  if (displays.has(name)) return `display:${name}`;
  const fixedDeclaration = declarationsByName.get(name);
  if (fixedDeclaration !== undefined) return fixedDeclaration;
  if (name === "rounded") return findRoundedDeclaration("");
  const familyName =
    /^((?:grid-cols|grid-rows|col-span|row-span|col-start|col-end|line-clamp|underline-offset|overflow-[xy]|[a-z]+))-(.+)$/.exec(
      name,
    );
  const family = familyName?.[1] === undefined ? undefined : families.get(familyName[1]);
  const declaration = family?.(familyName?.[2] ?? "");
  return declaration ?? findLengthDeclaration(name);
}

/** Properties that take a length, keyed by the part of the class before the length. */
const lengths: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    m: ["margin"],
    mx: ["margin-inline"],
    my: ["margin-block"],
    mt: ["margin-top"],
    mr: ["margin-right"],
    mb: ["margin-bottom"],
    ml: ["margin-left"],
    ms: ["margin-inline-start"],
    me: ["margin-inline-end"],
    p: ["padding"],
    px: ["padding-inline"],
    py: ["padding-block"],
    pt: ["padding-top"],
    pr: ["padding-right"],
    pb: ["padding-bottom"],
    pl: ["padding-left"],
    ps: ["padding-inline-start"],
    pe: ["padding-inline-end"],
    gap: ["gap"],
    "gap-x": ["column-gap"],
    "gap-y": ["row-gap"],
    w: ["width"],
    h: ["height"],
    size: ["width", "height"],
    "min-w": ["min-width"],
    "max-w": ["max-width"],
    "min-h": ["min-height"],
    "max-h": ["max-height"],
    inset: ["inset"],
    "inset-x": ["inset-inline"],
    "inset-y": ["inset-block"],
    top: ["top"],
    right: ["right"],
    bottom: ["bottom"],
    left: ["left"],
    basis: ["flex-basis"],
    "scroll-mt": ["scroll-margin-top"],
    "translate-x": ["--tx"],
    "translate-y": ["--ty"],
  }),
);

/** Named widths, in rem. */
const namedWidths: ReadonlyMap<string, number> = new Map(
  Object.entries({
    xs: 20,
    sm: 24,
    md: 28,
    lg: 32,
    xl: 36,
    "2xl": 42,
    "3xl": 48,
    "4xl": 56,
    "5xl": 64,
    "6xl": 72,
    "7xl": 80,
  }),
);

const namedLengths: ReadonlyMap<string, string> = new Map(
  Object.entries({
    auto: "auto",
    full: "100%",
    px: "1px",
    none: "none",
    fit: "fit-content",
    min: "min-content",
    max: "max-content",
    prose: "65ch",
  }),
);

/** Matches lengths, numbers, functions and colors in `[...]`, but nothing that ends a rule or loads a file. */
const arbitraryForm = /^\[([\w.%#(),+*/-]{1,60})\]$/;

/** Returns the value in `[...]` if it is allowed. */
function findArbitraryValue(text: string): string | undefined {
  const value = arbitraryForm.exec(text)?.[1]?.replaceAll("_", " ");
  return value === undefined || /url|image|var|attr|env/i.test(value) ? undefined : value;
}

/** Converts a length in a class, such as `4`, `1/2`, `full`, `3xl` or `[12px]`, to a CSS value of a property. */
function toCssLength(property: string, text: string): string | undefined {
  const isWidth = property.endsWith("width");
  const width = isWidth ? namedWidths.get(text) : undefined;
  if (width !== undefined) return `${width}rem`;
  if (text === "screen") return isWidth ? "100vw" : "100vh";
  const named = namedLengths.get(text);
  if (named !== undefined) return named;
  if (/^\d{1,3}(\.\d{1,2})?$/.test(text)) return `${Number((Number(text) * 0.25).toFixed(3))}rem`;
  const [, part, whole] = /^(\d{1,2})\/(\d{1,2})$/.exec(text) ?? [];
  if (part !== undefined && Number(whole) > 0) {
    return `${Number(((Number(part) / Number(whole)) * 100).toFixed(4))}%`;
  }
  return findArbitraryValue(text);
}

/** Returns the declarations of a class such as `mt-4`, `-mx-2` or `size-3`. */
function findLengthDeclaration(name: string): string | undefined {
  const isNegative = name.startsWith("-");
  const [, prefix = "", text = ""] = /^-?([a-z]+(?:-[xywht]|-mt)?)-(.+)$/.exec(name) ?? [];
  const properties = lengths.get(prefix);
  if (properties === undefined) return undefined;
  const declarations: string[] = [];
  for (const property of properties) {
    const value = toCssLength(property, text);
    if (value === undefined) return undefined;
    declarations.push(`${property}:${isNegative ? `calc(${value} * -1)` : value}`);
  }
  if (prefix.startsWith("translate")) declarations.push("translate:var(--tx,0) var(--ty,0)");
  return declarations.join(";");
}

/** The hue and chroma (OKLCH) of the color families in utility classes. */
const colorFamilies = new Map(Object.entries(palette.families));

/** The chroma below which a family is gray. The dark steps of gray families are nearer to black. */
const grayChroma = 0.05;

/** The lightness of grays, the lightness of colors, and the share of the family's chroma, keyed by step. */
const steps = new Map(Object.entries(palette.steps));

const namedColors: ReadonlyMap<string, string> = new Map([
  ["white", "#fff"],
  ["black", "#000"],
  ["transparent", "transparent"],
  ["current", "currentcolor"],
  ["inherit", "inherit"],
  ["primary", "var(--c-accent-text)"],
  ["primary-light", "var(--c-accent-text)"],
  ["primary-dark", "var(--c-fill)"],
  ["muted-foreground", "var(--c-text-soft)"],
  ["background-light", "var(--c-background-light)"],
  ["background-dark", "var(--c-background-dark)"],
  ["codeblock", "var(--code-background,var(--c-bg-soft))"],
]);

/** The theme's own colors, as configured. */
const surfaceColors: ReadonlyMap<string, string> = new Map([
  ["primary", "var(--c-primary)"],
  ["primary-light", "var(--c-primary-light)"],
  ["primary-dark", "var(--c-fill)"],
]);

/** Returns the CSS of a color with a name such as `zinc-950/20`, `white` or `primary`, or undefined for other names. */
function findPaletteColor(text: string): string | undefined {
  const [name = "", opacity] = text.split("/", 2);
  const color = namedColors.get(name) ?? findStepColor(name);
  return color === undefined ? undefined : addOpacity(color, opacity);
}

function addOpacity(color: string, opacity: string | undefined): string | undefined {
  if (opacity === undefined) return color;
  if (!/^\d{1,3}$/.test(opacity)) return undefined;
  return `color-mix(in srgb, ${color} ${opacity}%, transparent)`;
}

function findStepColor(name: string): string | undefined {
  const [familyName = "", stepName = ""] = name.split("-");
  const family = colorFamilies.get(familyName);
  const step = steps.get(stepName);
  if (family === undefined || step === undefined) return undefined;
  const { hue, chroma } = family;
  const isGray = chroma < grayChroma;
  const amount = Number((isGray ? chroma : chroma * step.share).toFixed(3));
  return `oklch(${isGray ? step.gray : step.color} ${amount} ${hue})`;
}
