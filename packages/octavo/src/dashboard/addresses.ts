/** The addresses of the dashboard's pages and forms. IDs and numbers need no encoding. */
export interface Addresses {
  readonly root: string;
  readonly projects: string;
  readonly newProject: string;
  readonly keys: string;
  readonly members: string;
  readonly member: (memberId: string) => string;
  readonly sessions: string;
  readonly session: (sessionId: string) => string;
  readonly audit: string;
  readonly webhooks: string;
  readonly webhook: (webhookId: string) => string;
  readonly health: string;
  readonly signIn: string;
  readonly signInProvider: string;
  readonly signOut: string;
  readonly manual: string;
  /** Returns the address of the search, which lists the pages of the given project first. */
  readonly search: (projectId?: string) => string;
  readonly asset: (name: string) => string;
  readonly project: (projectId: string) => string;
  readonly projectSettings: (projectId: string) => string;
  readonly projectSources: (projectId: string) => string;
  readonly reviewNotes: (projectId: string) => string;
  readonly exports: (projectId: string) => string;
  readonly problems: (projectId: string) => string;
  readonly deployments: (projectId: string) => string;
  readonly publishDeployment: (projectId: string, deploymentId: string) => string;
  readonly site: (projectId: string) => string;
  readonly siteLinks: (projectId: string) => string;
  readonly revokeSiteLink: (projectId: string, linkId: string) => string;
  readonly siteDomains: (projectId: string) => string;
  readonly checkSiteDomain: (projectId: string, domain: string) => string;
  readonly removeSiteDomain: (projectId: string, domain: string) => string;
  readonly siteVersions: (projectId: string) => string;
  readonly hook: (projectId: string) => string;
  readonly deployment: (projectId: string, deploymentId: string) => string;
  readonly export: (projectId: string, jobId: string) => string;
  readonly pulls: (projectId: string) => string;
  readonly pull: (projectId: string, number: number) => string;
  readonly agent: (projectId: string) => string;
  readonly agentJob: (projectId: string, jobId: string) => string;
  readonly preview: (branch: BranchAddress, page?: string) => string;
  /** Returns the address of a bundle's preview, opened at a file, by default at the first page. */
  readonly bundlePreview: (jobId: string, file?: string) => string;
  readonly revokeKey: (keyId: string) => string;
  /** Adds the base path to the path of a route. */
  readonly fromRoute: (path: string) => string;
}

/** A branch of an agent job. */
export interface BranchAddress {
  readonly projectId: string;
  readonly jobId: string;
  /** The number of the branch within the job, starting at 1. */
  readonly branchNumber: number;
}

/**
 * Returns the address of the preview of an agent job's branch, or of one page in the preview. `base` is the service's
 * external address or only its path. The result contains neither spaces nor brackets.
 */
export function getBranchPreviewAddress(
  base: string,
  { projectId, jobId, branchNumber }: BranchAddress,
  page?: string,
): string {
  const branchAddress = `${base}/projects/${projectId}/agent/${jobId}/preview/${branchNumber}`;
  return page === undefined ? branchAddress : `${branchAddress}/${encodePathForMarkdown(page)}`;
}

/** Encodes each segment of a path, including characters that would end a Markdown link. */
export function encodePathForMarkdown(path: string): string {
  return path
    .split("/")
    .map((name) => encodeURIComponent(name).replaceAll("(", "%28").replaceAll(")", "%29"))
    .join("/");
}

/** Creates the addresses. `basePath` is the path prefix under which a proxy serves the service; usually empty. */
export function createAddresses(basePath: string): Addresses {
  const project = (projectId: string) => `${basePath}/projects/${projectId}`;
  return {
    root: `${basePath}/`,
    projects: `${basePath}/projects`,
    newProject: `${basePath}/projects/new`,
    keys: `${basePath}/keys`,
    members: `${basePath}/members`,
    member: (memberId) => `${basePath}/members/${memberId}`,
    sessions: `${basePath}/sessions`,
    session: (sessionId) => `${basePath}/sessions/${sessionId}`,
    audit: `${basePath}/audit`,
    webhooks: `${basePath}/webhooks`,
    webhook: (webhookId) => `${basePath}/webhooks/${webhookId}`,
    health: `${basePath}/health`,
    signIn: `${basePath}/signin`,
    signInProvider: `${basePath}/signin/provider`,
    signOut: `${basePath}/signout`,
    manual: `${basePath}/manual/`,
    search: (projectId) =>
      `${basePath}/search${projectId === undefined ? "" : `?project=${projectId}`}`,
    asset: (name) => `${basePath}/assets/${name}`,
    project,
    projectSettings: (projectId) => `${project(projectId)}/settings`,
    projectSources: (projectId) => `${project(projectId)}/sources`,
    reviewNotes: (projectId) => `${project(projectId)}/review-notes`,
    exports: (projectId) => `${project(projectId)}/exports`,
    problems: (projectId) => `${project(projectId)}/problems`,
    deployments: (projectId) => `${project(projectId)}/deployments`,
    publishDeployment: (projectId, id) => `${project(projectId)}/deployments/${id}/publish`,
    site: (projectId) => `${project(projectId)}/site`,
    siteLinks: (projectId) => `${project(projectId)}/links`,
    revokeSiteLink: (projectId, linkId) => `${project(projectId)}/links/${linkId}/revoke`,
    siteDomains: (projectId) => `${project(projectId)}/domains`,
    checkSiteDomain: (projectId, domain) => `${project(projectId)}/domains/${domain}/check`,
    removeSiteDomain: (projectId, domain) => `${project(projectId)}/domains/${domain}/remove`,
    siteVersions: (projectId) => `${project(projectId)}/versions`,
    hook: (projectId) => `${project(projectId)}/hook`,
    deployment: (projectId, id) => `${project(projectId)}/deployments/${id}`,
    export: (projectId, jobId) => `${project(projectId)}/exports/${jobId}`,
    pulls: (projectId) => `${project(projectId)}/pulls`,
    pull: (projectId, number) => `${project(projectId)}/pulls/${number}`,
    agent: (projectId) => `${project(projectId)}/agent`,
    agentJob: (projectId, jobId) => `${project(projectId)}/agent/${jobId}`,
    preview: (branch, page) => getBranchPreviewAddress(basePath, branch, page),
    bundlePreview: (jobId, file = "") =>
      `${basePath}/previews/${jobId}/${encodePathForMarkdown(file)}`,
    revokeKey: (keyId) => `${basePath}/keys/${keyId}/revoke`,
    fromRoute: (path) => basePath + path,
  };
}
