import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { OctavoError } from "@octavo/site/core";
import type { Terminal } from "./terminal.ts";

/** Asks a person questions at the terminal. Must be disposed of so that the shell can use the terminal again. */
export interface Questions extends Disposable {
  /** Repeats the question until `read` accepts the answer. Shows each `invalid_input` error that `read` throws. */
  ask<Answer>(
    question: string,
    read: (answer: string) => Answer | Promise<Answer>,
  ): Promise<Answer>;
  /** Asks for one line that the terminal does not show, such as a key. */
  askForSecret(question: string): Promise<string>;
}

/** Reports whether a person can answer questions, because standard input and standard error are terminals. */
export function canAsk({ isInteractive }: Terminal): boolean {
  return process.stdin.isTTY && isInteractive;
}

/**
 * Prepares to ask questions. If the user presses Ctrl-C or Ctrl-D, the unanswered question throws `cancelled` with
 * `message`.
 */
export function openQuestions(terminal: Terminal, message: string): Questions {
  let isHidden = false;
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, onWritten) {
      if (!isHidden) terminal.draw(text);
      onWritten();
    },
  });
  // With `terminal: true`, the interface echoes what is typed, through the output above.
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  // Without this, an unanswered question would wait forever.
  const closing = new AbortController();
  lines.on("close", () => closing.abort());

  async function askOnce(question: string): Promise<string> {
    try {
      return (await lines.question(question, { signal: closing.signal })).trim();
    } catch (error) {
      if (!closing.signal.aborted) throw error;
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
