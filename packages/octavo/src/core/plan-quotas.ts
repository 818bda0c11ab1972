export const organizationPlans = ["free", "pro", "enterprise"] as const;
export type OrganizationPlan = (typeof organizationPlans)[number];

/** The plan that may use everything: of the first organization of a service, and of others by default. */
export const fullPlan = "enterprise" satisfies OrganizationPlan;

/** What an organisation with a plan may use. */
export interface PlanQuotas {
  /** How many of its jobs start for each one of an organisation with 1, while both have jobs waiting. */
  readonly share: number;
  /** Jobs of either kind that have not ended. */
  readonly openJobs: number;
  /** Exports started in any 60 minutes. */
  readonly exportsPerHour: number;
  /** Pages of one export. */
  readonly pages: number;
  /** Of all bundles that are stored, in megabytes. */
  readonly bundleMb: number;
  /** Of one hosted repository in the storage, in megabytes. */
  readonly repositoryMb: number;
  /** Event streams that one key has open on one node. */
  readonly eventStreams: number;
  /** Requests of one key that one node answers at the same time, event streams too. */
  readonly requests: number;
}

export type Quotas = Readonly<Record<OrganizationPlan, PlanQuotas>>;

/** `docs/operate/quotas.mdx` shows the same table. */
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
const entryForm = /^(\w+)\.(\w+)=([1-9]\d{0,8})$/;

/** Reads `plan.quota=number, ...`; the others have their defaults. Undefined where that is not the form. */
export function parseQuotas(text: string): Quotas | undefined {
  const quotas: Record<OrganizationPlan, Record<keyof PlanQuotas, number>> = structuredClone(
    defaultQuotas,
  );
  const entries = text.split(",").map((entry) => entry.trim());
  for (const entry of entries.filter((entry) => entry !== "")) {
    const [, plan = "", quota = "", value] = entryForm.exec(entry) ?? [];
    const ofPlan = organizationPlans.find((known) => known === plan);
    const name = quotaNames.find((known) => known === quota);
    if (!ofPlan || !name) return undefined;
    quotas[ofPlan][name] = Number(value);
  }
  return quotas;
}
