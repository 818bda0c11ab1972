/** Whether a path of the repository lies in a directory, given as a prefix: empty for the root, or with a slash at its end. */
export function isInDirectory(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && path.length > prefix.length;
}
