import { bundledLanguages } from "shiki/langs";

/** The name of a grammar, which is any name that the library itself knows. */
export type Grammar = keyof typeof bundledLanguages;

/** Names that real sites use but the library does not know. */
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

/** Reports whether a language describes diagrams. Diagrams are drawn, so their source does not need a grammar. */
export function isDiagramLanguage(language: string): boolean {
  return language.toLowerCase() === "mermaid";
}

/**
 * Finds the grammar for the language of a fence, ignoring case. Returns undefined for plain text and for unknown names
 * (`output`, `redis`), which are shown as plain text.
 */
export function findGrammar(language: string): Grammar | undefined {
  const name = language.toLowerCase();
  if (isDiagramLanguage(name)) return undefined;
  if (Object.hasOwn(aliases, name)) return aliases[name];
  return Object.hasOwn(bundledLanguages, name) ? (name as Grammar) : undefined;
}

/**
 * Embedded languages that the library does not load together with the outer language. They are needed for frontmatter
 * and fences in documentation that shows its own source. All possible languages would be 57 grammars.
 */
const embedded: Readonly<Record<string, readonly Grammar[]>> = {
  markdown: ["yaml", "json", "shellscript"],
  md: ["yaml", "json", "shellscript"],
  mdx: ["yaml", "json", "shellscript", "tsx"],
};

/**
 * Lists the grammars to load before `grammar`. The list is fixed, so that blocks in this language always look the same.
 */
export function listEmbeddedGrammars(grammar: Grammar): readonly Grammar[] {
  return embedded[grammar] ?? [];
}
