import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { renderInline } from "./inline.ts";

/**
 * The Markdown that texts of pull requests are written in: headings, paragraphs, lists, quotes, tables,
 * fenced code, and marks within lines. Markup is text here, and what is not known stays as it was
 * written. A line at a time, so the work is linear; nothing nests but lists by their indentation.
 */
export function renderMarkdown(source: string): Html {
  const lines = source.slice(0, longestSource).replaceAll("\r\n", "\n").split("\n");
  const reader = new LineReader(lines);
  const blocks: Html[] = [];
  while (!reader.isDone) {
    const block = readBlock(reader);
    if (block) blocks.push(block);
  }
  return html`${blocks}`;
}

/** What a code host takes as a text. */
const longestSource = 65_536;

class LineReader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get isDone(): boolean {
    return this.#at >= this.#lines.length;
  }

  peek(ahead = 0): string {
    return this.#lines[this.#at + ahead] ?? "";
  }

  next(): string {
    return this.#lines[this.#at++] ?? "";
  }

  /** The lines from here that `belongs` says yes to. */
  takeWhile(belongs: (line: string) => boolean): string[] {
    const taken: string[] = [];
    while (!this.isDone && belongs(this.peek())) taken.push(this.next());
    return taken;
  }
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^ {0,3}(#{1,6})\s+(\S.*)$/;
const rule = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const quote = /^ {0,3}> ?/;
const item = /^( *)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const tableRule = /^:?-+:?$/;

function readBlock(reader: LineReader): Html | undefined {
  const line = reader.peek();
  if (line.trim() === "") {
    reader.next();
    return undefined;
  }
  if (fence.test(line)) return readFence(reader);
  const title = heading.exec(line);
  if (title) {
    reader.next();
    return renderHeading(title[1]?.length ?? 1, title[2] ?? "");
  }
  if (rule.test(line)) {
    reader.next();
    return html`<hr />`;
  }
  if (quote.test(line)) {
    const quoted = reader.takeWhile((next) => quote.test(next));
    return html`<blockquote>
      <p>${renderLines(quoted.map((next) => next.replace(quote, "")))}</p>
    </blockquote>`;
  }
  if (item.test(line)) return readList(reader);
  if (isTable(line, reader.peek(1))) return readTable(reader);
  return readParagraph(reader);
}

/** The page has its own first and second heading. */
function renderHeading(level: number, text: string): Html {
  const content = renderInline(withoutEnd(text));
  return level <= 2 ? html`<h3>${content}</h3>` : html`<h4>${content}</h4>`;
}

/** `## Title ##`: the signs at the end are none of its words. */
function withoutEnd(text: string): string {
  const title = text.trimEnd();
  let end = title.length;
  while (title[end - 1] === "#") end--;
  return title[end - 1] === " " ? title.slice(0, end) : title;
}

function readFence(reader: LineReader): Html {
  const mark = fence.exec(reader.next())?.[1] ?? "";
  const lines = reader.takeWhile((line) => !isFenceEnd(line, mark));
  reader.next();
  return html`<pre tabindex="0"><code>${lines.join("\n")}</code></pre>`;
}

function isFenceEnd(line: string, mark: string): boolean {
  const text = line.trim();
  return text.length >= mark.length && text === (mark[0] ?? "").repeat(text.length);
}

function readParagraph(reader: LineReader): Html {
  const lines = [reader.next(), ...reader.takeWhile((line) => !beginsBlock(line))];
  return html`<p>${renderLines(lines)}</p>`;
}

function beginsBlock(line: string): boolean {
  return line.trim() === "" || [fence, heading, rule, quote, item].some((mark) => mark.test(line));
}

/** As code hosts show texts: a line break stays one. */
function renderLines(lines: readonly string[]): Html[] {
  return lines.map((line, index) => html`${index > 0 && html`<br />`}${renderInline(line.trim())}`);
}

interface ListItem {
  readonly indent: number;
  readonly isOrdered: boolean;
  readonly lines: string[];
}

function readList(reader: LineReader): Html {
  const items: ListItem[] = [];
  while (!reader.isDone) {
    const [, spaces = "", marker = "", text = ""] = item.exec(reader.peek()) ?? [];
    if (marker !== "") {
      reader.next();
      items.push({ indent: spaces.length, isOrdered: /^\d/.test(marker), lines: [text] });
      continue;
    }
    const last = items.at(-1);
    const isContinued = /^\s+\S/.test(reader.peek()) && !fence.test(reader.peek().trim());
    if (!last || !isContinued) break;
    last.lines.push(reader.next());
  }
  return renderList(items);
}

/** Two levels: what is indented stands below the item before it. */
function renderList(items: readonly ListItem[]): Html {
  const outer = items[0]?.indent ?? 0;
  const rendered: { readonly lines: readonly string[]; readonly below: ListItem[] }[] = [];
  for (const one of items) {
    const last = rendered.at(-1);
    if (last && one.indent > outer + 1) last.below.push(one);
    else rendered.push({ lines: one.lines, below: [] });
  }
  const rows = rendered.map(
    ({ lines, below }) =>
      html`<li>
        ${renderLines(lines)}${
          below.length > 0 &&
          listOf(
            below,
            below.map((one) => html`<li>${renderLines(one.lines)}</li>`),
          )
        }
      </li>`,
  );
  return listOf(items, rows);
}

function listOf([first]: readonly ListItem[], rows: readonly Html[]): Html {
  return first?.isOrdered
    ? html`<ol>
        ${rows}
      </ol>`
    : html`<ul>
        ${rows}
      </ul>`;
}

function isTable(line: string, next: string): boolean {
  return line.includes("|") && next.includes("|") && cellsOf(next).every((c) => tableRule.test(c));
}

function readTable(reader: LineReader): Html {
  const head = cellsOf(reader.next());
  reader.next();
  const rows = reader.takeWhile((line) => line.includes("|") && line.trim() !== "");
  return html`<div class="table" tabindex="0" role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${renderInline(cell)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${cellsOf(row).map((cell) => html`<td>${renderInline(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A bar that is escaped belongs to its cell. */
function cellsOf(line: string): string[] {
  const text = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return text.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
