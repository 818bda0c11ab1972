import { bundledLanguages } from "shiki/langs";

/** A grammar by its name; the map gives every name that the library itself answers to. */
export type Grammar = keyof typeof bundledLanguages;

/** Names that real sites write and the library does not know. */
const aliases: Readonly<Record<string, Grammar>> = {
  curl: "bash",
  env: "dotenv",
  golang: "go",
  htm: "html",
  jinja2: "jinja",
  mysql: "sql",
  node: "javascript",
  nodejs: "javascript",
  postgres: "sql",
  postgresql: "sql",
  psql: "sql",
  pycon: "python",
  py3: "python",
  python3: "python",
  svg: "xml",
  tsql: "sql",
};

/** Diagrams are drawn, not coloured; colouring their source would load a grammar for nothing. */
const plain = new Set(["mermaid"]);

/**
 * The grammar for the language an author wrote on a fence, in any case. Undefined for plain text and for
 * names nobody knows (`output`, `redis`), which are shown as plain text.
 */
export function findGrammar(language: string): Grammar | undefined {
  const name = language.toLowerCase();
  if (plain.has(name)) return undefined;
  if (Object.hasOwn(aliases, name)) return aliases[name];
  return Object.hasOwn(bundledLanguages, name) ? (name as Grammar) : undefined;
}
