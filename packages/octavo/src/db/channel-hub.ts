/** A listener on a channel. One connection serves all listeners of this process. */
export interface ChannelListener {
  onPayload(payload: string): void;
  /** Called when notifications may have been missed, so that the listener reads the current state. */
  onGap?(): void;
}

interface ChannelCommands {
  listen(channel: string): Promise<void>;
  unlisten(channel: string): Promise<void>;
}

export class ChannelHub {
  readonly #commands: ChannelCommands;
  readonly #listeners = new Map<string, Set<ChannelListener>>();

  constructor(commands: ChannelCommands) {
    this.#commands = commands;
  }

  get channels(): readonly string[] {
    return [...this.#listeners.keys()];
  }

  /** Adds a listener. Resolves once all further notifications reach the listener. */
  async subscribe(channel: string, listener: ChannelListener): Promise<AsyncDisposable> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    try {
      // Every listener runs LISTEN, because a second listener may be added before the first LISTEN has finished. A
      // repeated LISTEN is cheap and has no effect.
      await this.#commands.listen(channel);
    } catch (error) {
      this.removeListener(channel, listener);
      throw error;
    }
    return {
      [Symbol.asyncDispose]: async () => {
        if (this.removeListener(channel, listener)) await this.#commands.unlisten(channel);
      },
    };
  }

  deliver(channel: string, payload: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener.onPayload(payload);
  }

  reportGap(): void {
    for (const listeners of this.#listeners.values()) {
      for (const listener of listeners) listener.onGap?.();
    }
  }

  /** Removes a listener and reports whether the channel has no listeners left. */
  removeListener(channel: string, listener: ChannelListener): boolean {
    const listeners = this.#listeners.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return false;
    return this.#listeners.delete(channel);
  }
}

/** Returns a channel's name as an SQL identifier. */
export function quoteChannel(channel: string): string {
  return `"${channel.replaceAll('"', '""')}"`;
}
