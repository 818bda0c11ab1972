import type { Pieces } from "./pieces.ts";

/** Reads a text that may be a line of Markdown: the addresses of its links are not shown. */
export function showAttributeText(
  pieces: Pieces,
  text: string,
  { what, line }: { readonly what: string; readonly line: number },
): void {
  const addresses = /(?<=\[[^[\]]*\])\([^()\s]*\)|^https:\/\/github\.com\/(?=[\w.-]+\/)|\.git$/g;
  const shown = text.replaceAll(addresses, (address) => {
    pieces.explain(address, "address");
    return " ";
  });
  pieces.show(shown, what, line);
}
