import { z } from "zod";
import type { GivenSettings } from "./given-settings.ts";
import { settings, settingsSchema } from "./settings.ts";

/** A setting as a node uses it. Contains nothing of a secret one. */
export interface SettingInForce {
  /** The variable: `OCTAVO_PORT`. */
  readonly name: string;
  /** As it was given, or the default; null for one that is not set, and for a secret one. */
  readonly value: string | null;
  readonly isSecret: boolean;
  /** The flag or the variable that it was given by; null if nobody gave it. */
  readonly givenBy: string | null;
}

/** Every setting, in the order of the manual. */
export function listSettings({ values, spelling }: GivenSettings): readonly SettingInForce[] {
  return settings.map(({ variable, isSecret = false }) => ({
    name: variable,
    value: isSecret ? null : (values[variable] ?? defaultOf(variable)),
    isSecret,
    givenBy: spelling[variable] ?? null,
  }));
}

function defaultOf(variable: keyof typeof settingsSchema.shape): string | null {
  const schema: unknown = settingsSchema.shape[variable];
  const hasDefault = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  const text = hasDefault ? String(schema.def.defaultValue) : "";
  return text === "" ? null : text;
}
