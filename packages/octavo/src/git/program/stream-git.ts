import type { Mirror } from "../repository.ts";
import { callGit, createUnreadableCopyError } from "./tools.ts";
import type { CallOptions, GitCaller } from "./tools.ts";

export type StreamOptions = Omit<CallOptions, "environment"> &
  Required<Pick<CallOptions, "onOutput">>;

/**
 * Calls git on a bare repository on this machine and passes on its output. Returns false if `onOutput` stopped it.
 * Throws what `onOutput` throws. Path arguments are interpreted literally, whatever characters they contain.
 */
export async function streamGit(
  tools: GitCaller,
  mirror: Mirror,
  args: readonly string[],
  options: StreamOptions,
): Promise<boolean> {
  let isEnded = true;
  let failure: { readonly error: unknown } | undefined;
  const onOutput = (chunk: Buffer): boolean => {
    try {
      isEnded &&= options.onOutput?.(chunk) ?? true;
    } catch (error) {
      failure = { error };
      isEnded = false;
    }
    return isEnded;
  };
  const environment = { GIT_DIR: mirror.path, GIT_LITERAL_PATHSPECS: "1" };
  const result = await callGit(tools, args, { ...options, environment, onOutput });
  if (failure) throw failure.error;
  if (isEnded && result.exitCode !== 0) throw createUnreadableCopyError(result);
  return isEnded;
}

export interface OutputStart {
  readonly bytes: Buffer;
  /** False if there was more output. */
  readonly isWhole: boolean;
}

/** Returns the beginning of git's output. Stops git once it has written more. */
export async function readStart(
  tools: GitCaller,
  mirror: Mirror,
  args: readonly string[],
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<OutputStart> {
  const chunks: Buffer[] = [];
  let length = 0;
  const isWhole = await streamGit(tools, mirror, args, {
    signal,
    onOutput(chunk) {
      chunks.push(chunk);
      length += chunk.length;
      return length <= maxBytes;
    },
  });
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole };
}
