/** Reports whether a language describes diagrams. Diagrams are drawn, so their source does not need a grammar. */
export function isDiagramLanguage(language: string): boolean {
  return language.toLowerCase() === "mermaid";
}
