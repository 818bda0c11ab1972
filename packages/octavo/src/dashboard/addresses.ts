/** The addresses of all pages, as a browser sees them. IDs and numbers need no escape. */
export interface Addresses {
  readonly root: string;
  readonly projects: string;
  readonly keys: string;
  readonly signIn: string;
  readonly signOut: string;
  readonly apiDocs: string;
  readonly asset: (name: string) => string;
  readonly project: (projectId: string) => string;
  readonly exports: (projectId: string) => string;
  readonly export: (projectId: string, jobId: string) => string;
  readonly pulls: (projectId: string) => string;
  readonly pull: (projectId: string, number: number) => string;
  readonly agent: (projectId: string) => string;
  readonly agentJob: (projectId: string, jobId: string) => string;
  readonly preview: (branch: PreviewedBranch, page?: string) => string;
  readonly revokeKey: (keyId: string) => string;
  /** A path of the service as its routes know it. */
  readonly fromRoute: (path: string) => string;
}

/** One of the branches of an agent job. */
export interface PreviewedBranch {
  readonly projectId: string;
  readonly jobId: string;
  /** Counts the job's branches from 1. */
  readonly branchNumber: number;
}

/**
 * Where a branch of an agent job is looked at as a site, or the page of that path of it. `base` is the
 * service's address from outside, or its path alone. Holds neither spaces nor brackets.
 */
export function previewAddress(
  base: string,
  { projectId, jobId, branchNumber }: PreviewedBranch,
  page?: string,
): string {
  const branch = `${base}/projects/${projectId}/agent/${jobId}/preview/${branchNumber}`;
  return page === undefined ? branch : `${branch}/${encodePathForMarkdown(page)}`;
}

/** Each name of a path, also with what Markdown would end a link at. */
export function encodePathForMarkdown(path: string): string {
  return path
    .split("/")
    .map((name) => encodeURIComponent(name).replaceAll("(", "%28").replaceAll(")", "%29"))
    .join("/");
}

/** `basePath` is what a proxy puts before the service's own paths, mostly nothing. */
export function createAddresses(basePath: string): Addresses {
  const project = (projectId: string) => `${basePath}/projects/${projectId}`;
  return {
    root: `${basePath}/`,
    projects: `${basePath}/projects`,
    keys: `${basePath}/keys`,
    signIn: `${basePath}/signin`,
    signOut: `${basePath}/signout`,
    apiDocs: `${basePath}/docs`,
    asset: (name) => `${basePath}/assets/${name}`,
    project,
    exports: (projectId) => `${project(projectId)}/exports`,
    export: (projectId, jobId) => `${project(projectId)}/exports/${jobId}`,
    pulls: (projectId) => `${project(projectId)}/pulls`,
    pull: (projectId, number) => `${project(projectId)}/pulls/${number}`,
    agent: (projectId) => `${project(projectId)}/agent`,
    agentJob: (projectId, jobId) => `${project(projectId)}/agent/${jobId}`,
    preview: (branch, page) => previewAddress(basePath, branch, page),
    revokeKey: (keyId) => `${basePath}/keys/${keyId}/revoke`,
    fromRoute: (path) => basePath + path,
  };
}
