import type { Keys } from "../projects/index.ts";

/** How often open streams ask whether their keys still work: revoked ones close within a second. */
const checkMs = 500;

/** The event streams that are open in this process; one question to the database serves them all. */
export interface OpenStreams {
  /** `signal` aborts when the key is revoked or the service stops; `close` says that the stream has ended. */
  add(keyId: string): { readonly signal: AbortSignal; readonly close: () => void };
  /** Ends those that are open, and each that is added later. */
  closeAll(): void;
}

export function createOpenStreams(
  keys: Pick<Keys, "stillValid">,
  onError: (error: unknown) => void,
): OpenStreams {
  const open = new Map<AbortController, string>();
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;

  async function check(): Promise<void> {
    // Streams that are opened meanwhile were not asked for.
    const asked = [...open];
    const valid = await keys.stillValid([...new Set(open.values())]);
    for (const [controller, keyId] of asked) if (!valid.has(keyId)) controller.abort();
  }

  function schedule(): void {
    if (timer !== undefined || open.size === 0) return;
    timer = setTimeout(() => {
      check()
        .catch(onError)
        .finally(() => {
          timer = undefined;
          schedule();
        });
    }, checkMs);
  }

  return {
    add(keyId) {
      const controller = new AbortController();
      // Of a request that was under way when the service was told to stop.
      if (isClosing) controller.abort();
      open.set(controller, keyId);
      schedule();
      const close = () => {
        open.delete(controller);
        controller.abort();
      };
      return { signal: controller.signal, close };
    },
    closeAll() {
      isClosing = true;
      for (const controller of open.keys()) controller.abort();
    },
  };
}
