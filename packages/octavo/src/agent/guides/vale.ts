import { posix } from "node:path";
import type { RepositoryReader } from "./repository-reader.ts";

export const valeFiles = [".vale.ini", "_vale.ini"];
const maxVocabularies = 5;
const maxTerms = 150;

/**
 * Summarizes the terminology rules of a configuration for the linter Vale: its styles, and the terms that its
 * vocabularies accept and reject. Undefined if there are no rules.
 */
export async function readVale(
  reader: RepositoryReader,
  path: string,
): Promise<string | undefined> {
  const text = await reader.read(path);
  if (text === undefined) return undefined;
  const styles = readValues(text, "BasedOnStyles");
  const folder = posix.join(posix.dirname(path), readValues(text, "StylesPath")[0] ?? "styles");
  const [accepted, rejected]: [string[], string[]] = [[], []];
  for (const name of readValues(text, "Vocab").slice(0, maxVocabularies)) {
    accepted.push(...(await readTerms(reader, { folder, name, list: "accept" })));
    rejected.push(...(await readTerms(reader, { folder, name, list: "reject" })));
  }
  const lines = [
    ...formatTerms("Styles that the linter Vale checks", styles),
    ...formatTerms("Spell these as they are here", accepted),
    ...formatTerms("Avoid", rejected),
  ];
  return lines.length === 0 ? undefined : lines.join("\n");
}

function formatTerms(label: string, items: readonly string[]): string[] {
  const names = [...new Set(items)];
  if (names.length === 0) return [];
  const rest = names.length > maxTerms ? `, and ${names.length - maxTerms} more` : "";
  return [`${label}: ${names.slice(0, maxTerms).join(", ")}${rest}.`];
}

/** The values of every line `key = a, b`. */
function readValues(text: string, key: string): string[] {
  const lines = text.matchAll(new RegExp(`^[ \\t]*${key}[ \\t]*=(.*)$`, "gm"));
  const values = [...lines].flatMap(([, list = ""]) => list.split(","));
  return values
    .map((value) => value.trim().replaceAll(/^"|"$/g, ""))
    .filter((value) => value !== "");
}

interface TermList {
  /** `StylesPath`, from the repository's root. */
  readonly folder: string;
  /** The vocabulary's name. */
  readonly name: string;
  readonly list: "accept" | "reject";
}

/** Reads one term per line; a pattern is converted to its plain form. */
async function readTerms(
  reader: RepositoryReader,
  { folder, name, list }: TermList,
): Promise<string[]> {
  for (const place of ["config/vocabularies", "Vocab"]) {
    const text = await reader.read(posix.join(folder, place, name, `${list}.txt`));
    if (text === undefined) continue;
    const lines = text.split("\n").map((line) => line.replace(/^\(\?i\)/, "").trim());
    return lines.filter((line) => line !== "" && !line.startsWith("#"));
  }
  return [];
}
