/**
 * `npm run messages` prints every string in the sources that reads like a sentence, with its file and line, so that all
 * messages that a user may see can be proofread together. `npm run messages -- octavo/src/api` prints the strings of
 * one folder.
 */
import { listNodes, readSources, shorten } from "./sources.ts";
import type { SourceText, SyntaxNode } from "./sources.ts";

interface Message {
  readonly line: number;
  readonly text: string;
}

/**
 * Matches text with at least three words, two of which are adjacent and in lowercase, which excludes names, patterns
 * and most lists of classes.
 */
const sentence = /^(?=[^]*[a-z]{2,} [a-z]{2,})(?=(?:[^]*\s){2})[^{};=]*$/;

function listMessages(source: SourceText): readonly Message[] {
  return listNodes(source)
    .flatMap((node) => {
      const text = readText(node, source)?.replaceAll(/\s+/g, " ").trim() ?? "";
      const line = source.text.slice(0, node.start).split("\n").length;
      return sentence.test(text.replaceAll("…", "")) ? [{ line, text }] : [];
    })
    .toSorted((one, other) => one.line - other.line);
}

/** Returns the text of a string or a template. The values of a template are shown as `…`. */
function readText(node: SyntaxNode, { text }: SourceText): string | undefined {
  if (node.type === "Literal") {
    const { value } = node as { value?: unknown };
    return typeof value === "string" ? value : undefined;
  }
  if (node.type !== "TemplateLiteral") return undefined;
  const quasis = node["quasis"] as readonly SyntaxNode[];
  const parts = quasis.map(({ start, end }) => text.slice(start, end));
  // Tags are removed, because templates of pages contain markup.
  return parts.join("…").replaceAll(/<[^>]*>/g, " ");
}

const [folder = ""] = process.argv.slice(2);
for (const source of readSources()) {
  const path = shorten(source.path);
  const messages = path.startsWith(folder) ? listMessages(source) : [];
  if (messages.length === 0) continue;
  const lines = messages.map(({ line, text }) => `  ${line}: ${text}`);
  process.stdout.write(`${path}\n${lines.join("\n")}\n`);
}
