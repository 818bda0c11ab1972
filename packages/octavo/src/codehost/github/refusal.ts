import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { NewPullRequest } from "../code-host.ts";

/** The body of GitHub's 422 responses; most of it is undocumented, and only these fields are used. */
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

/** The reason why GitHub refuses to create a pull request, if a person can act on it. */
export function readRefusal(error: unknown, wanted: NewPullRequest): OctavoError | undefined {
  const reply = refusalReply.safeParse(error);
  if (!reply.success) return undefined;
  const { message, errors } = reply.data.response.data;
  const words = [message, ...errors.map((one) => one.message)].join(" ");
  const { head, base } = wanted;
  if (/already exists/i.test(words)) {
    return new OctavoError(
      "conflict",
      `There is already a pull request for ${head}, but it cannot be read.`,
    );
  }
  if (/no commits between|no history in common/i.test(words)) {
    return new OctavoError(
      "conflict",
      `There is nothing to propose: ${base} already contains all commits of ${head}.`,
    );
  }
  if (/draft/i.test(words)) {
    return new OctavoError(
      "invalid_input",
      "This repository does not support draft pull requests.",
    );
  }
  const field = errors.find((one) => one.field === "head" || one.field === "base")?.field;
  if (field === undefined) return undefined;
  const missing = field === "head" ? head : base;
  return new OctavoError(
    "ref_not_found",
    `The repository has no branch ${JSON.stringify(missing)}.`,
  );
}
