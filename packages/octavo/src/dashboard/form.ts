import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { HttpServerFunctions } from "./page-tools.ts";

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
function toFields(parameters: URLSearchParams): Record<string, string | readonly string[]> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(names.map((name) => [name, unwrapSingle(parameters.getAll(name))]));
}

function unwrapSingle(values: readonly string[]): string | readonly string[] {
  const [first = ""] = values;
  return values.length === 1 ? first : values;
}

/**
 * Parses the fields of a form. Throws `invalid_input` with the message for the first invalid field. `details.field`
 * contains the field's name, unless the field is a choice, because forms show no reason next to a choice.
 */
export function parseForm<Form extends z.ZodType>(form: Form, body: unknown): z.output<Form> {
  const result = form.safeParse(body ?? {});
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new OctavoError("invalid_input", issue?.message ?? "The form could not be read.", {
    details: { field: issue?.code === "invalid_value" ? undefined : issue?.path[0] },
  });
}

/** A form that was sent but not accepted. */
export interface RefusedForm {
  /** The name of the field next to which the reason is shown. */
  readonly field: string;
  readonly sentence: string;
  /** Whether the sentence lacks its subject, e.g. ` must not be empty`, so that the field's label precedes it. */
  readonly isMissingSubject: boolean;
  /** The sent fields, which the form shows again. A name that was sent several times has a list. */
  readonly sentFields: Readonly<Record<string, unknown>>;
}

interface FormAttempt {
  readonly request: FastifyRequest;
  /** The reply, which gets the refusal's status. */
  readonly reply: FastifyReply;
  /** The field next to which a reason is shown if the reason names no field of the form. */
  readonly field: string;
}

/**
 * Runs the action of a form. Returns the reason if the input was not accepted (`invalid_input` or `conflict`), to be
 * shown next to its field. Other errors are thrown and shown on a separate page.
 */
export async function tryForm<Result>(
  { toErrorResponse }: Pick<HttpServerFunctions, "toErrorResponse">,
  { request, reply, field }: FormAttempt,
  run: () => Promise<Result>,
): Promise<
  | { readonly result: Result; readonly refused?: undefined }
  | { readonly result?: undefined; readonly refused: RefusedForm }
> {
  try {
    return { result: await run() };
  } catch (error) {
    if (!isOctavoError(error, "invalid_input") && !isOctavoError(error, "conflict")) throw error;
    reply.code(toErrorResponse(error).status);
    return { refused: toRefusedForm(error, field, request.body) };
  }
}

function toRefusedForm(
  { message, details }: OctavoError,
  otherField: string,
  body: unknown,
): RefusedForm {
  const sentFields = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof details["field"] === "string") {
    const { field, formMessage = message } = details;
    return { field, sentence: String(formMessage), isMissingSubject: false, sentFields };
  }
  const [start = "", name = ""] = /^(?:pullRequests\.)?([\w.]+)(?=[: ])/.exec(message) ?? [];
  const field = name.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(sentFields, field)
    ? { field, sentence: message.slice(start.length), isMissingSubject: true, sentFields }
    : { field: otherField, sentence: message, isMissingSubject: false, sentFields };
}
