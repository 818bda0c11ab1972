/** A project's `repository` value for an empty one that the service hosts. */
export const hostedRepository = "local";

/** The clone address of a repository that the service hosts. */
export function hostedRepositoryUrl(baseUrl: string, projectId: string): string {
  return `${baseUrl}/git/${projectId}.git`;
}
