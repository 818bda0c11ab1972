import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { SiteView } from "../site-view.ts";
import { takeLines } from "../text-part.ts";
import type { Workspace } from "../workspace.ts";
import { findNamedFile, Path, defineTool, type AgentTool } from "./tool.ts";

const Input = z.strictObject({
  path: Path,
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line of the text."),
});

export function createViewTool(
  workspace: Workspace,
  view: SiteView,
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "view",
    description:
      "Shows a page as its readers see it, as text: with its snippets, variables, components and generated API content. Find out here what a change looks like; read shows what to edit. Continue a long page with `fromLine`.",
    input: Input,
    isChanging: false,
    async run({ path: named, fromLine }, signal) {
      const path = await findNamedFile(workspace, named);
      await workspace.kindOf(path);
      const page = await view.page(path, signal);
      if (!page) throw createNoPageError(path);
      const { title, address, document } = page;
      const text = extractPageText(document);
      const window = { fromLine, lines: Infinity, maxLength: outputLength };
      return { path, title, address, ...takeLines(path, text, window) };
    },
  });
}

/** Creates the error for a file of the site that is not a page. */
export function createNoPageError(path: string): OctavoError {
  const message = `${path} is not a page of the site. A snippet is shown in the pages that use it: search for its name.`;
  return new OctavoError("invalid_input", message);
}

/** Elements whose content is not text that readers see. */
const unseen: ReadonlySet<string> = new Set(["script", "style", "svg", "template", "noscript"]);
const voids: ReadonlySet<string> = new Set("area base br col embed hr img input link meta source track wbr".split(" ")); // prettier-ignore
const blocks: ReadonlySet<string> = new Set("address article aside blockquote button dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr ul".split(" ")); // prettier-ignore
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }; // prettier-ignore
const media: ReadonlySet<string> = new Set(["video", "audio", "iframe"]);

/** A tag of a document, or the text between two tags. */
interface Piece {
  readonly text: string;
  /** Undefined for text. */
  readonly name?: string;
  readonly isEnd?: boolean;
  readonly attributes?: string;
}

/**
 * Extracts the text of a rendered page's article: a block to a line, headings and list items marked as in Markdown, code
 * in fences, pictures by their alternative text. Takes linear time for any input.
 */
function extractPageText(document: string): string {
  const start = document.indexOf("<article");
  const end = document.lastIndexOf("</article>");
  const article = start === -1 || end < start ? document : document.slice(start, end);
  const out = createTextWriter();
  let hidden: { readonly name: string; depth: number } | undefined;
  for (const piece of listPieces(article)) {
    const { name, isEnd = false, attributes = "" } = piece;
    if (hidden) {
      if (name === hidden.name) hidden.depth += isEnd ? -1 : 1;
      if (hidden.depth === 0) hidden = undefined;
      continue;
    }
    if (name === undefined) out.text(piece.text);
    else if (!isEnd && isUnseen(name, attributes)) hidden = { name, depth: 1 };
    else if (isEnd) out.end(name);
    else out.begin(name, attributes);
  }
  return out.finish();
}

function isUnseen(name: string, attributes: string): boolean {
  return (
    !voids.has(name) &&
    (unseen.has(name) || /\s(?:aria-hidden="true"|id="pagination")/.test(attributes))
  );
}

function* listPieces(html: string): Generator<Piece> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open !== at) yield { text: open === -1 ? html.slice(at) : html.slice(at, open) };
    if (open === -1) break;
    const end = findTagEnd(html, open);
    const [, slash, name] = /^<(\/?)([a-z][\w-]*)/i.exec(html.slice(open, open + 40)) ?? [];
    if (name === undefined) {
      // A comment or a doctype.
      at = html.startsWith("<!", open) ? end : open + 1;
      if (at === open + 1) yield { text: "<" };
      continue;
    }
    const attributes = html.slice(open + 1 + name.length, end - 1);
    yield { text: "", name: name.toLowerCase(), isEnd: slash === "/", attributes };
    at = end;
  }
}

/** Returns the position after a tag. A `>` in an attribute's value does not end it. */
function findTagEnd(html: string, open: number): number {
  let quote = "";
  for (let at = open + 1; at < html.length; at += 1) {
    const sign = html.charAt(at);
    if (quote !== "") quote = sign === quote ? "" : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === ">") return at + 1;
  }
  return html.length;
}

function createTextWriter() {
  const lines: string[] = [];
  let line = "";
  let isCode = false;
  function breakLine(): void {
    if (line.trim() !== "") lines.push(line.trimEnd());
    line = "";
  }
  return {
    text(raw: string): void {
      const text = isCode ? decodeEntities(raw) : decodeEntities(raw.replaceAll(/\s+/g, " "));
      const isAfterSpace = line === "" || line.endsWith(" ");
      line += isAfterSpace && !isCode ? text.replace(/^ /, "") : text;
    },
    begin(name: string, attributes: string): void {
      if (blocks.has(name) && !/^[-#] $|^#+ $/.test(line)) breakLine();
      const level = /^h([1-6])$/.exec(name)?.[1];
      if (level !== undefined) line = `${"#".repeat(Number(level))} `;
      if (name === "li") line = "- ";
      if (name === "hr") lines.push("---");
      if (name === "br") breakLine();
      if ((name === "td" || name === "th") && line !== "") line += " | ";
      if (name === "img") line += formatPicture(attributes);
      if (media.has(name)) line += `[${name}]`;
      if (name === "pre") {
        lines.push("```");
        isCode = true;
      }
    },
    end(name: string): void {
      if (name === "pre") {
        if (line.trim() !== "") lines.push(line.replace(/\n$/, ""));
        line = "";
        lines.push("```");
        isCode = false;
      } else if (blocks.has(name)) breakLine();
    },
    finish(): string {
      breakLine();
      return `${lines.join("\n")}\n`;
    },
  };
}

function formatPicture(attributes: string): string {
  const alt = /\salt="([^"]*)"/.exec(attributes)?.[1];
  return `[picture${alt === undefined || alt === "" ? "" : `: ${decodeEntities(alt)}`}]`;
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x?[\da-f]{1,6}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return entities[name] ?? whole;
    const code = Number(name.replace(/^#x/i, "0x").replace(/^#(?!0x)/, ""));
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
