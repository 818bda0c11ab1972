import { readFile } from "node:fs/promises";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";

/** The engine that matches the patterns of grammars. */
export type RegexEngine = Awaited<ReturnType<typeof createOnigurumaEngine>>;
type Scanner = ReturnType<RegexEngine["createScanner"]>;
export type PatternMatch = NonNullable<ReturnType<Scanner["findNextMatchSync"]>>;
/** The ranges of the whole match and of its groups. */
export type Captures = PatternMatch["captureIndices"];

/** The part of the WebAssembly API that is used here. The types of browsers declare it, but Node's types do not. */
declare const WebAssembly: {
  instantiate(binary: Uint8Array, imports: unknown): Promise<{ instance: { exports: object } }>;
};

/** Creates the Oniguruma engine, for which grammars are written. */
export async function createOniguruma(): Promise<RegexEngine> {
  const binary = await readFile(new URL(import.meta.resolve("shiki/onig.wasm")));
  // Passing the bytes themselves or the module `shiki/wasm` would make Node load its HTTP client, which takes 0.1 s.
  const instantiator = async (imports: unknown) =>
    (await WebAssembly.instantiate(binary, imports)).instance.exports;
  return createOnigurumaEngine({ instantiator });
}
