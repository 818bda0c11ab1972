import type { ProblemLog, ProblemLocation } from "../core/index.ts";
import type { ContextualMenu, Frontmatter } from "../site/index.ts";
import { LineIndex, parseLenientYaml, parseYaml, readYamlFields } from "../text/index.ts";
import { sectionSchemas } from "./config-sections.ts";

// All lines are read with js-yaml, because reading the common `key: text` lines without it is hardly faster: 46 instead
// of 47 ms for 1,848 real blocks.

/** Real frontmatter has three levels. Aliases are rejected because a few lines of them can expand to gigabytes. */
const yamlOptions = { maxDepth: 20, maxAliases: 0 };

const pageModes = ["wide", "custom", "frame", "center", "assistant"] as const;
const textKeys = [
  "title",
  "description",
  "sidebarTitle",
  "icon",
  "iconType",
  "tag",
  "url",
  "openapi",
  "openapi-schema",
  "asyncapi",
  "api",
  "canonical",
] as const;
const flagKeys = ["hidden", "noindex", "searchable", "deprecated", "rss"] as const;
const otherKeys = ["mode", "keywords", "boost", "contextual"] as const;
const knownKeys: ReadonlySet<string> = new Set([...textKeys, ...flagKeys, ...otherKeys]);

interface FrontmatterSource {
  readonly file: string;
  /** The 1-based line on which the YAML begins in the file. */
  readonly firstLine: number;
  readonly problems: ProblemLog;
}

/**
 * Reads and validates the frontmatter of a page. Reports a warning for YAML that can be read after a repair. Reports an
 * error for other invalid YAML, which is treated as empty. Reports a warning for a value of the wrong type, which is
 * ignored.
 */
export function readFrontmatter(yaml: string, source: FrontmatterSource): Frontmatter {
  const { text, values } = readYaml(yaml, source);
  return values.size === 0 ? { extra: {} } : new FrontmatterReader(text, values, source).read();
}

interface ReadYaml {
  /** The text that was read, after repairs. */
  readonly text: string;
  readonly values: ReadonlyMap<string, unknown>;
}

function readYaml(yaml: string, source: FrontmatterSource): ReadYaml {
  if (yaml.split("\n").every(isBlankOrComment)) return { text: yaml, values: new Map() };
  const { problems, file, firstLine } = source;
  const parsed = parseLenientYaml(yaml, yamlOptions);
  if ("value" in parsed && isRecord(parsed.value)) {
    for (const { position, reason, reading } of parsed.repairs) {
      const message = `The frontmatter is not valid YAML here (${reason}); it is read ${reading}. Correct it, because other programs may not be able to read it.`;
      const { line, column } = position;
      problems.warn("frontmatter_repaired", message, { file, line: firstLine + line - 1, column });
    }
    return { text: parsed.text, values: new Map(Object.entries(parsed.value)) };
  }
  const { line, column } = ("position" in parsed && parsed.position) || { line: 1, column: 1 };
  const message =
    "reason" in parsed
      ? `The frontmatter is not valid YAML and is ignored: ${parsed.reason}.`
      : 'The frontmatter is ignored: expected "key: value" lines.';
  problems.fail("frontmatter_invalid", message, { file, line: firstLine + line - 1, column });
  return { text: yaml, values: new Map() };
}

/** Reports whether a line is blank or a comment. If a text has only such lines, js-yaml throws. */
function isBlankOrComment(line: string): boolean {
  const text = line.trimStart();
  return text === "" || text.startsWith("#");
}

class FrontmatterReader {
  readonly #yaml: string;
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #source: FrontmatterSource;

  constructor(yaml: string, values: ReadonlyMap<string, unknown>, source: FrontmatterSource) {
    this.#yaml = yaml;
    this.#values = values;
    this.#source = source;
  }

  read(): Frontmatter {
    const fields: Record<string, unknown> = {};
    const put = (key: string, value: unknown) => {
      if (value !== undefined) fields[key] = value;
    };
    for (const key of textKeys) put(key, this.#readText(key));
    for (const key of flagKeys) put(key, this.#readFlag(key));
    put("mode", this.#readMode());
    put("keywords", this.#readKeywords());
    put("boost", this.#readBoost());
    put("contextual", this.#readContextual());
    this.#warnOfRestrictedAccess();
    return { ...fields, extra: this.#collectExtra() };
  }

  /** Reads text. The spelling of a number or boolean is preserved: `title: 1.10` does not become "1.1". */
  #readText(key: string): string | undefined {
    const value = this.#values.get(key);
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value.trim();
    if (typeof value === "object") return this.#refuse(key, "text");
    const parsedTexts = parseYaml(this.#yaml, { ...yamlOptions, reading: "asTexts" });
    const text =
      "value" in parsedTexts && isRecord(parsedTexts.value) ? parsedTexts.value[key] : undefined;
    return typeof text === "string" ? text : undefined;
  }

  #readFlag(key: string): boolean | undefined {
    const value = this.#values.get(key);
    if (value === undefined || value === null || typeof value === "boolean") {
      return value ?? undefined;
    }
    // `hidden: "true"` hides the page, so that a page is not published by mistake because its author used quotation
    // marks.
    if (value === "true" || value === "false") return value === "true";
    return this.#refuse(key, "true or false");
  }

  #readMode(): Frontmatter["mode"] {
    const value = this.#values.get("mode");
    if (value === undefined || value === null || value === "default") return undefined;
    const mode = pageModes.find((known) => known === value);
    return mode ?? this.#refuse("mode", `one of ${pageModes.join(", ")}`);
  }

  #readKeywords(): readonly string[] | undefined {
    const value = this.#values.get("keywords");
    if (value === undefined || value === null) return undefined;
    const list = typeof value === "string" ? value.split(",") : value;
    const isList = Array.isArray(list) && list.every((word) => typeof word !== "object");
    if (!isList) return this.#refuse("keywords", "a list of strings");
    return list.map((word) => String(word).trim()).filter((word) => word !== "");
  }

  #readBoost(): number | undefined {
    const value = this.#values.get("boost");
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number" && value >= 0 && Number.isFinite(value)) return value;
    return this.#refuse("boost", "a non-negative number");
  }

  #readContextual(): ContextualMenu | undefined {
    const value = this.#values.get("contextual");
    if (value === undefined || value === null) return undefined;
    const result = sectionSchemas.contextual.safeParse(value);
    return result.success ? result.data : this.#refuse("contextual", "a menu as in docs.json");
  }

  /** Warns authors that a bundle cannot restrict access, because only a service with sign-in can do so. */
  #warnOfRestrictedAccess(): void {
    const groups = this.#values.get("groups");
    const key = Array.isArray(groups) && groups.length > 0 ? "groups" : "public";
    if (key === "public" && this.#values.get("public") !== false) return;
    const message = `"${key}" has no effect: anyone who has the bundle can read this page.`;
    this.#source.problems.warn("access_not_restricted", message, this.#locateKey(key));
  }

  #collectExtra(): Record<string, unknown> {
    const extra: Record<string, unknown> = {};
    for (const [key, value] of this.#values) {
      if (knownKeys.has(key) || key === "__proto__") continue;
      extra[key] = value;
      this.#warnOfMisspelledKey(key);
    }
    return extra;
  }

  /** Reports a key that is probably misspelled. Other unknown keys may be for other programs. */
  #warnOfMisspelledKey(key: string): void {
    const suggestion = suggestKey(key, knownKeys);
    if (suggestion === undefined || this.#values.has(suggestion)) return;
    const message = `"${key}" in the frontmatter has no effect. Did you mean "${suggestion}"?`;
    this.#source.problems.warn("frontmatter_key_unknown", message, this.#locateKey(key));
  }

  #refuse(key: string, expected: string): undefined {
    const message = `"${key}" in the frontmatter must be ${expected}; it is ignored.`;
    this.#source.problems.warn("frontmatter_value_invalid", message, this.#locateKey(key));
  }

  #locateKey(key: string): ProblemLocation {
    const { file, firstLine } = this.#source;
    const field = readYamlFields(this.#yaml).find((field) => field.key === key);
    const { line } = new LineIndex(this.#yaml).positionAt(field?.start ?? 0);
    return { file, line: firstLine + line - 1, column: 1 };
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The minimum length of a key that is suggested. Shorter keys differ in one letter from words that authors use
 * intentionally: `tag` and `tags`.
 */
const minKeyLength = 5;

/** Returns the key in `known` that differs from `written` by one wrong, missing, added or swapped letter. */
function suggestKey(written: string, known: Iterable<string>): string | undefined {
  for (const key of known) {
    if (key.length >= minKeyLength && isOneTypo(written, key)) return key;
  }
  return undefined;
}

function isOneTypo(written: string, key: string): boolean {
  let mismatchIndex = 0;
  while (mismatchIndex < key.length && written[mismatchIndex] === key[mismatchIndex])
    mismatchIndex += 1;
  if (written.length < key.length)
    return written.slice(mismatchIndex) === key.slice(mismatchIndex + 1);
  // A plural is a separate word, not a misspelling.
  if (written.length > key.length) {
    return written !== `${key}s` && written.slice(mismatchIndex + 1) === key.slice(mismatchIndex);
  }
  const isSwapped =
    written[mismatchIndex] === key[mismatchIndex + 1] &&
    written[mismatchIndex + 1] === key[mismatchIndex];
  const next = mismatchIndex + (isSwapped ? 2 : 1);
  return mismatchIndex < key.length && written.slice(next) === key.slice(next);
}
