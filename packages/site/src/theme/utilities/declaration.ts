import fixedDeclarations from "./fixed-declarations.json" with { type: "json" };
import { findArbitraryValue, toCssLength, findLengthDeclaration } from "./length.ts";
import { findPaletteColor } from "./palette.ts";

/** Declarations of the classes without a value. */
const fixed: ReadonlyMap<string, string> = new Map(Object.entries(fixedDeclarations));

/** Font size in rem and line height. */
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

/** Display values; without `table`, which is the class of the boxes in which wide tables scroll. */
const displays = new Set(
  "block inline-block inline flex inline-flex grid inline-grid contents flow-root".split(" "),
);

function textDeclaration(value: string): string | undefined {
  const [size, leading] = textSizes.get(value) ?? [];
  if (size !== undefined) return `font-size:${size}rem;line-height:${leading}`;
  const color = findPaletteColor(value);
  if (color !== undefined) return `color:${color}`;
  const own = findArbitraryValue(value);
  if (own === undefined) return undefined;
  return own.startsWith("#") ? `color:${own}` : `font-size:${own}`;
}

function findColor(value: string): string | undefined {
  return findPaletteColor(value) ?? findArbitraryValue(value);
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

function borderDeclaration(value: string): string | undefined {
  const [, side, width] = /^(?:([trblxy])(?:-(\d))?|(\d))$/.exec(value) ?? [];
  if (side !== undefined) return `border-${sides.get(side)}:${width ?? 1}px solid var(--c-border)`;
  if (/^\d$/.test(value)) return `border-width:${value}px;border-style:solid`;
  const color = findColor(value);
  return color === undefined ? undefined : `border-color:${color}`;
}

function roundedDeclaration(value: string): string | undefined {
  const radius = radii.get(value) ?? findArbitraryValue(value);
  return radius === undefined ? undefined : `border-radius:${radius}`;
}

function whole(value: string, max: number): number | undefined {
  const number = /^\d{1,4}$/.test(value) ? Number(value) : undefined;
  return number === undefined || number > max ? undefined : number;
}

/** Functions from the value in `<name>-<value>` to its declaration, by name. */
const families: ReadonlyMap<string, (value: string) => string | undefined> = new Map(
  Object.entries({
    text: textDeclaration,
    bg: (value: string) => property("background-color", findColor(value)),
    fill: (value: string) => property("fill", findColor(value)),
    stroke: (value: string) => property("stroke", findColor(value)),
    border: borderDeclaration,
    rounded: roundedDeclaration,
    font: (value: string) => property("font-weight", weights.get(value)),
    leading: (value: string) =>
      property("line-height", leadings.get(value) ?? toCssLength("", value)),
    opacity: (value: string) => property("opacity", percent(value)),
    z: (value: string) => property("z-index", whole(value, 100)),
    order: (value: string) => property("order", whole(value, 12)),
    "grid-cols": (value: string) => {
      const count = whole(value, 12);
      return property("grid-template-columns", count && `repeat(${count},minmax(0,1fr))`);
    },
    "col-span": (value: string) => {
      if (value === "full") return "grid-column:1/-1";
      const count = whole(value, 12);
      return property("grid-column", count && `span ${count}/span ${count}`);
    },
    duration: (value: string) => property("transition-duration", milliseconds(value)),
    delay: (value: string) => property("transition-delay", milliseconds(value)),
    scale: (value: string) => property("scale", percent(value)),
    rotate: (value: string) => property("rotate", degrees(value)),
    overflow: (value: string) =>
      property("overflow", word(value, "auto hidden visible scroll clip")),
    "overflow-x": (value: string) =>
      property("overflow-x", word(value, "auto hidden visible scroll")),
    "overflow-y": (value: string) =>
      property("overflow-y", word(value, "auto hidden visible scroll")),
    object: (value: string) => property("object-fit", word(value, "contain cover fill none")),
    whitespace: (value: string) =>
      property("white-space", word(value, "normal nowrap pre pre-line pre-wrap")),
    cursor: (value: string) =>
      property("cursor", word(value, "pointer default help not-allowed auto zoom-in")),
    align: (value: string) =>
      property("vertical-align", word(value, "baseline top middle bottom text-top text-bottom")),
  }),
);

function property(name: string, value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : `${name}:${value}`;
}

function percent(value: string): number | undefined {
  const number = whole(value, 200);
  return number === undefined ? undefined : number / 100;
}

function milliseconds(value: string): string | undefined {
  const number = whole(value, 5000);
  return number === undefined ? undefined : `${number}ms`;
}

function degrees(value: string): string | undefined {
  const number = whole(value, 360);
  return number === undefined ? undefined : `${number}deg`;
}

function word(value: string, allowed: string): string | undefined {
  return allowed.split(" ").includes(value) ? value : undefined;
}

/** Returns the declarations of a utility class, e.g. `margin-top:1rem` for `mt-4`; undefined for other names. */
export function findDeclaration(name: string): string | undefined {
  if (displays.has(name)) return `display:${name}`;
  const known = fixed.get(name);
  if (known !== undefined) return known;
  if (name === "rounded") return roundedDeclaration("");
  const familyName = /^((?:grid-cols|col-span|overflow-[xy]|[a-z]+))-(.+)$/.exec(name);
  const family = familyName?.[1] === undefined ? undefined : families.get(familyName[1]);
  const declaration = family?.(familyName?.[2] ?? "");
  return declaration ?? findLengthDeclaration(name);
}
