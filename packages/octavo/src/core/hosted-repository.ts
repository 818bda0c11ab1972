/** The clone address of a repository that the service hosts. */
export function hostedRepositoryUrl(baseUrl: string, projectId: string): string {
  return `${baseUrl}/git/${projectId}.git`;
}
