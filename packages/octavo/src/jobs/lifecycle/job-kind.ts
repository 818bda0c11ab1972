import type { Expression, Kysely, RawBuilder, Selectable, SqlBool, Updateable } from "kysely";
import type { IdKind, OrganizationPlan, Quotas } from "../../core/index.ts";
import type { JobColumns, Tables } from "../../db/index.ts";
import type { AuditAction, WebhookEvent } from "../../projects/index.ts";

/** The columns that every kind has, as a worker reads them. */
export type JobRow = Readonly<Selectable<JobColumns>> & { readonly status: string };

/** The columns that every read includes. */
export type JobView = Pick<JobRow, "id" | "organization_id" | "project_id" | "status" | "revision">;

/** A job at one point in time, as clients see it. `revision` changes with every change to the job. */
export interface JobSnapshot {
  readonly job: object;
  readonly revision: number;
  readonly projectId: string;
}

/** The types of a kind of job. */
export interface JobTypes {
  /** The row with every column. */
  readonly Row: JobRow;
  /** The columns that a client may read. */
  readonly View: JobView;
  readonly Snapshot: JobSnapshot;
  /** Changes to the kind's own columns, as its work writes them: the `ColumnChanges` of its table. */
  readonly Changes: object;
}

/** A column that only `jobs/lifecycle/` writes. */
type LifecycleColumn = keyof JobRow;

/** Values for the columns of a table, except those that `jobs/lifecycle/` writes. */
export type ColumnChanges<Table> = {
  readonly [Column in Exclude<keyof Updateable<Table>, LifecycleColumn>]?:
    | Updateable<Table>[Column]
    | Expression<Exclude<Updateable<Table>[Column], undefined>>;
};

/** The organization, plan and quotas that a check uses. */
export interface QuotaScope {
  readonly organizationId: string;
  readonly plan: OrganizationPlan;
  readonly quotas: Quotas;
}

/** The content of the message to the organization's webhooks when a job ends. */
export interface JobMessage {
  readonly event: WebhookEvent;
  /** The job as clients see it. */
  readonly data: object;
}

/** The properties of the service that messages use. */
export interface MessageContext {
  /** Returns the clone URL of a repository that the service hosts. */
  readonly getRepositoryUrl: (projectId: string) => string;
  /** Returns the origin of a subdomain of the sites domain. */
  readonly toOrigin: (label: string) => string;
}

/** The properties of a kind that do not depend on its types. */
export interface AnyJobKind {
  /** The name in messages, such as `agent job`. */
  readonly name: string;
  /** The name in messages to people who know the kind from the context, such as `export`. Defaults to `name`. */
  readonly shortName?: string;
  readonly idKind: IdKind;
  /** The table, which has the columns of `JobRow`, and triggers that count open jobs and announce changes. */
  readonly table: string;
  readonly queue: string;
  /** The channel on which the table's triggers announce each change, as `<id> <status>`. */
  readonly channel: string;
  readonly statuses: {
    /**
     * The statuses of a job that has not ended. A job that has ended has the status `completed` or `failed`, or another
     * status that the kind defines.
     */
    readonly open: readonly string[];
    /** The status of a job that a worker has claimed; one of `open`. */
    readonly running: string;
    /** The status of a job whose work is done. */
    readonly completed: string;
  };
  /** The column with the time when the job ended; null until then. */
  readonly endedColumn: string;
  /** The audit log's events for jobs of this kind. */
  readonly audit: { readonly started: AuditAction; readonly cancelled: AuditAction };
  /** A job's `getMetricKind` as an SQL expression, for statements that count rows. */
  readonly metricSql: RawBuilder<string>;
  /** The condition under which a job runs before the other jobs of its organization. Defaults to true. */
  readonly isUrgent?: RawBuilder<SqlBool>;
  /** The condition under which retention deletes an expired job. Defaults to true for every job that has ended. */
  readonly isRemovable?: RawBuilder<SqlBool>;
  /** The condition on `job` that proves that a node has read its project's repository. Defaults to false. */
  readonly hasReadRepository?: RawBuilder<SqlBool>;
}

/**
 * A kind of job, with everything that `jobs/lifecycle/` needs to start, list, watch, cancel, claim and end its jobs.
 * `jobs/job-kinds.ts` lists the kinds. The work itself is passed to `createJobWorker`.
 */
export interface JobKind<T extends JobTypes> extends AnyJobKind {
  readonly statuses: {
    readonly open: readonly T["View"]["status"][];
    readonly running: T["View"]["status"];
    readonly completed: T["View"]["status"];
  };
  /** The keys of `View`. */
  readonly columns: readonly (keyof T["View"] & string)[];
  toSnapshot(row: T["View"]): T["Snapshot"];
  /** Returns the job's name in metrics. */
  getMetricKind(row: T["View"]): string;
  /**
   * Returns the name by which people know the job, for the audit log. Without this method, the audit log shows no name.
   */
  getTargetName?(row: T["View"]): string;
  /** Counts a start, in the transaction that starts the job, before the job's row is written. Throws `rate_limited`. */
  countStart?(transaction: Kysely<Tables>, projectId: string): Promise<void>;
  /** Checks all quotas except that of open jobs, in the transaction that has opened the job. */
  checkQuotas?(transaction: Kysely<Tables>, scope: QuotaScope): Promise<void>;
  /**
   * Does the kind's own work when a job fails or is cancelled, in the transaction that has locked its row. Returns
   * additional columns to write.
   */
  onFailed?(
    transaction: Kysely<Tables>,
    row: T["View"],
    failure: { readonly error: string; readonly isCancelled: boolean },
  ): Promise<T["Changes"]>;
  /** Returns the webhook message about a job that ended as `status`; undefined if the kind does not send one. */
  createMessage?(
    row: T["View"],
    status: "completed" | "failed",
    context: MessageContext,
  ): JobMessage | undefined;
}

export function getShortName({ name, shortName = name }: AnyJobKind): string {
  return shortName;
}
