import { pino } from "pino";
import type { DestinationStream, Logger as PinoLogger } from "pino";
import { redact } from "./redact.ts";

export type Logger = PinoLogger;

export interface LoggerOptions {
  /** `silent` writes nothing. */
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  /** Default: standard error, because standard output is for the program's results. */
  readonly destination?: DestinationStream;
}

/** Fields of logged objects; `redact` covers secrets inside strings. */
const secretFields = [
  "authorization",
  "cookie",
  "secret",
  "token",
  "password",
  "credentials",
  "signingKey",
];

/** Structured logs: one JSON object per line, times in RFC 3339. Secrets are removed from every line. */
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
