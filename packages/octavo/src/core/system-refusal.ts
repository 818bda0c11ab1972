const refusals: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "the name is too long for the file system",
  EMFILE: "too many open files",
  EIO: "the device failed to read or write",
};

/** Why the file system refused something, as the end of a sentence; undefined for other errors. */
export function systemRefusal(error: unknown): string | undefined {
  return error instanceof Error ? refusals[(error as NodeJS.ErrnoException).code ?? ""] : undefined;
}
