import type { Keys } from "../projects/index.ts";

/** How often the keys of open streams are checked: streams of a revoked key close within a second. */
const checkMs = 500;

/** The event streams that are open in this process; one database query checks all their keys. */
export interface OpenStreams {
  /** `signal` aborts when the key is revoked or the service stops; call `close` when the stream has ended. */
  add(keyId: string): { readonly signal: AbortSignal; readonly close: () => void };
  /** Ends all open streams, and each that is added later. */
  closeAll(): void;
}

export function createOpenStreams(
  keys: Pick<Keys, "findValid">,
  onError: (error: unknown) => void,
): OpenStreams {
  const open = new Map<AbortController, string>();
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;

  async function check(): Promise<void> {
    // Streams that are opened meanwhile are not part of the query.
    const asked = [...open];
    const valid = await keys.findValid([...new Set(open.values())]);
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
      // The request was in progress when the service began to stop.
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
