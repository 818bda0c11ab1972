import type { EvaluationContext } from "./evaluation-context.ts";
import { exportedValue, fillModuleScope } from "./module-scope.ts";
import { reactValue } from "./react.ts";
import type { SourceFile } from "../source-file.ts";
import { LexicalScope, UnavailableValue, type Value } from "./value.ts";

/** The names that the files of one page import and declare; each file is evaluated once. */
export class ModuleScopes {
  readonly #files: ReadonlyMap<string, SourceFile | undefined>;
  readonly #tools: Pick<EvaluationContext, "budget" | "renderElement">;
  readonly #scopes = new Map<string, LexicalScope>();

  constructor(
    files: ReadonlyMap<string, SourceFile | undefined>,
    tools: Pick<EvaluationContext, "budget" | "renderElement">,
  ) {
    this.#files = files;
    this.#tools = tools;
  }

  of(file: SourceFile): LexicalScope {
    const cached = this.#scopes.get(file.path);
    if (cached) return cached;
    const scope = new LexicalScope();
    this.#scopes.set(file.path, scope);
    const place = { file: file.path, line: 1, column: 1 };
    const context = { scope, file, place, isFlow: false, ...this.#tools };
    fillModuleScope(file, this.#resolveImport, context);
    return scope;
  }

  #resolveImport = (name: string, candidates: readonly string[], specifier: string): Value => {
    const path = candidates.find((candidate) => this.#files.has(candidate));
    const file = path === undefined ? undefined : this.#files.get(path);
    if (!file && path !== undefined) return new UnavailableValue(`${path} could not be parsed.`);
    if (!file) {
      const native = specifier === "react" ? reactValue(name) : undefined;
      if (native !== undefined) return native;
      const what = candidates.length === 0 ? "The package" : "The file";
      return new UnavailableValue(`${what} ${JSON.stringify(specifier)} is not part of the site.`);
    }
    const isPage = name === "default" && /\.mdx?$/.test(file.path);
    const scope = isPage ? new LexicalScope() : this.of(file);
    if (name !== "*") return exportedValue(name, file, scope);
    return new UnavailableValue(`Import the names of ${JSON.stringify(specifier)} one by one.`);
  };
}
