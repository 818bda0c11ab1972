import { maxLineLength } from "./backtracking.ts";
import type { EngineString, RegexEngine } from "./oniguruma.ts";

/** A line of code. The engine's form of it is made when it is first searched. */
export class Line implements EngineString {
  readonly content: string;
  readonly isAscii: boolean;
  /** Whether V8 may match it: it is ASCII, not long, and one line. */
  readonly isPlain: boolean;
  readonly #engine: RegexEngine;
  #text: EngineString | undefined;

  constructor(engine: RegexEngine, content: string) {
    this.content = content;
    this.isAscii = /^[\0-\x7f]*$/.test(content);
    this.isPlain = this.isAscii && content.length <= maxLineLength && /^.*\n?$/.test(content);
    this.#engine = engine;
  }

  get text(): EngineString {
    return (this.#text ??= this.#engine.createString(this.content));
  }

  dispose(): void {
    this.#text?.dispose?.();
    this.#text = undefined;
  }
}
