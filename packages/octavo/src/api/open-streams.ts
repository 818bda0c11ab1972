import type { Quotas } from "../core/index.ts";
import type { Caller, Keys } from "../projects/index.ts";
import { createKeyLimit } from "./key-limit.ts";

/**
 * The interval at which the keys of open streams are checked, so that the streams of a revoked key close within a
 * second.
 */
const checkMs = 500;

type StreamCaller = Pick<Caller, "keyId" | "plan">;

/** The event streams that are open in this process. One database query checks the keys of all streams. */
export interface OpenStreams {
  /**
   * Adds a stream. `signal` aborts when the key is revoked or the service stops. Call `close` when the stream has
   * ended. Throws `rate_limited` if the key has as many open streams as its plan allows.
   */
  add(caller: StreamCaller): { readonly signal: AbortSignal; readonly close: () => void };
  /** Ends all open streams and immediately ends every stream that is added later. */
  closeAll(): void;
}

export interface OpenStreamsOptions {
  readonly keys: Pick<Keys, "findValid">;
  readonly quotas: Quotas;
  readonly onError: (error: unknown) => void;
}

export function createOpenStreams({ keys, quotas, onError }: OpenStreamsOptions): OpenStreams {
  const open = new Map<AbortController, string>();
  const limit = createKeyLimit("event streams", (plan) => quotas[plan].eventStreams);
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;

  async function check(): Promise<void> {
    // Streams that open during the query are not part of it, so they are left open.
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
    add(caller) {
      const { keyId } = caller;
      const leave = limit.enter(caller);
      const controller = new AbortController();
      // A request that was in progress when the service began to stop can still open a stream.
      if (isClosing) controller.abort();
      open.set(controller, keyId);
      schedule();
      const close = () => {
        if (open.delete(controller)) leave();
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
