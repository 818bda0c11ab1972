import { parse } from "acorn";
import { parseModule } from "./script.ts";
import type { SourceFile } from "../source-file.ts";

export interface ScriptInput {
  readonly file: SourceFile;
  /** Expressions that the file's pages need of it. */
  readonly expressions: readonly string[];
  readonly isKnownComponent: (name: string) => boolean;
}

/** The text of a function of `require`, `exports`, `React` and `components`, or why there is none. */
export type CompileScript = (
  input: ScriptInput,
) => { readonly text: string } | { readonly reason: string };

/** Loads the compiler, which few sites need. */
export async function createScriptCompiler(): Promise<CompileScript> {
  const { transform } = await import("./sucrase.bundled.ts");
  return ({ file, expressions, isKnownComponent }) => {
    const uses = expressions.map((expression) => `() => (${expression})`).join(", ");
    const source = `${file.script}\nexport const $uses = [${uses}];\n`;
    try {
      const { code } = transform(source, {
        transforms: ["jsx", "imports"],
        production: true,
        disableESTransforms: true,
      });
      const builtIns = [...elementNames(source)].filter(isKnownComponent);
      const text = toFunction(code, new Set(builtIns.map((name) => name.split(".")[0] ?? "")));
      parse(`(${text})`, { ecmaVersion: "latest", sourceType: "script" });
      return { text };
    } catch (error) {
      // The compiler throws its own errors for syntax, and the engine's for what is nested too deeply.
      return { reason: error instanceof Error ? `${error.message}.` : "it is not JavaScript." };
    }
  };
}

/** Hooks are there without an import, as in the format; what the file declares itself hides them. */
const hooks =
  "useState,useEffect,useRef,useCallback,useMemo,useContext,useReducer,useLayoutEffect,useId,createContext,Fragment,memo,forwardRef";

function toFunction(code: string, builtIns: ReadonlySet<string>): string {
  const components = builtIns.size === 0 ? "" : `const{${[...builtIns].join(",")}}=components;`;
  return `function(require,exports,React,components){const{${hooks}}=React;${components}(function(){${code}\n})()}`;
}

/** Names of components in the JSX of a script. */
function elementNames(source: string): ReadonlySet<string> {
  const names = new Set<string>();
  const stack: unknown[] = [parseModule(source)];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (typeof part !== "object" || part === null) continue;
    const { type, name } = part as { readonly type?: unknown; readonly name?: unknown };
    if (type === "JsxElement" && typeof name === "string" && /^[A-Z]/.test(name)) names.add(name);
    for (const value of Object.values(part))
      if (typeof value === "object" && value) stack.push(value);
  }
  return names;
}
