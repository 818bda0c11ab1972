import type { Insertable, Kysely, Selectable, Updateable } from "kysely";
import { OctavoError } from "@octavo/site/core";
import type { Actor } from "../core/index.ts";
import { transact, violatedConstraint } from "../db/index.ts";
import type { ProjectsTable, Tables } from "../db/index.ts";
import { recordEvent } from "./audit.ts";
import type { ActingScope } from "./audit.ts";

type ProjectRow = Selectable<ProjectsTable>;

/** Throws `conflict` if another project has the domain. */
export async function insertProject(
  db: Kysely<Tables>,
  values: Insertable<ProjectsTable>,
  actor: Actor | undefined,
): Promise<ProjectRow> {
  const by = { organizationId: values.organization_id, actor };
  return withUniqueDomain(values.domain, () =>
    transact(db, async (transaction) => {
      await recordEvent(transaction, by, eventOf("created", values));
      const insert = transaction.insertInto("projects").values(values);
      return insert.returningAll().executeTakeFirstOrThrow();
    }),
  );
}

export interface ProjectUpdate {
  readonly projectId: string;
  readonly values: Updateable<ProjectsTable> & Pick<ProjectRow, "name" | "domain">;
  /** The names of the changed fields, for the audit log: never their values. */
  readonly fields: readonly string[];
}

/** Undefined if it was deleted meanwhile. Throws as `insertProject` does. */
export async function updateProject(
  db: Kysely<Tables>,
  by: ActingScope,
  { projectId: id, values, fields }: ProjectUpdate,
): Promise<ProjectRow | undefined> {
  const event = { ...eventOf("changed", { id, name: values.name }), details: { fields } };
  return withUniqueDomain(values.domain, () =>
    transact(db, async (transaction) => {
      await recordEvent(transaction, by, event);
      const update = transaction.updateTable("projects").set(values).where("id", "=", id);
      return update.returningAll().executeTakeFirst();
    }),
  );
}

export async function deleteProject(
  db: Kysely<Tables>,
  by: ActingScope,
  project: Pick<ProjectRow, "id" | "name">,
): Promise<void> {
  await transact(db, async (transaction) => {
    await transaction.deleteFrom("projects").where("id", "=", project.id).execute();
    await recordEvent(transaction, by, eventOf("deleted", project));
  });
}

function eventOf(act: "created" | "changed" | "deleted", project: { id: string; name: string }) {
  const { id, name } = project;
  return { action: `project.${act}`, target: { id, name }, projectId: id } as const;
}

async function withUniqueDomain<Result>(
  domain: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (cause) {
    if (violatedConstraint(cause) !== "projects_domain_key") throw cause;
    const message = `The domain ${domain} belongs to another project; each domain has one.`;
    throw new OctavoError("conflict", message, { cause });
  }
}
