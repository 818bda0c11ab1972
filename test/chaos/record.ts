/** The service's acknowledgments, as its clients recorded them. */
export interface Acknowledged {
  readonly exports: string[];
  /** The projects of agent jobs, by job. */
  readonly agentJobs: Map<string, string>;
  /** Bundles that were brought: the IDs of their deployments by their numbers. */
  readonly uploads: Map<number, string>;
  /** The numbers of the bundles that were published, in order, also those that were published again. */
  readonly publications: number[];
  /** Commits that git reported as pushed. */
  readonly pushes: { readonly projectId: string; readonly commit: string }[];
  readonly merges: { readonly projectId: string; readonly number: number; readonly head: string }[];
  /** How often each thing failed, or was refused, and was tried again. */
  readonly refusals: Map<string, number>;
  /** Answers that the service must not give. */
  readonly wrong: string[];
}

export function newRecord(): Acknowledged {
  return {
    exports: [],
    agentJobs: new Map(),
    uploads: new Map(),
    publications: [],
    pushes: [],
    merges: [],
    refusals: new Map(),
    wrong: [],
  };
}

export function countRefusal({ refusals }: Acknowledged, name: string): void {
  refusals.set(name, (refusals.get(name) ?? 0) + 1);
}
