import { findAll } from "../page.ts";

/** Matches controls, and content that is represented in a different way. */
const omittedSelector =
  "button, select, svg, style, .icon, [aria-hidden=true], [role=tooltip], .code-title, .page-tag," +
  ".copy-prompt, .diagram-source > summary, .footnote-back";
const titleSelector = "[class$=title]";
/** Matches labels that are next to each other, separated only by a gap. */
const labelSelector = "[class$=title], .badge, .method, .field-head > *";
const blockNames =
  /^(?:article|aside|blockquote|d[dlt]|details|div|fig\w+|h[1-6r]|header|li|[ou]l|p|pre|section|summary|table)$/i;
const emphasis: Readonly<Record<string, string>> = {
  B: "**",
  STRONG: "**",
  EM: "*",
  I: "*",
  DEL: "~~",
};

/** Converts the page's content to Markdown, including all panels and collapsed sections. */
function writePage(): string {
  const title = document.getElementById("page-title");
  const parts = findAll(".page-description, .operation, #content, #side-panel");
  return [...(title ? writeBlocks(title) : []), ...parts.flatMap(writeBlocks)].join("\n\n");
}

function writeChildBlocks(parent: Element): string[] {
  const blocks: string[] = [];
  let line = "";
  for (const node of parent.childNodes) {
    if (node instanceof Element && blockNames.test(node.tagName)) {
      blocks.push(line.trim(), ...writeBlocks(node));
      line = "";
    } else line += writeInline(node);
  }
  blocks.push(line.trim());
  return blocks.filter((block) => block !== "");
}

function writeBlocks(element: Element): string[] {
  const { tagName } = element;
  if (element.matches(omittedSelector)) return [];
  if (tagName === "HR") return ["---"];
  if (tagName === "PRE") return [writeFence(element)];
  if (element instanceof HTMLTableElement) return [writeTable(element)];
  if (element.matches("ul, ol, .steps")) return [writeList(element)];
  const blocks = writeChildBlocks(element);
  const line = blocks.join(" ");
  if (line === "") return [];
  if (/^H\d$/.test(tagName)) return [`${"#".repeat(Number(tagName[1]))} ${line}`];
  if (element.matches(titleSelector)) return [`**${line}**`];
  if (!element.matches("blockquote, .callout, .page-description")) return blocks;
  const label = element.getAttribute("aria-label");
  return [
    (label ? [`**${label}**`, ...blocks] : blocks)
      .join("\n\n")
      .replace(/^(?=.)/gm, "> ")
      .replace(/^$/gm, ">"),
  ];
}

/** Returns the backticks to put around a text: at least `minLength`, and more than in any run within the text. */
function chooseBackticks(text: string, minLength: number): string {
  const runs = text.match(/`+/g) ?? [];
  return "`".repeat(Math.max(minLength, ...runs.map(({ length }) => length + 1)));
}

function writeFence(pre: Element): string {
  const text = pre.textContent.replace(/\n$/, "");
  const block = pre.closest<HTMLElement>("[data-lang]");
  const title = block?.querySelector(".code-title")?.textContent ?? "";
  const language = pre.closest(".diagram-source") ? "mermaid" : (block?.dataset["lang"] ?? "");
  const mark = chooseBackticks(text, 3);
  return `${mark}${`${language} ${title}`.trimEnd()}\n${text}\n${mark}`;
}

function writeList(list: Element): string {
  const gap = list.querySelector(":scope > * > :is(p, div)") ? "\n\n" : "\n";
  const hasNotes = list.matches(".footnotes *");
  const items = [...list.children].map((item, index) => {
    const number = hasNotes ? `[^${index + 1}]: ` : `${index + 1}. `;
    const mark = list.tagName === "UL" ? "- " : number;
    const indent = " ".repeat(hasNotes ? 4 : mark.length);
    return (
      mark +
      writeChildBlocks(item)
        .join(gap)
        .replace(/\n(?=.)/g, `\n${indent}`)
    );
  });
  return items.join(gap);
}

function writeTable(table: HTMLTableElement): string {
  const rows = [...table.rows].map(({ cells }) =>
    [...cells].map((cell) =>
      writeChildBlocks(cell).join(" ").replace(/\|/g, "\\|").replace(/\s*\n/g, " "),
    ),
  );
  const [head = [], ...others] = rows;
  const lines = [head, head.map(() => "---"), ...others];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function writeInline(node: Node): string {
  if (node instanceof Text) return escapeText(node.data);
  if (!(node instanceof Element) || node.matches(omittedSelector)) return "";
  if (node.matches(".katex-display, .katex")) return writeFormula(node);
  if (node.matches(".footnote")) return `[^${node.textContent}]`;
  if (node instanceof HTMLInputElement) return node.checked ? "[x]" : "[ ]";
  if (node.tagName === "BR") return "\\\n";
  if (node.tagName === "CODE") {
    const mark = chooseBackticks(node.textContent, 1);
    return mark + node.textContent + mark;
  }
  const source = node.getAttribute("src");
  if (source) {
    const { tagName } = node;
    const name = node.getAttribute(tagName === "IMG" ? "alt" : "title") ?? "";
    return `${tagName === "IMG" ? "!" : ""}[${name}](${source})`;
  }
  return writePhrase(node, writeChildBlocks(node).join(" "));
}

/** Converts an inline element with the given text. */
function writePhrase(element: Element, text: string): string {
  const address = element.getAttribute("href");
  if (text === "") return "";
  if (address) return `[${text}](${address})`;
  const mark = element.matches(titleSelector) ? "**" : (emphasis[element.tagName] ?? "");
  return mark + text + mark + (element.matches(labelSelector) ? " " : "");
}

/** Escapes text so that none of its characters are parsed as syntax. */
function escapeText(text: string): string {
  const signs = /[\\`*[\]<$]|_(?![a-z\d])|(?<![a-z\d])_/gi;
  return text.replace(/\s+/g, " ").replace(signs, "\\$&");
}

function writeFormula(element: Element): string {
  const text = element.querySelector("annotation")?.textContent ?? "";
  return element.matches(".katex") ? `$${text}$` : `$$\n${text}\n$$`;
}

window.octavoPageMarkdown = writePage;
