/** What pages name of a product in code. */
export const nameKinds = ["flag", "setting", "endpoint", "export"] as const;
export type NameKind = (typeof nameKinds)[number];

export interface ProductName {
  readonly kind: NameKind;
  /** `--max-depth`, `ENGINE_TOKEN`, `/v1/lamps/{id}`, `createLamp`. */
  readonly name: string;
}

/** Names in code, also with hyphens. Digits may follow, as in `v2`. */
export const wordPattern = /[A-Za-z_$][\w$]*(?:-[A-Za-z\d_][\w$]*)*/g;

/**
 * What all spellings of a name have in common: `--max-depth`, `maxDepth`, `MAX_DEPTH` and `max_depth` are `max-depth`.
 */
export function keyOf(word: string): string {
  return word
    .replaceAll(/([a-z\d])([A-Z])|([A-Z]+)(?=[A-Z][a-z])/g, "$1$3-$2")
    .replaceAll(/[^A-Za-z\d]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .toLowerCase();
}

/** Words that programs put before the name of an option. */
const switches = /^(?:no|enable|disable|with|without)-(?=.)/;

/**
 * Keys of which a source that has the name has one at least in each list, however it builds the name: a setting may be
 * any field with a prefix, an endpoint be mounted from parts. Empty for a name that cannot be judged.
 */
export function requiredKeys({ kind, name }: ProductName): readonly (readonly string[])[] {
  if (kind === "endpoint") return staticSegments(name).map((segment) => [keyOf(segment)]);
  const key = keyOf(name);
  if (key === "") return [];
  if (kind === "flag") return [[key, key.replace(switches, "")]];
  if (kind === "export") return [[key]];
  const parts = key.split("-");
  return [parts.map((_, index) => parts.slice(index).join("-"))];
}

/** Of a path, what stands in it as it is. Versions are not: they are often added by what mounts it. */
function staticSegments(path: string): string[] {
  const segments = path.split("/").filter((segment) => /^[A-Za-z][\w-]*$/.test(segment));
  return segments.filter((segment) => !/^(?:api|v\d+)$/i.test(segment));
}

/** A path as all frameworks write it: `/lamps/:id`, `/lamps/<int:id>` and `/lamps/{id}` are `/lamps/{}`. */
export function routeOf(path: string): string {
  const segments = path.replace(/[?#].*$/s, "").split("/");
  const plain = segments.map((segment) => (/^[:{<$[*]/.test(segment) ? "{}" : segment));
  return plain.join("/").replace(/(?<=.)\/$/, "");
}
