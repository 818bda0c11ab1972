/**
 * `npm run messages` prints every text of the sources that reads like a sentence, by file and line: the messages that a
 * user can meet, on one page to be read aloud. `npm run messages -- octavo/src/api` prints those of one folder.
 */
import { listNodes, readSources, shorten } from "./sources.ts";
import type { SourceText, SyntaxNode } from "./sources.ts";

interface Message {
  readonly line: number;
  readonly text: string;
}

/** Three words at least, two of them in a row in small letters: not a name, a pattern or a list of classes. */
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

/** The text of a string or a template; the values of a template are shown as `…`. */
function readText(node: SyntaxNode, { text }: SourceText): string | undefined {
  if (node.type === "Literal") {
    const { value } = node as { value?: unknown };
    return typeof value === "string" ? value : undefined;
  }
  if (node.type !== "TemplateLiteral") return undefined;
  const quasis = node["quasis"] as readonly SyntaxNode[];
  const parts = quasis.map(({ start, end }) => text.slice(start, end));
  // Markup between the words of a page.
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
