import { OctavoError } from "@octavo/site/core";
import type { Message, Parcel } from "./message.ts";
import { createParcels } from "./parcels.ts";
import type { Parcels } from "./parcels.ts";

/** The operations that one process runs for the other, by name. */
export type NamedOperations = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * Calls between two processes. Values are cloned; functions in them become functions that call back and return a
 * promise, signals abort in both processes, and errors keep their codes.
 */
export interface Connection {
  call(operation: string, args: readonly unknown[]): Promise<unknown>;
  /** Must be called with each message from the other process. */
  receive(message: Message): void;
  /** Releases functions and signals that were passed to calls, if all calls have ended. */
  letGo(): void;
  /** Closes the connection because the other process has ended: pending calls fail. */
  close(reason: Error): void;
}

export function openConnection(
  send: (message: Message) => void,
  operations: NamedOperations = {},
): Connection {
  return new ProcessConnection(send, operations);
}

type Pending = Pick<PromiseWithResolvers<unknown>, "resolve" | "reject">;

class ProcessConnection implements Connection {
  readonly #send: (message: Message) => void;
  /** A map, because an object would also have the operations of its prototype. */
  readonly #operations: ReadonlyMap<string, NamedOperations[string]>;
  readonly #parcels: Parcels;
  readonly #pending = new Map<number, Pending>();
  #closed: Error | undefined;
  #lastCall = 0;

  constructor(send: (message: Message) => void, operations: NamedOperations) {
    this.#send = send;
    this.#operations = new Map(Object.entries(operations));
    this.#parcels = createParcels({
      callFunction: (id, args) => this.#ask(id, args),
      sendAbort: (signal, reason) => {
        if (!this.#closed) send({ type: "abort", signal, reason: this.#parcels.pack(reason) });
      },
    });
  }

  call(operation: string, args: readonly unknown[]): Promise<unknown> {
    return this.#ask(operation, args);
  }

  receive(message: Message): void {
    switch (message.type) {
      case "call":
        return void this.#answer(message.call, message.target, message.args);
      case "result":
        return this.#take(message.call)?.resolve(this.#parcels.unpack(message.value));
      case "failure":
        return this.#take(message.call)?.reject(this.#parcels.unpack(message.error));
      case "abort":
        return this.#parcels.abort(message.signal, this.#parcels.unpack(message.reason));
      case "alive":
    }
  }

  letGo(): void {
    this.#parcels.letGo();
  }

  close(reason: Error): void {
    this.#closed ??= reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    this.letGo();
  }

  #ask(target: string | number, args: readonly unknown[]): Promise<unknown> {
    if (this.#closed) return Promise.reject(this.#closed);
    const call = ++this.#lastCall;
    const { promise, ...pending } = Promise.withResolvers<unknown>();
    this.#pending.set(call, pending);
    this.#send({ type: "call", call, target, args: this.#parcels.pack(args) });
    return promise;
  }

  #take(call: number): Pending | undefined {
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    return pending;
  }

  async #answer(call: number, target: string | number, parcel: Parcel): Promise<void> {
    try {
      const args = this.#parcels.unpack(parcel) as never[];
      const value = await this.#find(target)(...args);
      this.#reply({ type: "result", call, value: this.#parcels.pack(value) });
    } catch (error) {
      this.#reply({ type: "failure", call, error: this.#parcels.pack(error) });
    }
  }

  #reply(message: Message): void {
    if (!this.#closed) this.#send(message);
  }

  #find(target: string | number): (...args: never[]) => unknown {
    const found =
      typeof target === "number" ? this.#parcels.functionOf(target) : this.#operations.get(target);
    if (found) return found;
    throw new OctavoError(
      "internal",
      `The other process called ${target}, which does not exist here.`,
    );
  }
}
