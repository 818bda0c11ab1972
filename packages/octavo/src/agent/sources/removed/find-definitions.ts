interface Definition {
  readonly kind: ProductNameKind;
  /** The name in the form that `getNameKey` returns. */
  readonly name: string;
  /** The line number, counted from 1. */
  readonly line: number;
  /** The part of that line that contains the name. */
  readonly words: string;
}

/** The kinds of names of a product that pages mention in code. */
export const productNameKinds = ["flag", "setting", "endpoint", "export"] as const;
type ProductNameKind = (typeof productNameKinds)[number];

export interface ProductName {
  readonly kind: ProductNameKind;
  /** For example `--max-depth`, `ENGINE_TOKEN`, `/v1/lamps/{id}` or `createLamp`. */
  readonly name: string;
}

/** Names in code, including hyphenated ones. Digits may follow, as in `v2`. */
export const wordPattern = /[A-Za-z_$][\w$]*(?:-[A-Za-z\d_][\w$]*)*/g;

/** Prefixes that programs add to the name of an option. */
const switches = /^(?:no|enable|disable|with|without)-(?=.)/;

/** Returns a key that is the same for a queried name and its definition. */
export function getNameKey(kind: ProductNameKind, name: string): string {
  if (kind === "endpoint") return normalizeRoute(name);
  return kind === "flag" ? name.replace(/^-+/, "") : name;
}

/** A call that defines an option in the libraries of several languages. The strings after it are the option's names. */
const optionCall =
  /(?:\b(?:flags?|pflag|fs|Flags\(\)|PersistentFlags\(\))\.(?:String|Bool|U?[iI]nt\d*|Duration|Float\d*|Count)\w*|(?:^|[^\w])(?:add_?|required_?)?(?:option|flag|argument|switch)|\bArg::(?:new|with_name))\s*\(/i;
const comparedFlag = /(?:\bcase|===?)\s*["'](--[a-z][\w-]*)["']/g;
const literal = /(["'`])((?:(?!\1)[^\\\n]){1,200})\1/g;
const flagInText = /(?<![\w-])--([a-z][\w-]*)/gi;
const environmentName = /(?<![\w$])[A-Z][A-Z\d]*(?:_[A-Z\d]+)+(?![\w$])/g;
const routeCall =
  /\b(?:get|post|put|patch|delete|head|options|all|any|route|use|handle|handlefunc|path|re_path|api_route|websocket|map(?:get|post|put|patch|delete)|url|endpoint)\s*[(:=]\s*["'`](?:[A-Z]{3,7} )?(\/[^"'`\s]{1,200})["'`]/gi;
const describedRoute = /^\s*["']?(\/[^"'\s:]{1,200})["']?:\s*(?:\{\s*)?$/;
const exportedNames: readonly RegExp[] = [
  /^\s*export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|var|class|interface|type|enum)\s+([\w$]+)/,
  /^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*)/,
  /^(?:func|type|var|const)\s+([A-Z]\w*)/,
  /^\s*pub\s+(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|type|const|static)\s+(\w+)/,
];

/** Yields the names that a code file offers to its users, as far as single lines reveal them. Takes linear time. */
export function* findDefinitions(text: string): Generator<Definition> {
  const lines = text.split("\n").map((line) => line.slice(0, 2_000));
  for (const [index, line] of lines.entries()) {
    const place = { line: index + 1 };
    for (const found of definitionsIn(line, lines[index - 1] ?? "")) yield { ...place, ...found };
  }
}

type Found = Omit<Definition, "line">;

function* definitionsIn(line: string, before: string): Generator<Found> {
  yield* optionsIn(line, before);
  for (const [words] of line.matchAll(environmentName)) {
    yield { kind: "setting", name: words, words };
  }
  const route = describedRoute.exec(line)?.[1];
  const routes = [...line.matchAll(routeCall)].map(([, path = ""]) => path);
  for (const words of route === undefined ? routes : [...routes, route]) {
    yield { kind: "endpoint", name: normalizeRoute(words), words };
  }
  for (const pattern of exportedNames) {
    const words = pattern.exec(line)?.[1];
    if (words !== undefined) yield { kind: "export", name: words, words };
  }
}

function* optionsIn(line: string, before: string): Generator<Found> {
  for (const [, words = ""] of line.matchAll(comparedFlag)) {
    yield { kind: "flag", name: words.replace(/^--/, ""), words };
  }
  const call = optionCall.exec(line);
  const isOpen = optionCall.test(before) && before.trimEnd().endsWith("(");
  if (call === null && !isOpen) return;
  const texts = [...line.slice(call === null ? 0 : call.index + call[0].length).matchAll(literal)];
  for (const [position, [, , text = ""]] of texts.entries()) {
    for (const [words, name = ""] of text.matchAll(flagInText)) yield { kind: "flag", name, words };
    // In `flag("depth", 5)`, which has no hyphens, only the first string is the name.
    if (position === 0 && /^[a-z][a-z\d]*(?:[-_][a-z\d]+)*$/i.test(text)) {
      yield { kind: "flag", name: text, words: text };
    }
  }
}

/**
 * Returns a key that all spellings of a name share: `--max-depth`, `maxDepth`, `MAX_DEPTH` and `max_depth` give
 * `max-depth`.
 */
export function normalizeName(word: string): string {
  return word
    .replaceAll(/([a-z\d])([A-Z])|([A-Z]+)(?=[A-Z][a-z])/g, "$1$3-$2")
    .replaceAll(/[^A-Za-z\d]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .toLowerCase();
}

/**
 * Returns lists of keys. A source that has the name contains at least one key from each list, however it builds the
 * name. For example, a setting may be a field with a prefix, and an endpoint may be mounted from parts. Empty if it
 * cannot be determined whether the source has the name.
 */
export function listRequiredKeys({ kind, name }: ProductName): readonly (readonly string[])[] {
  if (kind === "endpoint") return staticSegments(name).map((segment) => [normalizeName(segment)]);
  const key = normalizeName(name);
  if (key === "") return [];
  if (kind === "flag") return [[key, key.replace(switches, "")]];
  if (kind === "export") return [[key]];
  const parts = key.split("-");
  return [parts.map((_, index) => parts.slice(index).join("-"))];
}

/**
 * Returns the static segments of a path. Versions are omitted, because they are often added where the path is mounted.
 */
function staticSegments(path: string): string[] {
  const segments = path.split("/").filter((segment) => /^[A-Za-z][\w-]*$/.test(segment));
  return segments.filter((segment) => !/^(?:api|v\d+)$/i.test(segment));
}

/**
 * Normalizes the parameter syntax of all frameworks: `/lamps/:id`, `/lamps/<int:id>` and `/lamps/{id}` give
 * `/lamps/{}`.
 */
function normalizeRoute(path: string): string {
  const segments = path.replace(/[?#].*$/s, "").split("/");
  const plain = segments.map((segment) => (/^[:{<$[*]/.test(segment) ? "{}" : segment));
  return plain.join("/").replace(/(?<=.)\/$/, "");
}
