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
export function isDiagramLanguage(language: string): boolean {
  return language.toLowerCase() === "mermaid";
}

/**
 * The grammar for the language an author wrote on a fence, in any case. Undefined for plain text and for
 * names nobody knows (`output`, `redis`), which are shown as plain text.
 */
export function findGrammar(language: string): Grammar | undefined {
  const name = language.toLowerCase();
  if (isDiagramLanguage(name)) return undefined;
  if (Object.hasOwn(aliases, name)) return aliases[name];
  return Object.hasOwn(bundledLanguages, name) ? (name as Grammar) : undefined;
}

/**
 * Languages inside of others that the library leaves to whoever loads them: the frontmatter and the
 * fences that documentation shows of its own source. All that could be there would be 57 grammars.
 */
const embedded: Readonly<Record<string, readonly Grammar[]>> = {
  markdown: ["yaml", "json", "shellscript"],
  md: ["yaml", "json", "shellscript"],
  mdx: ["yaml", "json", "shellscript", "tsx"],
};

/** The grammars to load before `grammar`, always the same ones, so that its blocks always look the same. */
export function embeddedGrammars(grammar: Grammar): readonly Grammar[] {
  return embedded[grammar] ?? [];
}
