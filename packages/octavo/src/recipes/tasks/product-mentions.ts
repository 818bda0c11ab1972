import { splitPageBlocks } from "../text/page-blocks.ts";
import { listPageSpans } from "../text/page-spans.ts";

export type MentionKind = "flag" | "setting" | "endpoint" | "export";

/** A name that a page mentions in code. */
export interface Mention {
  readonly kind: MentionKind;
  readonly name: string;
  readonly line: number;
  /** The program or module that the name belongs to; undefined if it stands alone. */
  readonly owner?: string;
}

/** Words that show that a text knows about a removal. */
const past =
  /\b(?:remov|deprecat|obsolet|renam|replac|legacy|former|previous|no longer|used to|was called|instead of|old|until|prior to|migrat|upgrad|breaking|drop|supersed|discontinu|gone|not supported|unsupported)/i;
/** Statements about one version, which may still be true. */
const version =
  /(?<![\d.])v?\d+\.(?:\d+|x)(?:\.(?:\d+|x))?(?!\.?\d)|\b(?:before|since|until) v?\d/i;
/** Programs whose flags are explained without a command. */
const otherPrograms =
  /\b(?:git|docker|podman|npm|npx|pnpm|yarn|bun|node|deno|curl|wget|ssh|tar|make|cmake|gcc|cargo|rustc|python|pip|uv|poetry|java|mvn|gradle|kubectl|helm|terraform|aws|gcloud|az|systemctl|apt|brew|psql|redis|ffmpeg|chrome|chromium|eslint|prettier|tsc|webpack|vite|jest|pytest)\b/i;

/** Code on a page: a fenced line, or text between backticks. */
interface CodePiece {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
  readonly isFenced: boolean;
  /**
   * The text that says how the code is meant: its paragraph or row, the paragraph before a fence, and the heading
   * above.
   */
  readonly context: string;
  /** The whole fenced block; empty for text between backticks. */
  readonly fence: string;
}

/** Longer lines are data. */
const maxLength = 2_000;

interface Command {
  /** The name without path and version; undefined if the code begins with an option. */
  readonly program?: string;
  /** The words after the program. */
  readonly words: readonly string[];
}

/** Programs that run another program, with the words that belong to them. */
const runners: readonly RegExp[] = [
  /^(?:sudo|env|exec|time|npx|bunx|uvx|pnpx|pipx)$/,
  /^(?:npm (?:run|exec)|pnpm (?:dlx|exec|run)|yarn (?:dlx|run)|bun (?:run|x)|python3? -m|uv run|go run|cargo run)$/,
];

/** Returns the names that a page mentions as existing, in order. */
export function findMentions(page: string): readonly Mention[] {
  const pieces = listCodePieces(page);
  const isPast = createPastTest();
  const complete = createOwners(pieces);
  return pieces
    .filter((piece) => !isPast(piece))
    .flatMap((piece) => [
      ...flagsIn(piece).flatMap((found) => complete.flag(found, piece)),
      ...settingsIn(piece),
      ...endpointsIn(piece),
      ...importsIn(piece),
      ...namesIn(piece).flatMap(complete.name),
    ]);
}

/** Creates a test that caches its results, because all lines of a fence share one text. */
function createPastTest(): (piece: CodePiece) => boolean {
  const known = new Map<string, boolean>();
  const test = (text: string, pattern: RegExp) => {
    const is = known.get(text) ?? pattern.test(text);
    known.set(text, is);
    return is;
  };
  const either = new RegExp(`${past.source}|${version.source}`, "i");
  return ({ context, fence }) => test(`prose ${context}`, either) || test(`code ${fence}`, past);
}

/** Uses the whole page to find the owner of a name that stands alone. Uncertain mentions are dropped. */
function createOwners(pieces: readonly CodePiece[]) {
  const flags = Map.groupBy(pieces.flatMap(flagsIn), ({ name }) => name);
  const modules = new Map(pieces.flatMap(importsIn).map(({ name, owner }) => [name, owner]));
  const declared = declaredNames(pieces);
  return {
    flag(mention: Mention, { context }: CodePiece): Mention[] {
      if (mention.owner !== undefined) return [mention];
      if (otherPrograms.test(context)) return [];
      const owners = new Set((flags.get(mention.name) ?? []).flatMap(({ owner }) => owner ?? []));
      return owners.size > 1 ? [] : [withOwner(mention, [...owners][0])];
    },
    name: (mention: Mention): Mention[] =>
      declared.has(mention.name) ? [] : [withOwner(mention, modules.get(mention.name))],
  };
}

function withOwner(mention: Mention, owner: string | undefined): Mention {
  return owner === undefined ? mention : { ...mention, owner };
}

/** Flags that programs support without defining them. */
const common: ReadonlySet<string> = new Set(["--help", "--version", "--color", "--no-color"]);
const flag = /^(--[a-z][a-z\d]*(?:-[a-z\d]+)*)(?:$|[=[\s,|].*)/i;

/** Returns the flags of each command, with its program. */
function flagsIn({ text, line }: CodePiece): Mention[] {
  return parseCommands(text).flatMap(({ program, words }) =>
    words.flatMap((word): Mention[] => {
      const name = flag.exec(word.replace(/^[[(]+|[\])]+$/g, ""))?.[1];
      if (name === undefined || common.has(name)) return [];
      return [{ kind: "flag", name, line, ...(program !== undefined && { owner: program }) }];
    }),
  );
}

const setting = /(?<![\w$])[A-Z][A-Z\d]*(?:_[A-Z\d]+)+(?![\w$])/g;

function settingsIn({ text, line }: CodePiece): Mention[] {
  return [...text.matchAll(setting)].map(([name]) => ({ kind: "setting", name, line }));
}

const path = String.raw`(?:/[\w.~%{}:<>$-]+)+/?`;
const request = new RegExp(String.raw`\b(?:GET|POST|PUT|PATCH|DELETE)\s+(${path})`);
const wholePath = new RegExp(String.raw`^(/[\w.~%{}:<>$-]+${path})$`);
const address = new RegExp(String.raw`\bhttps?://([\w.-]+)(?::\d+)?(${path})`);

function endpointsIn({ text, line, isFenced }: CodePiece): Mention[] {
  const [, host, called] = address.exec(text) ?? [];
  const isHere = host !== undefined && /^(?:localhost|127\.0\.0\.1)$/.test(host);
  const name =
    called ?? request.exec(text)?.[1] ?? (isFenced ? undefined : wholePath.exec(text)?.[1]);
  if (name === undefined) return [];
  const owner = host === undefined || isHere ? {} : { owner: host };
  return [{ kind: "endpoint", name, line, ...owner }];
}

const moduleImport = /^\s*import\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^{}]*)\}\s*from\s*["']([^"']+)["']/; // prettier-ignore
const pythonImport = /^\s*from\s+([\w.]+)\s+import\s+\(?([\w\s,]+)\)?\s*$/;

function importsIn({ text, line, isFenced }: CodePiece): Mention[] {
  if (!isFenced) return [];
  const [, named, from] = moduleImport.exec(text) ?? [];
  const [, pythonModule, pythonNames] = pythonImport.exec(text) ?? [];
  const [owner, list] = [from ?? pythonModule, named ?? pythonNames];
  if (owner === undefined || list === undefined) return [];
  const names = list.split(",").map((part) => part.trim().replace(/^type\s+|\s+as\s.*$/g, ""));
  return names
    .filter((name) => /^[\w$]+$/.test(name))
    .map((name) => ({ kind: "export", name, line, owner }));
}

/** Names of several words, which cannot be anything else. */
const compound = /^(?:[a-z]+[A-Z][\w$]*|[A-Z][a-z\d]+[A-Z][\w$]*|[a-z]+_[a-z][a-z_\d]*)(?:\(\))?$/;

function namesIn({ text, line, isFenced }: CodePiece): Mention[] {
  if (isFenced || !compound.test(text)) return [];
  return [{ kind: "export", name: text.replace(/\(\)$/, ""), line }];
}

const declaration = /\b(?:function|const|let|var|class|def|fn|func|type|interface|struct)\s+([\w$]+)/g; // prettier-ignore

function declaredNames(pieces: readonly CodePiece[]): ReadonlySet<string> {
  const found = pieces.flatMap(({ text }) => [...text.matchAll(declaration)]);
  return new Set(found.map(([, name = ""]) => name));
}

/** Lists the code on a page, in order. A fenced line that ends in `\` continues on the next one. */
function listCodePieces(page: string): readonly CodePiece[] {
  const lines = page.split("\n");
  const starts = lineStarts(lines);
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset);
  const fences = splitPageBlocks(page).filter(({ kind }) => kind === "code");
  const isFence = (start: number) => fences.some((fence) => fence.start === start);
  return listPageSpans(page).flatMap(({ kind, start, end }): CodePiece[] => {
    if (kind !== "code") return [];
    const first = lineAt(start);
    const text = page.slice(start, end);
    if (!isFence(start)) {
      const inline = text.replaceAll(/^`+ ?| ?`+$/g, "");
      const context = `${headingAbove(lines, first)}\n${paragraphAt(lines, first)}`;
      return [
        { text: inline.slice(0, maxLength), line: first + 1, isFenced: false, context, fence: "" },
      ];
    }
    const context = `${headingAbove(lines, first)}\n${paragraphBefore(lines, first - 1)}`;
    return joinedLines(text).map(({ text: joined, offset }) => ({
      text: joined.slice(0, maxLength),
      line: first + offset + 1,
      isFenced: true,
      context,
      fence: text,
    }));
  });
}

function lineStarts(lines: readonly string[]): readonly number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

function joinedLines(code: string): readonly { readonly text: string; readonly offset: number }[] {
  const joined: { text: string; offset: number }[] = [];
  let isOpen = false;
  for (const [offset, line] of code.split("\n").entries()) {
    const last = joined.at(-1);
    const text = line.replace(/\\\s*$/, " ");
    if (isOpen && last) last.text += text;
    else joined.push({ text, offset });
    isOpen = text !== line;
  }
  return joined;
}

function headingAbove(lines: readonly string[], at: number): string {
  return lines.slice(0, at).findLast((line) => /^#{1,6}\s/.test(line)) ?? "";
}

/** A table row counts as a paragraph of its own. */
function paragraphAt(lines: readonly string[], at: number): string {
  if (/^\s*\|/.test(lines[at] ?? "")) return lines[at] ?? "";
  const before = lines.slice(0, at).findLastIndex(isBlank);
  const after = lines.findIndex((line, index) => index > at && isBlank(line));
  return lines.slice(before + 1, after === -1 ? undefined : after).join("\n");
}

/** Returns the last paragraph above a fence. */
function paragraphBefore(lines: readonly string[], fence: number): string {
  const at = lines.slice(0, Math.max(0, fence)).findLastIndex((line) => !isBlank(line));
  return at === -1 ? "" : paragraphAt(lines, at);
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

/** Splits a shell line into commands. */
function parseCommands(line: string): readonly Command[] {
  return line
    .replace(/^\s*[$>%#]\s+/, "")
    .split(/\|\|?|&&|;/)
    .map((part) => parseCommand(part.trim().split(/\s+/)));
}

function parseCommand(words: readonly string[]): Command {
  let rest = words;
  for (;;) {
    const [first = "", second = ""] = rest;
    const isAssignment = /^[A-Z_][A-Z\d_]*=/i.test(first);
    if (isAssignment || runners[0]?.test(first)) rest = rest.slice(1);
    else if (runners[1]?.test(`${first} ${second}`)) rest = rest.slice(2);
    // An option of the runner.
    else if (rest !== words && first.startsWith("-")) rest = rest.slice(1);
    else break;
  }
  const [first = "", ...others] = rest;
  if (first.startsWith("-")) return { words: rest };
  const name = first.replace(/^.*\/(?=[^/])|@[^@/]*$/g, "");
  return { program: name === "" ? first : name, words: others };
}
