import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import type { Tables } from "../../db/index.ts";
import { createBudget, describeSpent } from "../../model/index.ts";

export interface DailyBudget {
  readonly kysely: Kysely<Tables>;
  readonly projectId: string;
  /** Input and output of a project's models in a day (UTC). */
  readonly maxTokens: number;
}

/** Throws `rate_limited` if the project has no tokens left today. */
export async function checkDailyTokens({
  kysely,
  projectId,
  maxTokens,
}: DailyBudget): Promise<void> {
  const { rows } = await sql<{ tokens: number }>`
    select tokens from agent_tokens
    where project_id = ${projectId} and day = (now() at time zone 'utc')::date`.execute(kysely);
  const used = { inputTokens: rows[0]?.tokens ?? 0, outputTokens: 0 };
  const spent = describeSpent(createBudget({ maxTokens, used }), "project-day");
  if (spent !== undefined) throw new OctavoError("rate_limited", spent);
}
