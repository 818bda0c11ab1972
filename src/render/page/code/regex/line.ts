import type { EngineString, RegexEngine } from "./oniguruma.ts";

/** V8 tries what it must without an end, and ways to match can grow with a power of the line's length. */
const longestPlain = 300;

/** A line of code as the engine takes it, made when it is first searched. */
export class Line implements EngineString {
  readonly content: string;
  readonly isAscii: boolean;
  /** Whether it may be matched by V8's expressions. */
  readonly isPlain: boolean;
  readonly #engine: RegexEngine;
  #text: EngineString | undefined;

  constructor(engine: RegexEngine, content: string) {
    this.content = content;
    this.isAscii = /^[\0-\x7f]*$/.test(content);
    this.isPlain = this.isAscii && content.length <= longestPlain;
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
