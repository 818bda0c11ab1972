import { OctavoError, isOctavoError, type ErrorCode } from "@octavo/site/core";

/**
 * A value that is sent from one process to the other. Functions, signals, errors and URLs are not in `value`. Instead,
 * they are listed with their paths, so that authors' content cannot be mistaken for them.
 */
interface Parcel {
  readonly value: unknown;
  readonly parts: readonly Part[];
}

/** A part of the value. `path` leads from the value to the part; it is empty for the value itself. */
type Part = { readonly path: readonly (string | number)[] } & PartContent;

type PartContent =
  | { readonly kind: "function"; readonly id: number }
  | { readonly kind: "signal"; readonly id: number; readonly reason?: Parcel }
  | { readonly kind: "error"; readonly error: SentError }
  | { readonly kind: "url"; readonly href: string };

/** An error in a message. When an error returns to the process that created it, it becomes the same object again. */
type SentError =
  | { readonly isOwn: true; readonly id: number }
  | {
      readonly isOwn: false;
      readonly id: number;
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      /** The code of an OctavoError, or of a system error. */
      readonly code?: string;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly cause?: SentError;
    };

/** A message in either direction. */
export type Message =
  | {
      readonly type: "call";
      readonly call: number;
      /** The name of an operation, or the ID of a function that was passed. */
      readonly target: string | number;
      readonly args: Parcel;
    }
  | { readonly type: "result"; readonly call: number; readonly value: Parcel }
  | { readonly type: "failure"; readonly call: number; readonly error: Parcel }
  | { readonly type: "abort"; readonly signal: number; readonly reason: Parcel }
  /** A sign that the process is responsive. */
  | { readonly type: "alive" };

/** The operations that one process runs for the other process, by name. */
export type NamedOperations = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * Calls between two processes. Values are cloned. Functions in them become functions that call back and return a
 * promise. Signals abort in both processes, and errors keep their codes.
 */
export interface Connection {
  call(operation: string, args: readonly unknown[]): Promise<unknown>;
  /** Handles a message. Must be called with each message from the other process. */
  receive(message: Message): void;
  /** Releases the functions and signals that were passed to calls. All calls must have ended. */
  release(): void;
  /** Closes the connection because the other process has exited. Pending calls fail. */
  close(reason: Error): void;
}

export function openConnection(
  send: (message: Message) => void,
  operations: NamedOperations = {},
): Connection {
  return new ProcessConnection(send, operations);
}

type PendingCall = Pick<PromiseWithResolvers<unknown>, "resolve" | "reject">;

class ProcessConnection implements Connection {
  readonly #send: (message: Message) => void;
  /** A map, because an object would also contain the operations of its prototype. */
  readonly #operations: ReadonlyMap<string, NamedOperations[string]>;
  readonly #parcels: Parcels;
  readonly #pendingCalls = new Map<number, PendingCall>();
  #closeReason: Error | undefined;
  #lastCall = 0;

  constructor(send: (message: Message) => void, operations: NamedOperations) {
    this.#send = send;
    this.#operations = new Map(Object.entries(operations));
    this.#parcels = new Parcels({
      callFunction: (id, args) => this.#ask(id, args),
      sendAbort: (signal, reason) => {
        if (!this.#closeReason) send({ type: "abort", signal, reason: this.#parcels.pack(reason) });
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
        return this.#takePending(message.call)?.resolve(this.#parcels.unpack(message.value));
      case "failure":
        return this.#takePending(message.call)?.reject(this.#parcels.unpack(message.error));
      case "abort":
        return this.#parcels.abort(message.signal, this.#parcels.unpack(message.reason));
      case "alive":
    }
  }

  release(): void {
    this.#parcels.release();
  }

  close(reason: Error): void {
    this.#closeReason ??= reason;
    for (const { reject } of this.#pendingCalls.values()) reject(reason);
    this.#pendingCalls.clear();
    this.release();
  }

  #ask(target: string | number, args: readonly unknown[]): Promise<unknown> {
    if (this.#closeReason) return Promise.reject(this.#closeReason);
    const call = ++this.#lastCall;
    const { promise, ...pending } = Promise.withResolvers<unknown>();
    this.#pendingCalls.set(call, pending);
    this.#send({ type: "call", call, target, args: this.#parcels.pack(args) });
    return promise;
  }

  #takePending(call: number): PendingCall | undefined {
    const pending = this.#pendingCalls.get(call);
    this.#pendingCalls.delete(call);
    return pending;
  }

  async #answer(call: number, target: string | number, parcel: Parcel): Promise<void> {
    try {
      const args = this.#parcels.unpack(parcel) as never[];
      const value = await this.#findTarget(target)(...args);
      this.#reply({ type: "result", call, value: this.#parcels.pack(value) });
    } catch (error) {
      this.#reply({ type: "failure", call, error: this.#parcels.pack(error) });
    }
  }

  #reply(message: Message): void {
    if (!this.#closeReason) this.#send(message);
  }

  #findTarget(target: string | number): (...args: never[]) => unknown {
    const found =
      typeof target === "number"
        ? this.#parcels.findFunction(target)
        : this.#operations.get(target);
    if (found) return found;
    throw new OctavoError(
      "internal",
      `The other process called ${target}, which does not exist here.`,
    );
  }
}

type AnyFunction = (...args: readonly unknown[]) => unknown;

/** Calls to the other process for functions and signals that it passed. */
interface RemoteParts {
  /** Calls a function of the other process. */
  readonly callFunction: (id: number, args: readonly unknown[]) => Promise<unknown>;
  /** Notifies the other process that a signal that it passed has been aborted. */
  readonly sendAbort: (id: number, reason: unknown) => void;
}

type Path = readonly (string | number)[];

const maxCauses = 10;

/** Packs and unpacks the values that two processes pass to each other. There is one object per connection. */
class Parcels {
  readonly #remote: RemoteParts;
  readonly #functions = new Map<number, AnyFunction>();
  #functionIds = new WeakMap<AnyFunction, number>();
  #signalIds = new WeakMap<AbortSignal, number>();
  readonly #controllers = new Map<number, AbortController>();
  readonly #errors = new Map<number, Error>();
  /** Errors of the other process, with their IDs in that process. */
  readonly #foreignErrors = new WeakMap<Error, number>();
  #releaseController = new AbortController();
  #lastId = 0;

  constructor(remote: RemoteParts) {
    this.#remote = remote;
  }

  pack(value: unknown): Parcel {
    const parts: Part[] = [];
    return { value: this.#packAt(value, [], parts), parts };
  }

  unpack({ value, parts }: Parcel): unknown {
    let unpacked = value;
    for (const part of parts) {
      const content = this.#unpackPart(part);
      const last = part.path.at(-1);
      if (last === undefined) unpacked = content;
      else getParent(unpacked, part.path)[last] = content;
    }
    return unpacked;
  }

  /** Returns a function that was passed to the other process. */
  findFunction(id: number): AnyFunction | undefined {
    return this.#functions.get(id);
  }

  abort(id: number, reason: unknown): void {
    this.#controllers.get(id)?.abort(reason);
  }

  /**
   * Releases everything that was passed, and removes the listeners from signals, because a signal with a listener is
   * never garbage-collected.
   */
  release(): void {
    this.#releaseController.abort();
    this.#releaseController = new AbortController();
    this.#functions.clear();
    this.#functionIds = new WeakMap();
    this.#signalIds = new WeakMap();
    this.#controllers.clear();
    this.#errors.clear();
  }

  /** Copies a value without the parts that cannot be cloned, which are added to `parts`. */
  #packAt(value: unknown, path: Path, parts: Part[]): unknown {
    if (typeof value !== "object" && typeof value !== "function") return value;
    if (value === null) return value;
    const content = this.#packPart(value);
    if (content) {
      parts.push({ path, ...content });
      return undefined;
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => this.#packAt(item, [...path, index], parts));
    }
    if (!isRecord(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, item]) => [key, this.#packAt(item, [...path, key], parts)]),
    );
  }

  #packPart(value: object): PartContent | undefined {
    if (typeof value === "function") {
      return { kind: "function", id: this.#getFunctionId(value as AnyFunction) };
    }
    if (value instanceof AbortSignal) return this.#packSignal(value);
    if (value instanceof Error) return { kind: "error", error: this.#packError(value) };
    if (value instanceof URL) return { kind: "url", href: value.href };
    return undefined;
  }

  #getFunctionId(passedFunction: AnyFunction): number {
    const known = this.#functionIds.get(passedFunction);
    if (known !== undefined) return known;
    const id = ++this.#lastId;
    this.#functions.set(id, passedFunction);
    this.#functionIds.set(passedFunction, id);
    return id;
  }

  #packSignal(signal: AbortSignal): PartContent {
    let id = this.#signalIds.get(signal);
    if (id === undefined) {
      id = ++this.#lastId;
      this.#signalIds.set(signal, id);
      const signalId = id;
      const send = () => this.#remote.sendAbort(signalId, signal.reason);
      const listenerOptions = { once: true, signal: this.#releaseController.signal };
      if (!signal.aborted) signal.addEventListener("abort", send, listenerOptions);
    }
    return { kind: "signal", id, ...(signal.aborted && { reason: this.pack(signal.reason) }) };
  }

  #packError(error: Error, depth = 0): SentError {
    const foreign = this.#foreignErrors.get(error);
    if (foreign !== undefined) return { isOwn: true, id: foreign };
    const id = ++this.#lastId;
    this.#errors.set(id, error);
    const { name, message, stack, cause } = error;
    const { code } = error as { readonly code?: unknown };
    return {
      isOwn: false,
      id,
      name,
      message,
      stack,
      ...(typeof code === "string" && { code }),
      ...(isOctavoError(error) && { details: toPlainDetails(error.details) }),
      ...(cause instanceof Error &&
        depth < maxCauses && { cause: this.#packError(cause, depth + 1) }),
    };
  }

  #unpackPart(part: Part): unknown {
    if (part.kind === "error") return this.#unpackError(part.error);
    if (part.kind === "signal") return this.#unpackSignal(part.id, part.reason);
    if (part.kind === "url") return new URL(part.href);
    const { id } = part;
    return (...args: readonly unknown[]) => {
      const result = this.#remote.callFunction(id, args);
      // A caller that ignores the result also ignores the failure.
      result.catch(() => {});
      return result;
    };
  }

  #unpackSignal(id: number, reason: Parcel | undefined): AbortSignal {
    let controller = this.#controllers.get(id);
    if (!controller) this.#controllers.set(id, (controller = new AbortController()));
    if (reason) controller.abort(this.unpack(reason));
    return controller.signal;
  }

  #unpackError(sent: SentError): Error {
    if (sent.isOwn)
      return this.#errors.get(sent.id) ?? new Error("The other process returned an unknown error.");
    const { id, message, stack, code, details } = sent;
    const cause = sent.cause && this.#unpackError(sent.cause);
    const options = cause === undefined ? {} : { cause };
    const error = details
      ? new OctavoError(code as ErrorCode, message, { ...options, details })
      : Object.assign(new Error(message, options), code !== undefined && { code });
    if (!details) Object.defineProperty(error, "name", { value: sent.name, configurable: true });
    if (stack !== undefined) error.stack = stack;
    this.#foreignErrors.set(error, id);
    return error;
  }
}

function getParent(root: unknown, path: Path): Record<string | number, unknown> {
  let container = root as Record<string | number, unknown>;
  for (const key of path.slice(0, -1))
    container = container[key] as Record<string | number, unknown>;
  return container;
}

/** Reports whether a value is an object without a class. Bytes, dates, maps and sets are cloned whole. */
function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Converts details to plain values, as in the JSON that clients receive. */
function toPlainDetails(details: OctavoError["details"]): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(details)) as Readonly<Record<string, unknown>>;
}
