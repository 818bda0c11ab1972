import { OctavoError, findSimilarName } from "@octavo/site/core";
import { z } from "zod";
import { clientVariables, developmentPrefixes, settings, settingsSchema } from "./settings.ts";

export interface ConfigInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values from the command line, keyed by the flag's camelCase name, e.g. `{ databaseUrl: "postgres://..." }`. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
  /** The process's working directory. */
  readonly cwd: string;
}

/** The settings from flags and environment variables. */
interface GivenSettings {
  readonly values: Readonly<Record<string, string>>;
  /** The name under which the operator set each value, e.g. `OCTAVO_PORT` or `--port`. */
  readonly spelling: Readonly<Record<string, string>>;
}

/** An effective setting of a node, which never contains a secret value. */
export interface EffectiveSetting {
  /** The variable's name, e.g. `OCTAVO_PORT`. */
  readonly name: string;
  /** The value that was set, or the default. Null if there is neither, or if the setting is secret. */
  readonly value: string | null;
  readonly isSecret: boolean;
  /** The flag or variable that set the value; null if it was not set. */
  readonly setBy: string | null;
}

/**
 * Collects the settings. An empty value is treated as not set, because compose files pass unset variables as empty
 * strings.
 */
export function collectSettings(
  env: ConfigInput["env"],
  flags: NonNullable<ConfigInput["flags"]>,
): GivenSettings {
  const values: Record<string, string> = {};
  const spelling: Record<string, string> = {};
  for (const { variable, flag } of settings) {
    const fromFlag = flag === undefined ? undefined : flags[flag];
    const value = fromFlag ?? env[variable];
    if (value === undefined || value === "") continue;
    values[variable] = value;
    spelling[variable] = fromFlag === undefined ? variable : `--${toKebabCase(flag ?? "")}`;
  }
  return { values, spelling };
}

const prefix = "OCTAVO_";

/**
 * Throws `invalid_input` for a variable that begins with `OCTAVO_` but is not a setting. Ignores variables of clients,
 * tests and benchmarks.
 */
export function refuseUnknownVariables(env: ConfigInput["env"]): void {
  const knownNames = new Set<string>(settings.map((setting) => setting.variable));
  const ignored = new Set<string>(clientVariables);
  for (const name of Object.keys(env)) {
    if (!name.startsWith(prefix) || knownNames.has(name) || ignored.has(name)) continue;
    if (developmentPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    throw new OctavoError(
      "invalid_input",
      `There is no setting ${name}. ${formatHint(name, knownNames)}`,
    );
  }
}

function formatHint(name: string, knownNames: Iterable<string>): string {
  const suffixes = Array.from(knownNames, (variable) => variable.slice(prefix.length));
  const similar = findSimilarName(name.slice(prefix.length), suffixes);
  if (similar !== undefined) return `Did you mean ${prefix}${similar}?`;
  return (
    `The prefix ${prefix} is reserved for Octavo. Remove the variable, or use a variable that the manual lists ` +
    "under Settings."
  );
}

/** Creates the error for a value that the schema rejected. The message never contains a secret value. */
export function createSettingError(
  issue: { path: PropertyKey[]; message: string } | undefined,
  given: GivenSettings,
): OctavoError {
  const variable = String(issue?.path[0] ?? "");
  const setting = settings.find((candidate) => candidate.variable === variable);
  const name = given.spelling[variable] ?? variable;
  const value = setting?.isSecret ? "" : ` is ${JSON.stringify(given.values[variable])}, which`;
  return new OctavoError("invalid_input", `${name}${value} ${issue?.message ?? "is malformed"}.`);
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Lists all settings in the order of their schema. */
export function listSettings({ values, spelling }: GivenSettings): readonly EffectiveSetting[] {
  return settings.map(({ variable, isSecret = false }) => ({
    name: variable,
    value: isSecret ? null : (values[variable] ?? findDefault(variable)),
    isSecret,
    setBy: spelling[variable] ?? null,
  }));
}

function findDefault(variable: keyof typeof settingsSchema.shape): string | null {
  const schema: unknown = settingsSchema.shape[variable];
  const hasDefault = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  const text = hasDefault ? String(schema.def.defaultValue) : "";
  return text === "" ? null : text;
}
