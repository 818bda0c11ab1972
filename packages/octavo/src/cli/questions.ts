import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { OctavoError } from "@octavo/site/core";
import type { Terminal } from "./terminal.ts";

/** Questions to the person at the terminal. Close them, so that the terminal belongs to its shell again. */
export interface Questions extends Disposable {
  /** Asks until `read` accepts the answer: an `invalid_input` error that it throws is shown, and the question repeated. */
  ask<Answer>(
    question: string,
    read: (answer: string) => Answer | Promise<Answer>,
  ): Promise<Answer>;
  /** Asks for one line that the terminal does not show, such as a key. */
  askForSecret(question: string): Promise<string>;
}

/** Reports whether a person can be asked: whether somebody types the input and sees the questions. */
export function canAsk({ isInteractive }: Terminal): boolean {
  return process.stdin.isTTY && isInteractive;
}

/** Opens questions. If Ctrl-C or Ctrl-D ends them, the open question throws `cancelled` with `message`. */
export function openQuestions(terminal: Terminal, message: string): Questions {
  let isHidden = false;
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, written) {
      if (!isHidden) terminal.draw(text);
      written();
    },
  });
  // With `terminal`, the interface itself shows what is typed, through the output above.
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  // Otherwise the open question would wait forever.
  const stop = new AbortController();
  lines.on("close", () => stop.abort());

  async function askOnce(question: string): Promise<string> {
    try {
      return (await lines.question(question, { signal: stop.signal })).trim();
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      if (!isHidden) terminal.note("");
      throw new OctavoError("cancelled", message);
    }
  }

  return {
    async ask(question, read) {
      for (;;) {
        const answer = await askOnce(question);
        try {
          return await read(answer);
        } catch (error) {
          if (!(error instanceof OctavoError && error.code === "invalid_input")) throw error;
          terminal.note(error.message);
        }
      }
    },
    async askForSecret(question) {
      terminal.draw(question);
      isHidden = true;
      try {
        return await askOnce("");
      } finally {
        isHidden = false;
        terminal.note("");
      }
    },
    [Symbol.dispose]: () => lines.close(),
  };
}
