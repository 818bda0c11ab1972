/** How the commits and pull requests of a repository are titled: `docs: fix the links`, or as a plain sentence. */
export const commitConventions = ["conventional", "plain"] as const;
export type CommitConvention = (typeof commitConventions)[number];
