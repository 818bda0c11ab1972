import { z } from "zod";
import { createInputError, isOctavoError } from "@octavo/site/core";
import type { OctavoError } from "@octavo/site/core";
import type { DrawPage } from "../../core/index.ts";
import type { SiteView } from "../site-view.ts";
import { takeLines } from "../text-part.ts";
import type { Workspace } from "../workspace.ts";
import type { DefaultTreeAdapterTypes } from "./parse-html.bundled.ts";
import { findNamedFile, Path, defineTool, type AgentTool, type Sight } from "./tool.ts";

const Input = z.strictObject({
  path: Path,
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line of the text."),
});
const SeeingInput = Input.extend({
  picture: z.boolean().default(false).describe("Also draws the page: you see it after the result."),
});

interface ViewOptions {
  /** The maximum length of the text, in characters. */
  readonly outputLength: number;
  /** Draws pages for a model that sees pictures. */
  readonly drawPage?: DrawPage | undefined;
}

export function createViewTool(
  workspace: Workspace,
  view: SiteView,
  { outputLength, drawPage }: ViewOptions,
): AgentTool {
  const input: z.ZodType<z.output<typeof Input> & { readonly picture?: boolean }> =
    drawPage === undefined ? Input : SeeingInput;
  return defineTool({
    name: "view",
    description:
      "Shows a page as its readers see it, as text: with its snippets, variables, components and generated API content. Find out here what a change looks like; read shows what to edit. Continue a long page with `fromLine`.",
    input,
    isChanging: false,
    async look({ path: named, picture = false }, signal) {
      if (!picture || drawPage === undefined) return {};
      const path = await findNamedFile(workspace, named);
      const page = await view.page(path, signal, { isSelfContained: true });
      if (!page) throw createNoPageError(path);
      return await drawSight(drawPage, { path, document: page.document }, signal);
    },
    async run({ path: named, fromLine }, signal) {
      const path = await findNamedFile(workspace, named);
      await workspace.kindOf(path);
      const page = await view.page(path, signal);
      if (!page) throw createNoPageError(path);
      const { title, address, document } = page;
      const text = await extractPageText(document);
      const window = { fromLine, lines: Infinity, maxLength: outputLength };
      return { path, title, address, ...takeLines(path, text, window) };
    },
  });
}

async function drawSight(
  drawPage: DrawPage,
  { path, document }: { readonly path: string; readonly document: string },
  signal: AbortSignal,
): Promise<Sight> {
  try {
    const { jpeg, height, drawn } = await drawPage(document, signal);
    const picture = { path, mediaType: "image/jpeg", base64: Buffer.from(jpeg).toString("base64") };
    if (drawn === height) return { picture };
    return {
      picture,
      note: `The picture shows the first ${drawn} of the page's ${height} pixels.`,
    };
  } catch (error) {
    // The text is worth having without the picture.
    if (!isOctavoError(error, "unavailable")) throw error;
    return { note: error.message };
  }
}

/** Creates the error for a file of the site that is not a page. */
export function createNoPageError(path: string): OctavoError {
  const message = `${path} is not a page of the site. A snippet is shown in the pages that use it: search for its name.`;
  return createInputError(message);
}

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Elements whose content is not text that readers see. */
const unseen: ReadonlySet<string> = new Set(["script", "style", "svg", "template", "noscript"]);
const blocks: ReadonlySet<string> = new Set("address article aside blockquote button dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr ul".split(" ")); // prettier-ignore
const media: ReadonlySet<string> = new Set(["video", "audio", "iframe"]);

/**
 * Extracts the text of a rendered page's article: a block to a line, headings and list items marked as in Markdown, code
 * in fences, pictures by their alternative text.
 */
async function extractPageText(document: string): Promise<string> {
  const { parse } = await import("./parse-html.bundled.ts");
  const root = parse(document);
  const out = createTextWriter();
  write(findArticle(root) ?? root);
  return out.finish();

  function write(node: Node): void {
    if ("value" in node) out.text(node.value);
    if (!("childNodes" in node) || isUnseen(node)) return;
    if ("tagName" in node) out.begin(node);
    node.childNodes.forEach(write);
    if ("tagName" in node) out.end(node.tagName);
  }
}

function findArticle(node: Node): Node | undefined {
  if (node.nodeName === "article") return node;
  if (!("childNodes" in node)) return undefined;
  for (const child of node.childNodes) {
    const found = findArticle(child);
    if (found) return found;
  }
  return undefined;
}

function isUnseen(node: Node): boolean {
  if (!("tagName" in node)) return false;
  const isHidden = getAttribute(node, "aria-hidden") === "true";
  return unseen.has(node.tagName) || isHidden || getAttribute(node, "id") === "pagination";
}

function getAttribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
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
      const text = isCode ? raw : raw.replaceAll(/[ \t\r\n\f]+/g, " ");
      const isAfterSpace = line === "" || line.endsWith(" ");
      line += isAfterSpace && !isCode ? text.replace(/^ /, "") : text;
    },
    begin(element: Element): void {
      const name = element.tagName;
      if (blocks.has(name) && !/^[-#] $|^#+ $/.test(line)) breakLine();
      const level = /^h([1-6])$/.exec(name)?.[1];
      if (level !== undefined) line = `${"#".repeat(Number(level))} `;
      if (name === "li") line = "- ";
      if (name === "hr") lines.push("---");
      if (name === "br") breakLine();
      if ((name === "td" || name === "th") && line !== "") line += " | ";
      if (name === "img") line += formatPicture(getAttribute(element, "alt"));
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

function formatPicture(alt = ""): string {
  return `[picture${alt === "" ? "" : `: ${alt}`}]`;
}
