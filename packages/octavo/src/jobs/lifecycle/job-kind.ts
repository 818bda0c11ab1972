import type { Expression, Kysely, RawBuilder, Selectable, SqlBool, Updateable } from "kysely";
import type { IdKind, OrganizationPlan, Quotas } from "../../core/index.ts";
import type { JobColumns, Tables } from "../../db/index.ts";
import type { AuditAction, WebhookEvent } from "../../projects/index.ts";

/** The columns of every kind, as a worker reads them. */
export type JobRow = Readonly<Selectable<JobColumns>> & { readonly status: string };

/** The columns that every read includes. */
export type JobView = Pick<JobRow, "id" | "organization_id" | "project_id" | "status" | "revision">;

/** A job at one point in time, as clients see it. `revision` changes whenever the job does. */
export interface JobSnapshot {
  readonly job: object;
  readonly revision: number;
  readonly projectId: string;
}

/** The types of a kind of job. */
export interface JobTypes {
  /** Every column. */
  readonly Row: JobRow;
  /** The columns that a client may read. */
  readonly View: JobView;
  readonly Snapshot: JobSnapshot;
  /** The kind's own columns, as its work writes them: `ColumnChanges` of its table. */
  readonly Changes: object;
}

/** Columns that `jobs/lifecycle/` alone writes. */
type LifecycleColumn = keyof JobRow;

/** Values for the columns of a table, except those that `jobs/lifecycle/` writes. */
export type ColumnChanges<Table> = {
  readonly [Column in Exclude<keyof Updateable<Table>, LifecycleColumn>]?:
    | Updateable<Table>[Column]
    | Expression<Exclude<Updateable<Table>[Column], undefined>>;
};

/** Whose quotas count. */
export interface QuotaScope {
  readonly organizationId: string;
  readonly plan: OrganizationPlan;
  readonly quotas: Quotas;
}

/** What the organisation's webhooks are told of a job's end. */
export interface JobMessage {
  readonly event: WebhookEvent;
  /** The job as clients see it. */
  readonly data: object;
}

/** What a message needs to know of the service. */
export interface MessageContext {
  /** The clone address of a repository that the service hosts. */
  readonly repositoryUrl: (projectId: string) => string;
}

/** What is known of a kind without its types. */
export interface AnyJobKind {
  /** In messages: `agent job`. */
  readonly name: string;
  /** In messages to people who know which kind is meant: `export`. Default `name`. */
  readonly shortName?: string;
  readonly idKind: IdKind;
  /** Has the columns of `JobRow`, and triggers that count open jobs and announce changes. */
  readonly table: string;
  readonly queue: string;
  /** Where the table's triggers announce each change, as `<id> <status>`. */
  readonly channel: string;
  readonly statuses: {
    /** Of a job that has not ended. One that ended is `completed`, `failed`, or what the kind makes of it. */
    readonly open: readonly string[];
    /** One of `open`: of a job that a worker has claimed. */
    readonly running: string;
  };
  /** When the job ended; null until then. */
  readonly endedColumn: string;
  /** The events of the audit log. */
  readonly audit: { readonly started: AuditAction; readonly cancelled: AuditAction };
  /** A job's `metric`, for a statement that counts rows. */
  readonly metricSql: RawBuilder<string>;
  /** Whether a job runs before others of its organisation. Default: every one does. */
  readonly isUrgent?: RawBuilder<SqlBool>;
  /** Which jobs retention may delete after their time. Default: every one that ended. */
  readonly isRemovable?: RawBuilder<SqlBool>;
  /** Which jobs, as `job`, prove that a node could read their project's repository. Default: none. */
  readonly hasReadRepository?: RawBuilder<SqlBool>;
}

/**
 * A kind of job: what `jobs/lifecycle/` needs to know to start, list, watch, cancel, claim and end its jobs. The kinds
 * are listed in `jobs/job-kinds.ts`. What a worker does with a job is handed to `createJobWorker`.
 */
export interface JobKind<T extends JobTypes> extends AnyJobKind {
  readonly statuses: {
    readonly open: readonly T["View"]["status"][];
    readonly running: T["View"]["status"];
  };
  /** The keys of `View`. */
  readonly columns: readonly (keyof T["View"] & string)[];
  snapshot(row: T["View"]): T["Snapshot"];
  /** The name in metrics. */
  metric(row: T["View"]): string;
  /** The name that people know the job by, for the audit log. Default: none. */
  targetName?(row: T["View"]): string;
  /** Counts a start, in its transaction, before the row is written. Throws `rate_limited`. */
  countStart?(transaction: Kysely<Tables>, projectId: string): Promise<void>;
  /** Checks quotas besides that of open jobs, in the transaction that has opened the job. */
  checkQuotas?(transaction: Kysely<Tables>, scope: QuotaScope): Promise<void>;
  /**
   * Does what else it takes to fail or cancel a job, in the transaction that has locked its row, and returns further
   * columns to write.
   */
  onFailed?(
    transaction: Kysely<Tables>,
    row: T["View"],
    failure: { readonly error: string; readonly isCancelled: boolean },
  ): Promise<T["Changes"]>;
  /** The webhook message about a job that ended as `status`; undefined if there is none. */
  message?(
    row: T["View"],
    status: "completed" | "failed",
    context: MessageContext,
  ): JobMessage | undefined;
}

export function shortNameOf({ name, shortName = name }: AnyJobKind): string {
  return shortName;
}
