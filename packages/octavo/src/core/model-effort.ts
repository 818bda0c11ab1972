/** How much a model thinks before it answers, from not at all to all it can. */
export const modelEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ModelEffort = (typeof modelEfforts)[number];
