/** A block of Markdown as it is written, and of what it was made. */
export interface Block {
  readonly text: string;
  readonly inside?: readonly Block[];
  /** A paragraph of a tight list. */
  readonly isTight?: boolean;
}

export function heading(inside: readonly Block[], level: number): string {
  const words = inside.map(({ text }) => text.replaceAll("\n", " ")).join(" ");
  return words === "" ? "" : `${"#".repeat(level)} ${words}`;
}

export function blockquote(inside: readonly Block[]): string {
  const lines = joined(inside).split("\n");
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

/** `start` is the number of an ordered list's first item. */
export function list(items: readonly Block[], start: number | undefined): string {
  const isTight = items.every(({ inside = [] }) =>
    inside.every((block) => block.isTight !== false),
  );
  return items
    .map(({ text }, index) => {
      const marker = start === undefined ? "- " : `${start + index}. `;
      return `${marker}${text.replaceAll(/\n(?!\n|$)/g, `\n${" ".repeat(marker.length)}`)}`;
    })
    .join(isTight ? "\n" : "\n\n");
}

const box = /^\\\[([ xX])\\\](?= )/;
/** What people say of themselves: that they agree, have tested, have read. */
const firstPerson = /\b(?:I|we|my|our)\b(?!\/)/i;

/** A box is ticked as it was, but for those that only a person can tick. */
export function listItem(inside: readonly Block[]): string {
  const blocks = inside.filter(({ text }) => text !== "");
  const text = blocks
    .map((block, index) => {
      if (index === 0) return block.text;
      return `${blocks[index - 1]?.isTight ? "\n" : "\n\n"}${block.text}`;
    })
    .join("");
  return text.replace(box, (_, mark: string) =>
    mark === " " || firstPerson.test(text) ? "[ ]" : "[x]",
  );
}

/** Cells are one line each; their bars are escaped already, but in code. */
export function table(inside: readonly Block[]): string {
  const rows = inside.flatMap((part) => part.inside ?? []);
  const lines = rows.map(({ inside: cells = [] }) => {
    const texts = cells.map(({ text }) =>
      text.replaceAll("\n", " ").replaceAll(/(?<!\\)\|/g, "\\|"),
    );
    return `| ${texts.join(" | ")} |`;
  });
  const columns = rows[0]?.inside?.length ?? 0;
  const [head = "", ...rest] = lines;
  return columns === 0 ? "" : [head, `|${" --- |".repeat(columns)}`, ...rest].join("\n");
}

/** Languages that code hosts draw instead of showing. */
const drawn = new Set(["mermaid", "geojson", "topojson", "stl", "math", "suggestion"]);

/** A code block that nothing in it can close. */
export function fence(content: string, info: string): string {
  const code = content
    .replaceAll(/[^\P{C}\n\t]/gu, "")
    .replaceAll(/`{21,}/g, "`".repeat(20))
    // A program that reads commands from lines does not look for fences.
    .replaceAll(/^\/(?=[a-z])/gim, " /")
    .replace(/\n$/, "");
  const [language = ""] = /^[\w+#-]{1,20}/.exec(info) ?? [];
  const maxRun = code.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  const marks = "`".repeat(Math.max(3, maxRun + 1));
  const shown = language === "" || drawn.has(language.toLowerCase()) ? "text" : language;
  return `${marks}${shown}\n${code}\n${marks}`;
}

export function joined(blocks: readonly Block[]): string {
  return blocks
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n\n");
}
