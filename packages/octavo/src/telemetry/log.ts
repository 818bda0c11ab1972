import { pino } from "pino";
import type { DestinationStream, Logger as PinoLogger } from "pino";
import { redactTokens } from "../core/index.ts";

export type Logger = PinoLogger;

interface LoggerOptions {
  /** The least severe level to write; `silent` writes nothing. */
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  /** The stream for the log. Defaults to standard error, because standard output is for the program's results. */
  readonly destination?: DestinationStream;
  /** Whether a person reads the log on a terminal. If so, lines are text instead of JSON. Defaults to false. */
  readonly isForTerminal?: boolean;
}

/** The names of secret fields in logged objects. `redact` removes secrets inside strings. */
const secretFields = [
  "authorization",
  "cookie",
  "secret",
  "token",
  "password",
  "credentials",
  "signingKey",
];

/**
 * Creates a structured log with one JSON object per line and times in RFC 3339 format, or with lines of text for a
 * terminal. Secrets are removed from every line.
 */
export function createLogger({ level, destination, isForTerminal = false }: LoggerOptions): Logger {
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
      hooks: {
        streamWrite: (line) => (isForTerminal ? formatForTerminal(redact(line)) : redact(line)),
      },
    },
    destination ?? pino.destination({ dest: 2, sync: true }),
  );
}

/**
 * Formats a JSON line for a person: the time, a level other than `info`, the message and the fields. Characters that
 * control the terminal are removed.
 */
function formatForTerminal(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Readonly<
    Record<string, unknown> & { err?: { readonly stack?: string } }
  >;
  const fieldTexts = Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`);
  const words = [
    new Date(String(time)).toTimeString().slice(0, 8),
    level !== "info" && `${String(level)}:`,
    msg,
    ...fieldTexts,
  ];
  const stack = err?.stack === undefined ? "" : `\n${err.stack}`;
  const text = words.filter((word) => word !== false && word !== undefined).join(" ");
  return `${`${text}${stack}`.replaceAll(/[^\P{Cc}\n]/gu, " ")}\n`;
}

function formatValue(value: unknown): string {
  return typeof value === "string" && /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value);
}

/**
 * Removes secrets from text before it is logged: API keys, webhook secrets, bearer and basic credentials, user names
 * and passwords in URLs, code host tokens, model provider keys, signed URLs and private keys. This is only the last
 * line of defense. Code must never knowingly log a secret.
 */
export function redact(text: string): string {
  return redactTokens(text)
    .replace(/octavo_[0-9a-zA-Z]{8,}/g, "octavo_[redacted]")
    .replace(/whsec_[\w+/=]{8,}/g, "whsec_[redacted]")
    .replace(/\b(Bearer|Basic|token)(\s+)[\w.~+/=-]{8,}/gi, "$1$2[redacted]")
    .replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"'\\]{1,512}@/gi, "$1[redacted]@")
    .replace(/(\/previews?\/)[\w.-]{8,}/g, "$1[redacted]")
    .replace(/([?&](?:signature|X-Amz-[A-Za-z]{1,30})=)[^&\s"'\\]{1,2048}/g, "$1[redacted]");
}
