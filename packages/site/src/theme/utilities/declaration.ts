import { arbitraryValue, length, lengthDeclaration } from "./length.ts";
import { paletteColor } from "./palette.ts";

/** Declarations of the classes without a value. */
const fixed: ReadonlyMap<string, string> = new Map(
  Object.entries({
    hidden: "display:none",
    invisible: "visibility:hidden",
    visible: "visibility:visible",
    static: "position:static",
    relative: "position:relative",
    absolute: "position:absolute",
    fixed: "position:fixed",
    sticky: "position:sticky",
    isolate: "isolation:isolate",
    "flex-row": "flex-direction:row",
    "flex-col": "flex-direction:column",
    "flex-row-reverse": "flex-direction:row-reverse",
    "flex-col-reverse": "flex-direction:column-reverse",
    "flex-wrap": "flex-wrap:wrap",
    "flex-nowrap": "flex-wrap:nowrap",
    "flex-1": "flex:1 1 0%",
    "flex-auto": "flex:1 1 auto",
    "flex-none": "flex:none",
    grow: "flex-grow:1",
    "flex-grow": "flex-grow:1",
    "grow-0": "flex-grow:0",
    shrink: "flex-shrink:1",
    "shrink-0": "flex-shrink:0",
    "flex-shrink-0": "flex-shrink:0",
    "items-start": "align-items:flex-start",
    "items-center": "align-items:center",
    "items-end": "align-items:flex-end",
    "items-baseline": "align-items:baseline",
    "items-stretch": "align-items:stretch",
    "self-start": "align-self:flex-start",
    "self-center": "align-self:center",
    "self-end": "align-self:flex-end",
    "self-stretch": "align-self:stretch",
    "justify-start": "justify-content:flex-start",
    "justify-center": "justify-content:center",
    "justify-end": "justify-content:flex-end",
    "justify-between": "justify-content:space-between",
    "justify-around": "justify-content:space-around",
    "justify-evenly": "justify-content:space-evenly",
    "justify-items-center": "justify-items:center",
    "place-items-center": "place-items:center",
    "place-content-center": "place-content:center",
    "text-left": "text-align:left",
    "text-center": "text-align:center",
    "text-right": "text-align:right",
    "text-start": "text-align:start",
    "text-end": "text-align:end",
    italic: "font-style:italic",
    "not-italic": "font-style:normal",
    underline: "text-decoration-line:underline",
    "line-through": "text-decoration-line:line-through",
    "no-underline": "text-decoration-line:none",
    uppercase: "text-transform:uppercase",
    lowercase: "text-transform:lowercase",
    capitalize: "text-transform:capitalize",
    "normal-case": "text-transform:none",
    truncate: "overflow:hidden;text-overflow:ellipsis;white-space:nowrap",
    "break-words": "overflow-wrap:break-word",
    "break-all": "word-break:break-all",
    "font-mono": "font-family:var(--font-mono)",
    "font-sans": "font-family:var(--font-body)",
    "list-none": "list-style-type:none",
    "list-disc": "list-style-type:disc",
    "list-decimal": "list-style-type:decimal",
    "aspect-video": "aspect-ratio:16/9",
    "aspect-square": "aspect-ratio:1/1",
    "aspect-auto": "aspect-ratio:auto",
    "pointer-events-none": "pointer-events:none",
    "pointer-events-auto": "pointer-events:auto",
    "select-none": "user-select:none",
    "appearance-none": "appearance:none",
    "bg-cover": "background-size:cover",
    "bg-contain": "background-size:contain",
    "bg-center": "background-position:center",
    "bg-no-repeat": "background-repeat:no-repeat",
    border: "border:1px solid var(--c-border)",
    "border-solid": "border-style:solid",
    "border-dashed": "border-style:dashed",
    "border-dotted": "border-style:dotted",
    "border-none": "border-style:none",
    "mx-auto": "margin-inline:auto",
    "sr-only":
      "position:absolute;width:1px;height:1px;padding:0;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap;border:0",
    shadow: "box-shadow:0 1px 3px rgb(0 0 0/.1)",
    "shadow-sm": "box-shadow:0 1px 2px rgb(0 0 0/.06)",
    "shadow-md": "box-shadow:0 4px 8px -2px rgb(0 0 0/.12)",
    "shadow-lg": "box-shadow:0 10px 18px -4px rgb(0 0 0/.14)",
    "shadow-xl": "box-shadow:0 20px 28px -6px rgb(0 0 0/.16)",
    "shadow-none": "box-shadow:none",
    transition: "transition:all .15s",
    "transition-all": "transition:all .15s",
    "transition-colors": "transition:color .15s,background-color .15s,border-color .15s",
    "transition-opacity": "transition:opacity .15s",
    "transition-transform": "transition:transform .15s,scale .15s,rotate .15s,translate .15s",
    "transition-shadow": "transition:box-shadow .15s",
    "tracking-tight": "letter-spacing:-.025em",
    "tracking-tighter": "letter-spacing:-.05em",
    "tracking-normal": "letter-spacing:0",
    "tracking-wide": "letter-spacing:.025em",
    "tracking-wider": "letter-spacing:.05em",
    "tracking-widest": "letter-spacing:.1em",
  }),
);

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

/** Without `table`, which is the class of the boxes in which wide tables scroll. */
const displays = new Set(
  "block inline-block inline flex inline-flex grid inline-grid contents flow-root".split(" "),
);

function textDeclaration(value: string): string | undefined {
  const [size, leading] = textSizes.get(value) ?? [];
  if (size !== undefined) return `font-size:${size}rem;line-height:${leading}`;
  const color = paletteColor(value);
  if (color !== undefined) return `color:${color}`;
  const own = arbitraryValue(value);
  if (own === undefined) return undefined;
  return own.startsWith("#") ? `color:${own}` : `font-size:${own}`;
}

function colorOf(value: string): string | undefined {
  return paletteColor(value) ?? arbitraryValue(value);
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
  const color = colorOf(value);
  return color === undefined ? undefined : `border-color:${color}`;
}

function roundedDeclaration(value: string): string | undefined {
  const radius = radii.get(value) ?? arbitraryValue(value);
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
    bg: (value: string) => property("background-color", colorOf(value)),
    fill: (value: string) => property("fill", colorOf(value)),
    stroke: (value: string) => property("stroke", colorOf(value)),
    border: borderDeclaration,
    rounded: roundedDeclaration,
    font: (value: string) => property("font-weight", weights.get(value)),
    leading: (value: string) => property("line-height", leadings.get(value) ?? length("", value)),
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

/** The declarations of a utility class, e.g. `margin-top:1rem` for `mt-4`; undefined for other names. */
export function declarationOf(name: string): string | undefined {
  if (displays.has(name)) return `display:${name}`;
  const known = fixed.get(name);
  if (known !== undefined) return known;
  if (name === "rounded") return roundedDeclaration("");
  const familyName = /^((?:grid-cols|col-span|overflow-[xy]|[a-z]+))-(.+)$/.exec(name);
  const family = familyName?.[1] === undefined ? undefined : families.get(familyName[1]);
  const declaration = family?.(familyName?.[2] ?? "");
  return declaration ?? lengthDeclaration(name);
}
