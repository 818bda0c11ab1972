import { countProblems, createInputError, isOctavoError } from "@octavo/site/core";
import type { OctavoError, Problem } from "@octavo/site/core";
import { z } from "zod";
import type { DrawPage } from "../../core/index.ts";
import { fixedLimits } from "../limits.ts";
import type { SiteView } from "../site-view.ts";
import { takeLines } from "../text-part.ts";
import type { Workspace } from "../workspace.ts";
import type { DefaultTreeAdapterTypes } from "./parse-html.bundled.ts";
import { defineTool, findNamedFile, Path, type AgentTool, type PictureOrNote } from "./tool.ts";

const ViewInput = z.strictObject({
  path: Path,
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line of the text."),
});
const PictureViewInput = ViewInput.extend({
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
  const input: z.ZodType<z.output<typeof ViewInput> & { readonly picture?: boolean }> =
    drawPage === undefined ? ViewInput : PictureViewInput;
  return defineTool({
    name: "view",
    description:
      "Shows a page as its readers see it, as text: with its snippets, variables, components and generated API content. Use it to see what a change looks like, and `read` to see the text to edit. Continue a long page with `fromLine`.",
    input,
    isChanging: false,
    async loadPicture({ path: named, picture = false }, signal) {
      if (!picture || drawPage === undefined) return {};
      const path = await findNamedFile(workspace, named);
      const page = await view.page(path, signal, { isSelfContained: true });
      if (!page) throw createNoPageError(path);
      return await drawPicture(drawPage, { path, document: page.document }, signal);
    },
    async run({ path: named, fromLine }, signal) {
      const path = await findNamedFile(workspace, named);
      await workspace.getKind(path);
      const page = await view.page(path, signal);
      if (!page) throw createNoPageError(path);
      const { title, address, document } = page;
      const text = await extractPageText(document);
      const window = { fromLine, maxLines: Infinity, maxLength: outputLength };
      return { path, title, address, ...takeLines(path, text, window) };
    },
  });
}

async function drawPicture(
  drawPage: DrawPage,
  { path, document }: { readonly path: string; readonly document: string },
  signal: AbortSignal,
): Promise<PictureOrNote> {
  try {
    const { jpeg, height, drawnHeight } = await drawPage(document, signal);
    const picture = { path, mediaType: "image/jpeg", base64: Buffer.from(jpeg).toString("base64") };
    if (drawnHeight === height) return { picture };
    return {
      picture,
      note: `The picture shows the first ${drawnHeight} of the page's ${height} pixels.`,
    };
  } catch (error) {
    // The text is useful even without the picture.
    if (!isOctavoError(error, "unavailable")) throw error;
    return { note: error.message };
  }
}

/** Creates the error for a file of the site that is not a page. */
function createNoPageError(path: string): OctavoError {
  const message = `${path} is not a page of the site. A snippet is shown in the pages that use it: search for its name.`;
  return createInputError(message);
}

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Elements whose content readers do not see as text. */
const hiddenElements: ReadonlySet<string> = new Set([
  "script",
  "style",
  "svg",
  "template",
  "noscript",
]);
const blockElements: ReadonlySet<string> = new Set("address article aside blockquote button dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr ul".split(" ")); // prettier-ignore
const mediaElements: ReadonlySet<string> = new Set(["video", "audio", "iframe"]);

/**
 * Extracts the text of a rendered page's article, one block per line, with headings and list items marked as in
 * Markdown, code in fences, and pictures as their alternative text.
 */
async function extractPageText(document: string): Promise<string> {
  const { parse } = await import("./parse-html.bundled.ts");
  const root = parse(document);
  const writer = createTextWriter();
  write(findArticle(root) ?? root);
  return writer.finish();

  function write(node: Node): void {
    if ("value" in node) writer.appendText(node.value);
    if (!("childNodes" in node) || isHiddenNode(node)) return;
    if ("tagName" in node) writer.openElement(node);
    node.childNodes.forEach(write);
    if ("tagName" in node) writer.closeElement(node.tagName);
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

function isHiddenNode(node: Node): boolean {
  if (!("tagName" in node)) return false;
  const isHidden = getAttribute(node, "aria-hidden") === "true";
  return hiddenElements.has(node.tagName) || isHidden || getAttribute(node, "id") === "pagination";
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
    appendText(raw: string): void {
      const text = isCode ? raw : raw.replaceAll(/[ \t\r\n\f]+/g, " ");
      const isAfterSpace = line === "" || line.endsWith(" ");
      line += isAfterSpace && !isCode ? text.replace(/^ /, "") : text;
    },
    openElement(element: Element): void {
      const name = element.tagName;
      if (blockElements.has(name) && !/^[-#] $|^#+ $/.test(line)) breakLine();
      const level = /^h([1-6])$/.exec(name)?.[1];
      if (level !== undefined) line = `${"#".repeat(Number(level))} `;
      if (name === "li") line = "- ";
      if (name === "hr") lines.push("---");
      if (name === "br") breakLine();
      if ((name === "td" || name === "th") && line !== "") line += " | ";
      if (name === "img") line += formatPicture(getAttribute(element, "alt"));
      if (mediaElements.has(name)) line += `[${name}]`;
      if (name === "pre") {
        lines.push("```");
        isCode = true;
      }
    },
    closeElement(name: string): void {
      if (name === "pre") {
        if (line.trim() !== "") lines.push(line.replace(/\n$/, ""));
        line = "";
        lines.push("```");
        isCode = false;
      } else if (blockElements.has(name)) breakLine();
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

const maxShownProblems = 200;
const maxMessageLength = 500;

const CheckInput = z.strictObject({
  path: Path.optional().describe("Only this page, which is fast. Defaults to the whole site."),
  codes: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(50)
    .optional()
    .describe('Only problems of these codes, e.g. ["link_broken"].'),
  skip: z.int().min(0).max(1_000_000).default(0).describe("The number of problems to skip."),
});

export function createCheckTool(
  workspace: Workspace,
  view: SiteView,
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "check",
    description:
      "Renders the current site, or one page, and reports its problems: broken links and anchors, missing files and pages, pages that cannot be parsed. `errors`, `warnings` and `counts` (by code) cover all of it; `problems` lists at most 200 of `total`, errors first.",
    input: CheckInput,
    isChanging: false,
    async run({ path: named, codes, skip }, signal) {
      const path = named === undefined ? undefined : await findNamedFile(workspace, named);
      if (path !== undefined) await workspace.getKind(path);
      const problems = await (path === undefined
        ? view.problems(signal)
        : view.problemsOf(path, signal));
      if (problems === undefined) throw createNoPageError(path ?? "");
      const { errors, warnings } = countProblems(problems);
      const selected = codes ? problems.filter(({ code }) => codes.includes(code)) : problems;
      const sorted = [
        ...selected.filter(({ severity }) => severity === "error"),
        ...selected.filter(({ severity }) => severity === "warning"),
      ];
      return {
        errors,
        warnings,
        counts: countCodes(problems),
        problems: fitProblems(sorted.slice(skip), outputLength),
        total: sorted.length,
      };
    },
  });
}

/** Counts problems by code, the most frequent first. */
function countCodes(problems: readonly Problem[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}

/** Returns as many problems as fit in an answer, with shortened messages. */
export function fitProblems(
  problems: readonly Problem[],
  outputLength: number = fixedLimits.maxOutputLength,
): readonly Problem[] {
  const list: Problem[] = [];
  let length = 0;
  for (const problem of problems.slice(0, maxShownProblems)) {
    const entry = { ...problem, message: problem.message.slice(0, maxMessageLength) };
    length += JSON.stringify(entry).length;
    if (length > outputLength) break;
    list.push(entry);
  }
  return list;
}
