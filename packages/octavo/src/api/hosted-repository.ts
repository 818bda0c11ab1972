/** Where a repository that the service hosts is cloned from. */
export function hostedRepositoryUrl(baseUrl: string, projectId: string): string {
  return `${baseUrl}/git/${projectId}.git`;
}
