/** Properties that take a length, by the part of the class before the length. */
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

/** Matches lengths, numbers, functions of them and colors in `[...]`; nothing that ends a rule or loads a file. */
const arbitrary = /^\[([\w.%#(),+*/-]{1,60})\]$/;

/** Returns the value in `[...]`, if it is allowed. */
export function findArbitraryValue(text: string): string | undefined {
  const value = arbitrary.exec(text)?.[1]?.replaceAll("_", " ");
  return value === undefined || /url|image|var|attr|env/i.test(value) ? undefined : value;
}

/** Converts a length in a class to CSS, for a property: `4`, `1/2`, `full`, `3xl`, `[12px]`. */
export function toCssLength(property: string, text: string): string | undefined {
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
export function findLengthDeclaration(name: string): string | undefined {
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
