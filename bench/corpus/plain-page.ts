import { load } from "js-yaml";
import remarkGfm from "remark-gfm";
import remarkMdx from "remark-mdx";
import remarkParse from "remark-parse";
import remarkStringify from "remark-stringify";
import { unified } from "unified";
import { plainNodes } from "./plain-nodes.ts";
import type { PlainNode, ResolveLink } from "./plain-nodes.ts";

export interface PlainPage {
  readonly title: string;
  readonly description: string | undefined;
  /** CommonMark with tables, without frontmatter. */
  readonly markdown: string;
}

const frontmatter = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/;

/** Characters that begin an expression, a tag or a formula in some generator, and do not occur as text in the pages. */
const escaped = ["{", "<", "$"].map((character) => ({
  character,
  inConstruct: "phrasing" as const,
}));

const gfm = { tablePipeAlign: false };
const mdx = unified().use(remarkParse).use(remarkGfm).use(remarkMdx);
const markdown = unified().use(remarkParse).use(remarkGfm);
const plain = unified()
  .use(remarkGfm, gfm)
  .use(remarkStringify, { bullet: "-", fences: true, resourceLink: true, unsafe: escaped });

/** Takes a page of Markdown or MDX to the Markdown that every generator reads alike. */
export function toPlainPage(source: string, name: string, resolveLink: ResolveLink): PlainPage {
  const [whole = "", yaml = ""] = frontmatter.exec(source) ?? [];
  const fields = (yaml.trim() === "" ? {} : load(yaml)) as Readonly<Record<string, unknown>>;
  const { title, description } = fields;
  const children = plainNodes(parse(source.slice(whole.length)), resolveLink);
  return {
    title: typeof title === "string" ? title : name,
    description: typeof description === "string" ? description : undefined,
    markdown: plain.stringify({ type: "root", children } as never),
  };
}

/** Parses strict MDX. Anything else is read as Markdown without its tags. */
function parse(body: string): readonly PlainNode[] {
  const read = (parser: { parse(text: string): unknown }) =>
    (parser.parse(body) as PlainNode).children ?? [];
  try {
    return read(mdx);
  } catch {
    return read(markdown);
  }
}
