/** Max characters of a request's value as pretty JSON: it is shown once in each language. */
const maxLength = 6_000;

/** How much of lists and strings stays, step by step, until the value is short enough. */
const steps: readonly Thinning[] = [
  { items: 3, characters: 400, depth: 12 },
  { items: 1, characters: 120, depth: 8 },
  { items: 1, characters: 40, depth: 4 },
];

interface Thinning {
  readonly items: number;
  readonly characters: number;
  readonly depth: number;
}

/** The value, or as much of it as fits; the same for the same value. */
export function fitJson(value: unknown, maxCharacters = maxLength): unknown {
  if (value === undefined || isShort(value, maxCharacters)) return value;
  for (const step of steps) {
    const thinned = thin(value, step, step.depth);
    if (isShort(thinned, maxCharacters)) return thinned;
  }
  return Array.isArray(value) ? [] : {};
}

function isShort(value: unknown, maxCharacters: number): boolean {
  return (JSON.stringify(value, null, 2) ?? "").length <= maxCharacters;
}

function thin(value: unknown, step: Thinning, depth: number): unknown {
  if (typeof value === "string" && value.length > step.characters) {
    return `${value.slice(0, step.characters).toWellFormed()}…`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return depth === 0 ? [] : value.slice(0, step.items).map((item) => thin(item, step, depth - 1));
  }
  if (depth === 0) return {};
  const entries = Object.entries(value).map(([key, item]) => [key, thin(item, step, depth - 1)]);
  return Object.fromEntries(entries) as unknown;
}
