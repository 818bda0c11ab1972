import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { listAliasSlugs, findCodeSpans, isInCode } from "@octavo/site/text";
import { createRecipesModel } from "./recipes-model.ts";

export type Files = Readonly<Record<string, string>>;
type Input = Record<string, unknown>;
type Output = Record<string, unknown>;

/**
 * A site in memory with the agent tools that recipes use. Its answers have the same limits as the answers of the real
 * tools.
 */
export interface TestSite {
  readonly files: Map<string, string>;
  call(tool: string, input: Input): Output;
}

export function openTestSite(
  files: Files,
  { searchLimit = 500, readLength = 48_000, folder = "", maxChangedFiles = 500 } = {},
): TestSite {
  const site = new Map(Object.entries(files));
  const tools: Readonly<Record<string, (input: Input) => Output>> = {
    list: (input) => listFiles(site, input, { folder, maxChangedFiles }),
    search: (input) => searchFiles(site, input, searchLimit),
    read: (input) => readFile(site, input, readLength),
    edit: (input) => editFile(site, input),
    write: (input) => writeFile(site, input),
    move: (input) => moveFile(site, input),
    delete: (input) => deleteFile(site, input),
    check: (input) => checkSite(site, input),
  };
  return {
    files: site,
    call(tool, input) {
      try {
        return tools[tool]?.(input) ?? { error: `There is no tool ${tool}.` };
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** Carries out an instruction. Returns the summary and every message. */
export async function work(
  site: TestSite,
  instruction: string,
): Promise<{ readonly summary: string; readonly messages: LanguageModelV4Prompt }> {
  const model = createRecipesModel();
  const messages: LanguageModelV4Message[] = [
    { role: "system", content: "Acme's documentation. Rename every page." },
    { role: "user", content: [{ type: "text", text: "An earlier turn: fix typos" }] },
    { role: "assistant", content: [{ type: "text", text: "Nothing to do." }] },
    { role: "user", content: [{ type: "text", text: instruction }] },
  ];
  for (let step = 0; step < 100; step++) {
    const { content } = await model.doGenerate({ prompt: messages });
    const calls = content.filter((part) => part.type === "tool-call");
    const [text] = content;
    if (calls.length === 0) return { summary: text?.type === "text" ? text.text : "", messages };
    const asked = calls.map((part) => ({ ...part, input: JSON.parse(part.input) as Input }));
    messages.push({ role: "assistant", content: asked });
    const results = asked.map(({ toolCallId, toolName, input }) => {
      const value = JSON.parse(JSON.stringify(site.call(toolName, input))) as never;
      return {
        type: "tool-result" as const,
        toolCallId,
        toolName,
        output: { type: "json" as const, value },
      };
    });
    messages.push({ role: "tool", content: results });
  }
  throw new Error("It does not come to an end.");
}

function getFileText(site: ReadonlyMap<string, string>, path: unknown): string {
  const text = site.get(String(path));
  if (text === undefined) throw new Error(`There is no file ${String(path)}.`);
  return text;
}

function matching(site: ReadonlyMap<string, string>, pattern: unknown): string[] {
  const source = typeof pattern === "string" ? pattern : "**";
  const form = source
    .replaceAll(/[.+]/g, "\\$&")
    .replaceAll(/\*\*\/?|\*/g, (stars) => (stars === "*" ? "[^/]*" : ".*"));
  return [...site.keys()].filter((path) => new RegExp(`^${form}$`).test(path)).toSorted();
}

function listFiles(
  site: Map<string, string>,
  { pattern, limit = 500, skip = 0 }: Input,
  facts: Output,
): Output {
  const files = matching(site, pattern);
  return {
    files: files.slice(Number(skip), Number(skip) + Number(limit)),
    total: files.length,
    ...facts,
  };
}

function searchFiles(site: Map<string, string>, input: Input, max: number): Output {
  const { query, isRegex = false, ignoreCase = false, pattern, limit = 100 } = input;
  const plain = String(query).replaceAll(/[^\w\s]/g, "\\$&");
  const wanted = new RegExp(
    isRegex === true ? String(query) : plain,
    ignoreCase === true ? "iu" : "u",
  );
  const matches = matching(site, pattern).flatMap((file) =>
    getFileText(site, file)
      .split("\n")
      .flatMap((text, index) => {
        const column = text.search(wanted) + 1;
        return column === 0 ? [] : [{ file, line: index + 1, column, text: text.slice(0, 300) }];
      }),
  );
  return { matches: matches.slice(0, Math.min(Number(limit), max)), total: matches.length };
}

function readFile(site: Map<string, string>, input: Input, max: number): Output {
  const { path, fromLine = 1, lines = 1_000 } = input;
  const all = getFileText(site, path).split(/(?<=\n)/);
  let text = "";
  for (const line of all.slice(Number(fromLine) - 1, Number(fromLine) - 1 + Number(lines))) {
    if (text.length + line.length > max) break;
    text += line;
  }
  return { path, text, fromLine, totalLines: all.length };
}

function editFile(site: Map<string, string>, { path, replacements }: Input): Output {
  let text = getFileText(site, path);
  for (const { old, new: wanted } of replacements as { old: string; new: string }[]) {
    const count = text.split(old).length - 1;
    if (count !== 1)
      throw new Error(`${String(path)} holds ${JSON.stringify(old)} ${count} times.`);
    text = text.replace(old, () => wanted);
  }
  site.set(String(path), text);
  return { path, changed: 1 };
}

function writeFile(site: Map<string, string>, { path, content }: Input): Output {
  const created = !site.has(String(path));
  site.set(String(path), String(content));
  return { path, created };
}

function moveFile(site: Map<string, string>, { from, to }: Input): Output {
  const text = getFileText(site, from);
  if (site.has(String(to))) throw new Error(`There is already a file ${String(to)}.`);
  site.delete(String(from));
  site.set(String(to), text);
  return { from, to, changedFiles: [String(to), "docs.json"], linksLeft: [] };
}

function deleteFile(site: Map<string, string>, { path, redirectTo }: Input): Output {
  getFileText(site, path);
  site.delete(String(path));
  const linksLeft = listLinks(site).filter(({ target }) => isPageLink(target, String(path)));
  return {
    path,
    changedFiles: [path, "docs.json"],
    ...(redirectTo === undefined ? { linksLeft } : {}),
  };
}

interface Link {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly target: string;
}

function listLinks(site: ReadonlyMap<string, string>): Link[] {
  return [...site].flatMap(([file, text]) =>
    /\.mdx?$/.test(file)
      ? text.split("\n").flatMap((line, index) => {
          const code = findCodeSpans(line);
          return [...line.matchAll(/\[[^\]]*\]\(([^)\s]+)[^)]*\)|<[A-Z]\w* [^>]*?href="([^"]*)"/g)]
            .filter((match) => !isInCode(code, match.index))
            .map((match) => ({
              file,
              line: index + 1,
              column: match.index + 1,
              target: match[1] ?? match[2] ?? "",
            }));
        })
      : [],
  );
}

function resolvePath(target: string, file: string): string {
  const base = target.startsWith("/") ? "x:/" : `x:/${file}`;
  return decodeURIComponent(new URL(target, base).pathname).replaceAll(/^\/|\/$|\.mdx?$/g, "");
}

function isPageLink(target: string, path: string): boolean {
  return resolvePath(target, "") === path.replace(/\.mdx?$/, "");
}

/** Checks only links and anchors, with the messages of the real check. */
function checkSite(site: ReadonlyMap<string, string>, { codes, skip = 0 }: Input): Output {
  const all = listLinks(site).flatMap(({ target, ...place }) =>
    findLinkProblem(site, target, place),
  );
  const meant = all.filter(({ code }) => (codes as string[]).includes(code));
  const errors = meant.filter(({ severity }) => severity === "error");
  const warnings = meant.filter(({ severity }) => severity === "warning");
  const problems = [...errors, ...warnings].slice(Number(skip), Number(skip) + 200);
  return { counts: {}, problems, total: meant.length };
}

function findLinkProblem(
  site: ReadonlyMap<string, string>,
  target: string,
  place: Omit<Link, "target">,
) {
  if (/^[a-z]+:/i.test(target)) return [];
  const [path = "", anchor] = target.split("#");
  const page = path === "" ? place.file.replace(/\.mdx?$/, "") : resolvePath(path, place.file);
  const found = [page, `${page}/index`].find((one) => site.has(`${one}.mdx`));
  const text = site.get(`${found}.mdx`);
  const link = `The link ${JSON.stringify(target)}`;
  if (text === undefined) {
    const message = `${link} does not lead to a page or file of this site.`;
    return [{ severity: "error", code: "link_broken", message, ...place }];
  }
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].flatMap(([, title = ""]) => [
    title.toLowerCase().replaceAll(" ", "-"),
    ...listAliasSlugs(title, 1),
  ]);
  const fields = [...text.matchAll(/<ParamField body='(\w+)'/g)].map(
    ([, name = ""]) => `param-${name.replaceAll(/[A-Z]/g, "-$&").toLowerCase()}`,
  );
  const ids = [...headings, ...fields];
  if (anchor === undefined || ids.includes(anchor)) return [];
  const where = path === "" ? "this page" : `the page /${found}`;
  const message = `${link} points to an anchor that ${where} does not have.`;
  return [{ severity: "warning", code: "anchor_broken", message, ...place }];
}
