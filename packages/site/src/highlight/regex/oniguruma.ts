import { readFile } from "node:fs/promises";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";

/** The engine that matches the patterns of grammars. */
export type RegexEngine = Awaited<ReturnType<typeof createOnigurumaEngine>>;
export type Scanner = ReturnType<RegexEngine["createScanner"]>;
export type EngineString = ReturnType<RegexEngine["createString"]>;
export type PatternMatch = NonNullable<ReturnType<Scanner["findNextMatchSync"]>>;
/** The ranges of a match: the whole, and its groups. */
export type Captures = PatternMatch["captureIndices"];

/** The part of the API that is used. Only the browser's types declare it, not Node's. */
declare const WebAssembly: {
  instantiate(binary: Uint8Array, imports: unknown): Promise<{ instance: { exports: object } }>;
};

/** The library's engine, for which grammars are written. */
export async function createOniguruma(): Promise<RegexEngine> {
  const binary = await readFile(new URL(import.meta.resolve("shiki/onig.wasm")));
  // Passing bytes, or the module beside the file, makes Node load its HTTP client, which takes 0.1 s.
  const instantiator = async (imports: unknown) =>
    (await WebAssembly.instantiate(binary, imports)).instance.exports;
  return createOnigurumaEngine({ instantiator });
}
