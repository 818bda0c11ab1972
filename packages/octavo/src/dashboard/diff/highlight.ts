/** The syntactic role of a part of a line, which determines its color. */
export type TokenKind =
  | "heading"
  | "strong"
  | "code"
  | "tag"
  | "key"
  | "string"
  | "comment"
  | "keyword";

export interface CodeToken {
  readonly from: number;
  readonly to: number;
  readonly kind: TokenKind;
}

/**
 * The construct that earlier lines left open: a fence (represented by its marker), the frontmatter, or none (an empty
 * string).
 */
export type LineState = string;

export interface HighlightedLine {
  readonly tokens: readonly CodeToken[];
  /** The state after the line, which is passed with the next line. */
  readonly state: LineState;
}

/** Highlights one line of a file. The time that this takes depends only on the line's length. */
export type HighlightLine = (line: string, state: LineState) => HighlightedLine;

export const fields: LineState = "---";

/** The maximum length of a highlighted line, in characters. */
const maxLineLength = 2_000;

/**
 * Returns the highlighter for a file name. Highlights Markdown and MDX, JSON, YAML, and code in most languages, but no
 * other files.
 */
export function getHighlighter(path: string): HighlightLine {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const highlight = highlighters.get(extension) ?? plain;
  return (line, state) =>
    line.length > maxLineLength ? { tokens: [], state } : highlight(line, state);
}

const plain: HighlightLine = (_line, state) => ({ tokens: [], state });

type Rule = readonly [kind: TokenKind, pattern: string];

const doubleQuoted = String.raw`"(?:\\.|[^"\\])*"`;
const singleQuoted = String.raw`'(?:\\.|[^'\\])*'`;

const json = compile([
  ["key", String.raw`${doubleQuoted}(?=\s{0,8}:)`],
  ["string", doubleQuoted],
  ["keyword", String.raw`\b(?:true|false|null|\d[\d.eE+-]{0,30})\b`],
]);

const yaml = compile([
  ["comment", String.raw`(?:^|(?<=\s))#.*`],
  ["key", String.raw`(?<=^[\s-]{0,40})[\w.$-]{1,80}(?=:)`],
  ["string", `${doubleQuoted}|${singleQuoted}`],
  ["keyword", String.raw`\b(?:true|false|null)\b`],
]);

const code = compile([
  ["comment", String.raw`(?:\/\/|(?:^|(?<=\s))#(?!\w)).*|\/\*.{0,400}?\*\/`],
  ["string", String.raw`${doubleQuoted}|${singleQuoted}|${"`"}[^${"`"}]*${"`"}`],
  ["tag", String.raw`<\/?[A-Za-z][\w.:-]{0,60}`],
  [
    "keyword",
    String.raw`\b(?:as|async|await|break|case|catch|class|const|continue|def|default|do|elif|else|end|enum|export|extends|false|finally|fn|for|from|func|function|if|implements|import|in|interface|is|let|match|new|nil|none|None|not|null|of|or|package|pass|private|public|return|self|static|struct|switch|this|throw|true|True|False|try|type|use|var|void|while|with|yield)\b`,
  ],
]);

const markdown = compile([
  ["comment", String.raw`\{\/\*.{0,400}?\*\/\}|<!--.{0,400}?-->`],
  ["code", "`{1,3}[^`]{1,400}`{1,3}"],
  ["tag", String.raw`<\/?[A-Za-z][\w.:-]{0,60}|\/?>(?=\s*$)`],
  ["key", String.raw`(?<=\s)[A-Za-z][\w-]{0,40}(?==["'{])`],
  ["string", String.raw`(?<==)(?:${doubleQuoted}|${singleQuoted})|(?<=\]\()[^)\s]{1,400}(?=\))`],
  ["strong", String.raw`\*\*[^*]{1,300}\*\*`],
  ["keyword", String.raw`^\s{0,40}(?:[-*+]|\d{1,9}[.)])(?=\s)|^(?:import|export)\b`],
]);

function compile(rules: readonly Rule[]): (line: string) => readonly CodeToken[] {
  const pattern = new RegExp(rules.map(([, source]) => `(${source})`).join("|"), "g");
  return (line) => {
    const tokens: CodeToken[] = [];
    for (const match of line.matchAll(pattern)) {
      const rule = rules[match.slice(1).findIndex((group) => group !== undefined)];
      const [from, to] = [match.index, match.index + match[0].length];
      if (rule && to > from) tokens.push({ from, to, kind: rule[0] });
    }
    return tokens;
  };
}

function inState(tokens: (line: string) => readonly CodeToken[]): HighlightLine {
  return (line, state) => ({ tokens: tokens(line), state });
}

function highlightMarkdown(line: string, state: LineState): HighlightedLine {
  const all = (kind: TokenKind): readonly CodeToken[] => [{ from: 0, to: line.length, kind }];
  if (state === fields) {
    if (line.trimEnd() === fields) return { tokens: all("comment"), state: "" };
    return { tokens: yaml(line), state };
  }
  const [, fence] = /^[ \t>]{0,40}(`{3,20}|~{3,20})/.exec(line) ?? [];
  if (state !== "") {
    const isEnd = fence?.startsWith(state) === true && line.trim() === fence;
    return isEnd ? { tokens: all("code"), state: "" } : { tokens: code(line), state };
  }
  if (fence !== undefined) return { tokens: all("code"), state: fence };
  if (/^ {0,3}#{1,6}\s/.test(line)) return { tokens: all("heading"), state };
  return { tokens: markdown(line), state };
}

const highlighters: ReadonlyMap<string, HighlightLine> = new Map([
  ...["md", "mdx"].map((name) => [name, highlightMarkdown] as const),
  ...["json", "jsonc"].map((name) => [name, inState(json)] as const),
  ...["yaml", "yml", "toml"].map((name) => [name, inState(yaml)] as const),
  ..."js mjs cjs ts mts jsx tsx css py rb go rs java kt swift php sh bash html xml svg c h cpp cs sql"
    .split(" ")
    .map((name) => [name, inState(code)] as const),
]);
