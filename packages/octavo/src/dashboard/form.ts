import type { FastifyInstance } from "fastify";
import type { z } from "zod";
import { OctavoError } from "@octavo/site/core";

/**
 * The maximum size of a form. The largest field is an instruction of 20,000 characters, each of which takes up to
 * twelve bytes in a form.
 */
const maxFormBytes = 256 * 1024;

/** Adds a parser for the bodies of HTML forms to the scope of `app`. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: maxFormBytes },
    async (_request: unknown, text: string) => toFields(new URLSearchParams(text)),
  );
}

/**
 * Converts the sent pairs to fields. A name that is sent several times, e.g. by checkboxes with the same name, becomes
 * a list.
 */
function toFields(sent: URLSearchParams): Record<string, string | readonly string[]> {
  const names = [...new Set(sent.keys())];
  return Object.fromEntries(names.map((name) => [name, oneOrAll(sent.getAll(name))]));
}

function oneOrAll(values: readonly string[]): string | readonly string[] {
  const [first = ""] = values;
  return values.length === 1 ? first : values;
}

/** Parses the fields of a form. Throws `invalid_input` with the message for the first invalid field. */
export function parseForm<Form extends z.ZodType>(form: Form, body: unknown): z.output<Form> {
  const result = form.safeParse(body ?? {});
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new OctavoError("invalid_input", issue?.message ?? "The form could not be read.");
}
