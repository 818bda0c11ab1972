/** The exit codes of the process, as listed in the manual (docs/export/command-line.mdx). */
export const exitCodes = {
  success: 0,
  /** The command failed, or a check found problems. */
  failed: 1,
  /** The command was used incorrectly and did not start. */
  usageError: 2,
  /** The code that shells report for a process that SIGINT ended. */
  interrupted: 130,
} as const;
