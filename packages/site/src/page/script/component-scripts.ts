import { parse } from "acorn";
import { limits, sha256 } from "../../core/index.ts";
import type { ProblemList } from "../problem-list.ts";
import {
  findIncludedFile,
  UnreadFile,
  type IncludedFiles,
  type SourceFile,
} from "../source-file.ts";
import type { LiveFile } from "./live-components.ts";
import { parseModule, listElements } from "./script.ts";
import type { JsxElement } from "./script.ts";

/** A script that defines components for the reader's browser. */
export interface ComponentScript {
  /** A name derived from the content, so that pages with the same components load the same file. */
  readonly name: string;
  readonly text: string;
}

interface ScriptOptions {
  readonly files: IncludedFiles;
  readonly problems: ProblemList;
  readonly isKnownComponent: (name: string) => boolean;
}

/**
 * Compiles, without running them, the files whose components run in the browser and the files that they import. Reports
 * each file that cannot be compiled; its components keep their initial content.
 */
export async function compileComponents(
  liveFiles: readonly LiveFile[],
  options: ScriptOptions,
): Promise<readonly ComponentScript[]> {
  if (liveFiles.length === 0) return [];
  const compile = await createScriptCompiler();
  const scripts: ComponentScript[] = [];
  for (const live of addImports(liveFiles, options.files)) {
    const text = compileFile(live, compile, options);
    if (text !== undefined) scripts.push({ name: sha256(text).slice(0, 16), text });
  }
  return scripts;
}

/** Returns the files and the files that they import, directly or indirectly. Omits files without scripts. */
function addImports(
  liveFiles: readonly LiveFile[],
  files: ScriptOptions["files"],
): readonly LiveFile[] {
  const collected = new Map(liveFiles.map((live) => [live.file, live]));
  // The loop also visits files that are added while it runs.
  for (const { file } of collected.values()) {
    for (const { candidates } of file.imports) {
      const imported = findFile(candidates, files);
      if (imported && !collected.has(imported))
        collected.set(imported, { file: imported, expressions: [] });
    }
  }
  return [...collected.values()].filter(({ file }) => file.script !== "");
}

function findFile(
  candidates: readonly string[],
  files: ScriptOptions["files"],
): SourceFile | undefined {
  const file = findIncludedFile(candidates, files);
  return file instanceof UnreadFile ? undefined : file;
}

function compileFile(
  { file, expressions }: LiveFile,
  compile: CompileScript,
  { files, problems, isKnownComponent }: ScriptOptions,
): string | undefined {
  const position = { file: file.path, line: 1, column: 1 };
  const imports = new Map<string, string>();
  for (const { specifier, candidates } of file.imports) {
    const imported = findFile(candidates, files);
    if (imported) imports.set(specifier, imported.path);
    else if (candidates.length === 0 && !isProvided(specifier)) {
      const message = `The package ${JSON.stringify(specifier)} is not part of the site, so components that use it keep their initial content.`;
      problems.warn("component_not_compiled", message, position);
    }
  }
  const compiled = compile({ file, expressions, isKnownComponent });
  if ("reason" in compiled || compiled.text.length > limits.componentScriptBytes) {
    const reason = "reason" in compiled ? compiled.reason : "it is too large.";
    const message = `The components of this file keep their initial content: ${reason}`;
    problems.warn("component_not_compiled", message, position);
    return undefined;
  }
  const firstArguments = [file.path, Object.fromEntries(imports)].map((value) =>
    JSON.stringify(value),
  );
  return `octavoComponents(${firstArguments.join(",")},${compiled.text});\n`;
}

/** Reports whether the script in the reader's browser provides a module to components. */
function isProvided(specifier: string): boolean {
  return /^(?:react|react-dom|next\/(?:link|image|script))$/.test(specifier);
}

interface ScriptInput {
  readonly file: SourceFile;
  /** The expressions of the file that pages need. */
  readonly expressions: readonly string[];
  readonly isKnownComponent: (name: string) => boolean;
}

/** Compiles a script to a function of `require`, `exports`, `React` and `components`, or returns a failure reason. */
type CompileScript = (
  input: ScriptInput,
) => { readonly text: string } | { readonly reason: string };

/** Creates a compiler. The library is loaded on demand, because few sites need it. */
async function createScriptCompiler(): Promise<CompileScript> {
  const { transform } = await import("./sucrase.bundled.ts");
  return ({ file, expressions, isKnownComponent }) => {
    const uses = expressions.map((expression) => `() => (${expression})`).join(", ");
    const source = `${file.script}\nexport const $uses = [${uses}];\n`;
    const elements = listElements(parseModule(source) ?? {});
    const isShell = createShellTest(file, isKnownComponent);
    try {
      const { code } = transform(numberElements(source, { elements, file, isShell }), {
        transforms: ["jsx", "imports"],
        production: true,
        disableESTransforms: true,
      });
      const builtIns = elements.map(({ name }) => name).filter(isKnownComponent);
      const text = toFunction(code, new Set(builtIns.map((name) => name.split(".")[0] ?? "")));
      parse(`(${text})`, { ecmaVersion: "latest", sourceType: "script" });
      return { text };
    } catch (error) {
      // The compiler throws its own errors for invalid syntax, and fails with engine errors if nesting is too deep.
      return { reason: error instanceof Error ? `${error.message}.` : "it is not JavaScript." };
    }
  };
}

/** The React names that need no import, as the format specifies. The file's own declarations shadow them. */
const reactNames =
  "useState,useEffect,useRef,useCallback,useMemo,useContext,useReducer,useLayoutEffect,useId,createContext,Fragment,memo,forwardRef";

function toFunction(code: string, builtIns: ReadonlySet<string>): string {
  const components = builtIns.size === 0 ? "" : `const{${[...builtIns].join(",")}}=components;`;
  return `function(require,exports,React,components){const{${reactNames}}=React;${components}(function(){${code}\n})()}`;
}

interface NumberingOptions {
  readonly elements: readonly JsxElement[];
  readonly file: SourceFile;
  readonly isShell: (name: string) => boolean;
}

/** Adds an attribute with the number from `findElementNumber` to elements whose initial content is in the page. */
function numberElements(source: string, { elements, file, isShell }: NumberingOptions): string {
  const parts: string[] = [];
  let end = 0;
  for (const [number, { start, name }] of elements.entries()) {
    if (start >= file.script.length || !isShell(name)) continue;
    const at = source.indexOf(name, start) + name.length;
    parts.push(source.slice(end, at), ` data-at={${number}}`);
    end = at;
  }
  return parts.join("") + source.slice(end);
}

/** Returns a test for the names of elements that show page content: built-in components and Markdown files. */
function createShellTest(
  { imports }: SourceFile,
  isKnownComponent: (name: string) => boolean,
): (name: string) => boolean {
  const pages = imports.filter(
    ({ imported, candidates }) =>
      imported === "default" && candidates.some((path) => /\.mdx?$/.test(path)),
  );
  const names = new Set(pages.map(({ local }) => local));
  return (name) => /^[A-Z]/.test(name) && (names.has(name) || isKnownComponent(name));
}
