import { showAttributeText } from "./attribute-text.ts";
import { load } from "js-yaml";
import { addDefinitions } from "./definitions.ts";
import { blank, parseMdx, parseScript, programsOf } from "./parse-mdx.ts";
import { collectWords, type Pieces, type SourceWords } from "./pieces.ts";
import { createCodeReader } from "./read-code.ts";
import { createElementReader } from "./read-element.ts";
import { createMarkdownReader } from "./read-markdown.ts";
import { readRoughly } from "./read-roughly.ts";
import type { Definition, Reading, Scope } from "./scope.ts";

export interface SourceInput {
  /** The file's path from the site's root. */
  readonly path: string;
  readonly text: string;
  readonly mode: string | undefined;
  /** The text of another file of the site. */
  readonly readFile: (path: string) => string | undefined;
}

export interface SourceReading extends SourceWords {
  /** The page, or a file that it imports, is no MDX and was read without a parser. */
  readonly isRough: boolean;
}

/** Reads what a page says from its source, by remark and what it imports. */
export function readSource({ path, text, mode, readFile }: SourceInput): SourceReading {
  let isRough = false;
  const words = collectWords((pieces) => {
    const reading = { pieces, readFile, hasSide: mode === undefined };
    const readText = createTextReader(reading, () => {
      isRough = true;
    });
    readHeader(text, mode !== "custom" && mode !== "frame", pieces);
    readText({ path, source: withoutFrontmatter(text), names: new Map(), depth: 0 });
  });
  return { ...words, isRough };
}

const frontmatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?=\r?\n|$)/;

function withoutFrontmatter(text: string): string {
  return text.replace(frontmatter, blank);
}

const headerFields = ["title", "description", "tag"];

function readHeader(text: string, hasHeader: boolean, pieces: Pieces): void {
  const yaml = frontmatter.exec(text)?.[1];
  if (yaml === undefined) return;
  const values = readFields(yaml);
  for (const [name, value] of Object.entries(values)) {
    pieces.explain(name, "setting");
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (!headerFields.includes(name)) pieces.explain(text, "setting");
    else if (hasHeader && value !== null) {
      const shown = name === "description" ? withoutElements(text, pieces) : text;
      showAttributeText(pieces, shown, { what: `frontmatter ${name}`, line: 1 });
    } else pieces.explain(text, "header");
    pieces.breakWord();
  }
}

/** The content of elements that end in a description; their tags are no words. */
function withoutElements(text: string, pieces: Pieces): string {
  return text.replaceAll(/<([a-z]\w*)(\s[^<>]*)?>([^<]*)<\/\1>/gi, (_, name: string, attributes = "", content: string) => {
    pieces.explain(`${name} ${attributes} ${name}`, "tag");
    return content;
  }); // prettier-ignore
}

/** Fields on lines of their own where the whole is no YAML. */
function readFields(yaml: string): Readonly<Record<string, unknown>> {
  try {
    return (load(yaml) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return Object.fromEntries(
      yaml.matchAll(/^([\w:-]+):(.*)$/gm).map(([, name, text]) => [name, text]),
    );
  }
}

/** A function that reads the text of a page or of a snippet. */
function createTextReader(reading: Reading, tellRough: () => void): (scope: Scope) => void {
  const { pieces } = reading;
  const readElement = createElementReader(reading, {
    readSnippet: ({ path, text }, scope) => {
      pieces.explain(frontmatter.exec(text)?.[1] ?? "", "setting");
      readText({ ...scope, path, source: withoutFrontmatter(text) });
    },
    readComponent: (definition, given) => code.readComponent(definition, given),
  });
  const code = createCodeReader(reading, readElement);
  const readMarkdown = createMarkdownReader(reading, { readElement, readCode: code.read });
  const definitions = { readValue: code.read, namesOfScript, namesOfPage };

  function readText(scope: Scope): void {
    const parsed = parseMdx(scope.source);
    if (parsed === undefined) {
      tellRough();
      readRoughly(scope.source, reading, (file) => {
        const text = reading.readFile(file);
        if (text === undefined || scope.depth > 3) return;
        readText({
          ...scope,
          source: withoutFrontmatter(text),
          path: file,
          depth: scope.depth + 1,
        });
      });
      return;
    }
    for (const comment of parsed.comments) pieces.explain(comment, "comment");
    for (const id of parsed.ids) pieces.explain(id, "anchor");
    const own: Scope = { ...scope, source: parsed.text };
    addDefinitions(programsOf(parsed.tree), own, reading, definitions);
    readMarkdown(parsed.tree, own);
  }

  function namesOfScript(path: string, text: string, depth: number): Map<string, Definition> {
    const { statements, source } = parseScript(text);
    const scope: Scope = { path, source, names: new Map(), depth };
    const imports = parseMdx((text.match(/^import .*$/gm) ?? []).join("\n"));
    if (imports !== undefined) {
      addDefinitions(programsOf(imports.tree), scope, reading, definitions);
    }
    addDefinitions(statements, scope, reading, definitions);
    const main = scope.names.get("_main") ?? [...scope.names.values()].at(0);
    if (main !== undefined) scope.names.set("default", main);
    return scope.names;
  }

  function namesOfPage(path: string, text: string, depth: number): Map<string, Definition> {
    const parsed = parseMdx(withoutFrontmatter(text));
    const scope: Scope = { path, source: parsed?.text ?? "", names: new Map(), depth };
    const programs = parsed === undefined ? [] : programsOf(parsed.tree);
    addDefinitions(programs, scope, reading, definitions);
    return scope.names;
  }

  return readText;
}
