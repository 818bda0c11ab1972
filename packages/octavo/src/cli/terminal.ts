import { styleText } from "node:util";
import type { Writable } from "node:stream";
import { describeSystemRefusal } from "@octavo/site/core";
import { exitCodes } from "./exit-codes.ts";

type Style = Parameters<typeof styleText>[0];

/** The output of a command. Results go to standard output, and everything else to standard error. */
export interface Terminal {
  /** Whether standard error is a terminal on which a line can be redrawn. */
  readonly isInteractive: boolean;
  /** Whether standard output is a terminal, so that a person reads it and secrets may be shown there. */
  readonly isStdoutTerminal: boolean;
  /** The number of characters in a line of standard error. */
  readonly columns: number;
  /** Writes one line to standard output. */
  print(line: string): void;
  /** Writes one line to standard error. */
  note(line: string): void;
  /** Writes text unchanged to standard error, to redraw a line. */
  draw(text: string): void;
  /** Colors text for standard output if it is a terminal and the user did not disable colors. */
  paint(style: Style, text: string): string;
}

type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

interface TerminalOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly isColorDisabled: boolean;
}

export function createTerminal({ stdout, stderr, isColorDisabled }: TerminalOptions): Terminal {
  const isColored = stdout.isTTY === true && !isColorDisabled;
  // `octavo check | head` closes the pipe early, so the remaining output has no reader.
  stdout.on("error", (error) => endWithoutOutput(error, stderr));
  stderr.on("error", ignoreClosedPipe);
  return {
    isInteractive: stderr.isTTY === true,
    isStdoutTerminal: stdout.isTTY === true,
    get columns() {
      return stderr.columns ?? 80;
    },
    print: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    draw: (text) => void stderr.write(text),
    paint: (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text),
  };
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/** Ends the program with a message if its output cannot be written, e.g. because the disk is full. */
function endWithoutOutput(error: NodeJS.ErrnoException, stderr: Output): void {
  const refusal = describeSystemRefusal(error);
  if (refusal === undefined) {
    ignoreClosedPipe(error);
    return;
  }
  stderr.write(`octavo: The output cannot be written: ${refusal}.\n`);
  process.exit(exitCodes.failed);
}
