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
  readonly revokeKey: (keyId: string) => string;
  /** A path of the service as its routes know it. */
  readonly fromRoute: (path: string) => string;
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
    revokeKey: (keyId) => `${basePath}/keys/${keyId}/revoke`,
    fromRoute: (path) => basePath + path,
  };
}
