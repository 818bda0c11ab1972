export const organizationPlans = ["free", "pro", "enterprise"] as const;
export type OrganizationPlan = (typeof organizationPlans)[number];

/** The plan that includes everything. It is the plan of a service's first organization and the default for others. */
export const fullPlan = "enterprise" satisfies OrganizationPlan;

/** The quotas of each organization with a plan. */
interface PlanQuotas {
  /**
   * The number of jobs that start for each job of an organization with share 1 while both organizations have queued
   * jobs.
   */
  readonly share: number;
  /** The maximum number of unfinished exports and agent jobs in total. */
  readonly openJobs: number;
  /** The maximum number of exports started in any 60 minutes. */
  readonly exportsPerHour: number;
  /** The maximum number of pages in one export. */
  readonly pages: number;
  /** The maximum size of all stored bundles, in megabytes. */
  readonly bundleMb: number;
  /** The maximum size of one hosted repository in the storage, in megabytes. */
  readonly repositoryMb: number;
  /** The maximum number of event streams that one key can have open on one node. */
  readonly eventStreams: number;
  /** The maximum number of requests of one key that one node handles at the same time, including event streams. */
  readonly requests: number;
}

export type Quotas = Readonly<Record<OrganizationPlan, PlanQuotas>>;

/** The default quotas, which must equal the table in `docs/operate/quotas.mdx`. */
export const defaultQuotas: Quotas = {
  free: {
    share: 1,
    openJobs: 1_000,
    exportsPerHour: 20,
    pages: 1_000,
    bundleMb: 1_000,
    repositoryMb: 500,
    eventStreams: 20,
    requests: 1_000,
  },
  pro: {
    share: 2,
    openJobs: 5_000,
    exportsPerHour: 200,
    pages: 10_000,
    bundleMb: 10_000,
    repositoryMb: 2_000,
    eventStreams: 100,
    requests: 2_000,
  },
  enterprise: {
    share: 4,
    openJobs: 20_000,
    exportsPerHour: 20_000,
    pages: 200_000,
    bundleMb: 1_000_000,
    repositoryMb: 20_000,
    eventStreams: 1_000,
    requests: 4_000,
  },
};

const quotaNames = Object.keys(defaultQuotas.free) as (keyof PlanQuotas)[];
const entryPattern = /^(\w+)\.(\w+)=([1-9]\d{0,8})$/;

/** Parses `plan.quota=number, ...`. Other quotas keep their defaults. Returns undefined if the text is malformed. */
export function parseQuotas(text: string): Quotas | undefined {
  const quotas: Record<OrganizationPlan, Record<keyof PlanQuotas, number>> = structuredClone(
    defaultQuotas,
  );
  const entries = text.split(",").map((entry) => entry.trim());
  for (const entry of entries.filter((entry) => entry !== "")) {
    const [, plan = "", quota = "", value] = entryPattern.exec(entry) ?? [];
    const knownPlan = organizationPlans.find((known) => known === plan);
    const knownQuota = quotaNames.find((known) => known === quota);
    if (!knownPlan || !knownQuota) return undefined;
    quotas[knownPlan][knownQuota] = Number(value);
  }
  return quotas;
}
