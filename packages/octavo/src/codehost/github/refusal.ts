import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { NewPullRequest } from "../code-host.ts";

/** What GitHub says with a 422; most of it is not documented, and only these parts are relied on. */
const refusalReply = z.object({
  status: z.literal(422),
  response: z.object({
    data: z.object({
      message: z.string().default(""),
      errors: z
        .array(
          z.union([
            z.string().transform((message) => ({ message, field: undefined })),
            z.object({ message: z.string().default(""), field: z.string().optional() }),
          ]),
        )
        .default([]),
    }),
  }),
});

/** Why GitHub refuses to make a pull request, where it is something that a person can act on. */
export function readRefusal(error: unknown, wanted: NewPullRequest): OctavoError | undefined {
  const reply = refusalReply.safeParse(error);
  if (!reply.success) return undefined;
  const { message, errors } = reply.data.response.data;
  const words = [message, ...errors.map((one) => one.message)].join(" ");
  const { head, base } = wanted;
  if (/already exists/i.test(words)) {
    return new OctavoError(
      "conflict",
      `There is a pull request for ${head} already, which is not to be seen.`,
    );
  }
  if (/no commits between|no history in common/i.test(words)) {
    return new OctavoError(
      "conflict",
      `There is nothing to propose: ${head} has no commits that ${base} has not.`,
    );
  }
  if (/draft/i.test(words)) {
    return new OctavoError("invalid_input", "This repository takes no draft pull requests.");
  }
  const field = errors.find((one) => one.field === "head" || one.field === "base")?.field;
  if (field === undefined) return undefined;
  const missing = field === "head" ? head : base;
  return new OctavoError(
    "ref_not_found",
    `The repository has no branch ${JSON.stringify(missing)}.`,
  );
}
