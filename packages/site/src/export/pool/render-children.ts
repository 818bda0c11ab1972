import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { resolveSiblingModule } from "../../core/index.ts";
import { killChild } from "../../sandbox/index.ts";
import { detectSandbox, spawnSandboxed, wakeChild } from "../../sandbox/index.ts";
import type { Sandbox, StartOptions } from "../../sandbox/index.ts";

/**
 * Supplies pools with child processes. Starting a child takes 0.3 s of CPU, so idle children wait here (for 5 seconds
 * by default) in case the site is rendered again, as happens repeatedly in an agent job. A child serves only one site,
 * because a child that a hostile page has taken over must never receive a different owner's site.
 */
export interface RenderChildren extends AsyncDisposable {
  /**
   * Starts a process that becomes the next child if one is needed. Call it before the calling process grows large,
   * because Linux copies the page tables of a process that starts another process. A process that is asleep costs
   * almost nothing until it is needed; a process that is awake loads its program.
   */
  prepare(options: StartOptions): void;
  /**
   * Takes an idle child: a waiting child, the prepared child or a new child. In each case its program waits for a
   * setup.
   */
  take(): ChildProcess;
  /** Returns a child that has answered all requests, for the next pool. */
  giveBack(child: ChildProcess): void;
}

/** The time is short, because a waiting child takes about 100 MB and a model may think for minutes. */
const defaultIdleMs = 5_000;
const program = resolveSiblingModule(import.meta.url, "child");

/** Opens a supply of children. Children that are not taken within `idleMs` are stopped. */
export function openRenderChildren(idleMs = defaultIdleMs): RenderChildren {
  let sandbox: Sandbox | undefined;
  const idleChildren = new Map<ChildProcess, NodeJS.Timeout>();
  let prepared: { readonly child: ChildProcess; readonly isAsleep: boolean } | undefined;
  let isClosed = false;

  function start(options: StartOptions): ChildProcess {
    return spawnSandboxed((sandbox ??= detectSandbox()), program, options);
  }
  /** Returns undefined if the system cannot start a process, which matters only once a child is needed. */
  function takePrepared(): ChildProcess | undefined {
    const preparedChild = prepared;
    prepared = undefined;
    if (preparedChild === undefined || hasEnded(preparedChild.child)) return undefined;
    if (preparedChild.isAsleep) wakeChild(preparedChild.child);
    return preparedChild.child;
  }
  function forget(child: ChildProcess): void {
    clearTimeout(idleChildren.get(child));
    idleChildren.delete(child);
  }
  function onExit(this: ChildProcess): void {
    forget(this);
  }
  return {
    prepare(options) {
      if (process.platform !== "linux" || isClosed || idleChildren.size > 0 || prepared) return;
      try {
        // The code that takes the child adds its own listener.
        prepared = { child: start(options).on("error", () => {}), ...options };
      } catch {
        // A failure to start a process matters only once a child is needed.
      }
    },
    take() {
      const [child] = idleChildren.keys();
      if (child === undefined) return takePrepared() ?? start({ isAsleep: false });
      forget(child);
      return child.off("exit", onExit);
    },
    giveBack(child) {
      if (hasEnded(child)) return;
      if (isClosed) {
        killChild(child);
        return;
      }
      child.once("exit", onExit);
      idleChildren.set(child, setTimeout(() => killChild(child), idleMs).unref());
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const unused = prepared && !hasEnded(prepared.child) ? [prepared.child] : [];
      const children = [...idleChildren.keys(), ...unused];
      const exits = children.map((child) => once(child, "exit"));
      for (const child of children) killChild(child);
      await Promise.all(exits);
    },
  };
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}
