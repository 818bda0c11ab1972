import { styleText } from "node:util";
import type { Writable } from "node:stream";

type Style = Parameters<typeof styleText>[0];

/** Where a command writes: results go to standard output, everything else to standard error. */
export interface Terminal {
  /** A person looks at standard error and sees a line being redrawn. */
  readonly isInteractive: boolean;
  /** A person looks at standard output: secrets may be shown there. */
  readonly hasReader: boolean;
  /** Characters in a line of standard error. */
  readonly columns: number;
  /** One line on standard output. */
  print(line: string): void;
  /** One line on standard error. */
  note(line: string): void;
  /** Text as it is on standard error, for redrawing. */
  draw(text: string): void;
  /** Coloured for standard output, where that is a terminal and the person does not refuse colours. */
  paint(style: Style, text: string): string;
}

type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

interface TerminalOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly refusesColor: boolean;
}

export function createTerminal({ stdout, stderr, refusesColor }: TerminalOptions): Terminal {
  const isColored = stdout.isTTY === true && !refusesColor;
  // `octavo check | head` closes the pipe early; what is left to say has no reader.
  stdout.on("error", ignoreClosedPipe);
  stderr.on("error", ignoreClosedPipe);
  return {
    isInteractive: stderr.isTTY === true,
    hasReader: stdout.isTTY === true,
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
