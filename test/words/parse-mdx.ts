import remarkGfm from "remark-gfm";
import remarkMdx from "remark-mdx";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { childOf, childrenOf, type CodeNode, type MarkdownNode } from "./syntax.ts";

const mdx = unified().use(remarkParse).use(remarkGfm).use(remarkMdx);

export interface ParsedText {
  readonly tree: MarkdownNode;
  /** The parsed text, as long as the given one. */
  readonly text: string;
  /** Comments that were taken out, as remark-mdx does not know them, and ids of headings. */
  readonly comments: readonly string[];
  readonly ids: readonly string[];
}

/** The tree of a text; undefined if it is no MDX, even without what most often keeps it from being so. */
export function parseMdx(text: string): ParsedText | undefined {
  return parseStrictly(text, [], []) ?? parseMended(text);
}

function parseStrictly(text: string, comments: string[], ids: string[]): ParsedText | undefined {
  try {
    return { tree: mdx.parse(text) as MarkdownNode, text, comments, ids };
  } catch {
    return undefined;
  }
}

function parseMended(text: string): ParsedText | undefined {
  const comments: string[] = [];
  const ids: string[] = [];
  const mended = outsideOfCode(text, (part) =>
    part
      .replaceAll(/<!--[\s\S]*?-->/g, (comment) => {
        comments.push(comment);
        return blank(comment);
      })
      .replaceAll(/\{(#[^{}\n]+)\}(?=[ \t]*$)/gm, (whole, id: string) => {
        ids.push(id);
        return blank(whole);
      })
      .replaceAll(/<((?:br|hr|img|input|source|col|wbr)\b[^<>]*?)\/?>/g, "<$1/>")
      .replaceAll(/<(https?:[^\s<>]+|[\w.+-]+@[\w.-]+)>/g, " $1 ")
      .replaceAll(/<(?=[\s\d=<-])/g, " "),
  );
  return parseStrictly(mended, comments, ids);
}

/** Letters of a text as spaces, so that lines stay. */
export function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}

const codeParts =
  /^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\s*\2[`~]*\s*$|(`+)(?!`)[^\n]+?(?<!`)\3(?!`)/gm;

/** `text` with what is neither in a fence nor in a span of code changed. */
export function outsideOfCode(text: string, change: (part: string) => string): string {
  let [result, at] = ["", 0];
  for (const match of text.matchAll(codeParts)) {
    result += change(text.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  return result + change(text.slice(at));
}

/** The statements of a file of JavaScript, and its text as the places in them mean it. */
export function parseScript(text: string): { statements: readonly CodeNode[]; source: string } {
  const main = /^export default ([A-Za-z]\w*);?\s*$/m.exec(text)?.[1];
  const body = text
    .replaceAll(/^import\b[\s\S]*?["'][^"'\n]+["'];?[ \t]*$/gm, blank)
    .replaceAll(/^export default \w+;?[ \t]*$/gm, blank)
    .replaceAll(/^export default (?=(?:async )?function \w)/gm, blank)
    .replaceAll(/^export default /gm, "var _main = ")
    .replaceAll(/^export (?=const|let|var|function|async|class)/gm, blank);
  const source = `{() => {\n${body}\n${main === undefined ? "" : `var _main = ${main};\n`}}}`;
  const { tree } = parseMdx(source) ?? {};
  const [statement] = tree?.children?.[0]?.data?.estree?.body ?? [];
  const block = childOf(childOf(statement, "expression"), "body");
  return { statements: childrenOf(block, "body"), source };
}

/** The imports and exports of a page. */
export function programsOf(tree: MarkdownNode): readonly CodeNode[] {
  const own = tree.type === "mdxjsEsm" ? (tree.data?.estree?.body ?? []) : [];
  return [...own, ...(tree.children ?? []).flatMap(programsOf)];
}
