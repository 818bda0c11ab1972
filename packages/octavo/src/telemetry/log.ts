import { pino } from "pino";
import type { DestinationStream, Logger as PinoLogger } from "pino";
import { redact } from "./redact.ts";

export type Logger = PinoLogger;

export interface LoggerOptions {
  /** `silent` writes nothing. */
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  /** Standard error when absent: standard output belongs to what a person asked for. */
  readonly destination?: DestinationStream;
}

/** Paths of objects that people log whole; `redact` covers what stands inside of strings. */
const secretFields = ["authorization", "cookie", "secret", "token", "password", "credentials"];

/** Structured logs, one JSON object a line, times in RFC 3339. No line leaves with a secret in it. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: "[redacted]",
      },
      hooks: { streamWrite: redact },
    },
    destination ?? pino.destination({ dest: 2, sync: true }),
  );
}
