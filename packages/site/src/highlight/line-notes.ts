/** Code without its `[!code ...]` comments, and the classes that they give to lines. */
export interface NotedCode {
  readonly code: string;
  /** Class names by 0-based line. */
  readonly classes: ReadonlyMap<number, string>;
}

/** A note and the end of its comment, up to the end of the line. */
const note = /^\[!code ([a-z+-]{1,12})(?::(\d{1,4}))?\][ \t]*(?:\*\/\}?|-->|\*\))?[ \t]*$/;

/** Longer ones first: `<!--` ends with `--`. */
const commentOpenings = ["<!--", "{/*", "/*", "//", "(*", "--", "#", ";", "%", "'"] as const;

const lineClasses: Readonly<Record<string, string>> = {
  "++": "added",
  "--": "removed",
  highlight: "marked",
  hl: "marked",
  focus: "focused",
};

const markdown = new Set(["md", "mdx", "markdown"]);
const plain = new Set(["", "text", "txt", "plaintext"]);
const fence = /^\s*(?:`{3}|~{3})/m;

/** Whether code shows how Markdown is written: readers shall see these comments. */
function showsNotes(code: string, language: string): boolean {
  return markdown.has(language) || (plain.has(language) && fence.test(code));
}

/** A comment alone on its line applies to the next one; `:3` counts lines. Unknown notes stay as they are. */
export function readLineNotes(code: string, language: string): NotedCode {
  const classes = new Map<number, string>();
  if (!code.includes("[!code ") || showsNotes(code, language.toLowerCase())) {
    return { code, classes };
  }
  const lines: string[] = [];
  for (const line of code.split("\n")) {
    const start = line.indexOf("[!code ");
    const found = start === -1 ? null : note.exec(line.slice(start));
    const name = lineClasses[found?.[1] ?? ""];
    if (found === null || name === undefined) {
      lines.push(line);
      continue;
    }
    const first = lines.length;
    const count = Math.max(1, Number(found[2] ?? 1));
    for (let index = first; index < first + count; index++) addClass(classes, index, name);
    const rest = withoutOpening(line.slice(0, start).trimEnd());
    if (rest !== "") lines.push(rest);
  }
  return { code: lines.join("\n"), classes };
}

function withoutOpening(text: string): string {
  const opening = commentOpenings.find((mark) => text.endsWith(mark)) ?? "";
  return text.slice(0, text.length - opening.length).trimEnd();
}

function addClass(classes: Map<number, string>, line: number, name: string): void {
  const known = classes.get(line);
  if (known === undefined) classes.set(line, name);
  else if (!known.split(" ").includes(name)) classes.set(line, `${known} ${name}`);
}
