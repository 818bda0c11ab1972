import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { siblingModule } from "../../core/index.ts";
import { endChild } from "./contained-program.ts";
import { detectSandbox, spawnSandboxed, wakeChild } from "./sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

/**
 * Where pools get their child processes. Starting one takes 0.3 s of CPU, so where a site is rendered again and
 * again, as in a turn of an agent job, children without work wait here for a while. They are of one site: a child
 * that a hostile page has taken over must not be given another owner's.
 */
export interface RenderChildren extends AsyncDisposable {
  /**
   * Starts a process that becomes the next child if there is need of one: to be called by a process that will be large
   * by then, because Linux copies the page tables of whoever starts another.
   */
  prepare(): void;
  /** A child without work: one that waits, the prepared one, or a new one. Its program awaits a setup in any case. */
  take(): ChildProcess;
  /** Keeps a child that has answered all it was asked, for the next pool. */
  giveBack(child: ChildProcess): void;
}

/** A waiting child takes some 100 MB, and a model may think for minutes. */
const defaultIdleMs = 5_000;
const program = siblingModule(import.meta.url, "child");

/** Children that nobody takes within `idleMs` are ended. */
export function openRenderChildren(idleMs = defaultIdleMs): RenderChildren {
  let sandbox: Sandbox | undefined;
  const waiting = new Map<ChildProcess, NodeJS.Timeout>();
  let prepared: ChildProcess | undefined;
  let isClosed = false;

  function start(options: { readonly isAsleep: boolean }): ChildProcess {
    return spawnSandboxed((sandbox ??= detectSandbox()), program, options);
  }
  /** Undefined where the system refuses: that counts once a child is needed. */
  function startAsleep(): ChildProcess | undefined {
    try {
      // Whoever takes it has a listener of their own.
      return start({ isAsleep: true }).on("error", () => {});
    } catch {
      return undefined;
    }
  }
  function takePrepared(): ChildProcess | undefined {
    const child = prepared;
    prepared = undefined;
    if (child === undefined || hasEnded(child)) return undefined;
    wakeChild(child);
    return child;
  }
  function forget(child: ChildProcess): void {
    clearTimeout(waiting.get(child));
    waiting.delete(child);
  }
  function onExit(this: ChildProcess): void {
    forget(this);
  }
  return {
    prepare() {
      if (process.platform !== "linux" || isClosed || waiting.size > 0 || prepared) return;
      prepared = startAsleep();
    },
    take() {
      const [child] = waiting.keys();
      if (child === undefined) return takePrepared() ?? start({ isAsleep: false });
      forget(child);
      return child.off("exit", onExit);
    },
    giveBack(child) {
      if (hasEnded(child)) return;
      if (isClosed) {
        endChild(child);
        return;
      }
      child.once("exit", onExit);
      waiting.set(child, setTimeout(() => endChild(child), idleMs).unref());
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const unused = prepared && !hasEnded(prepared) ? [prepared] : [];
      const children = [...waiting.keys(), ...unused];
      const exits = children.map((child) => once(child, "exit"));
      for (const child of children) endChild(child);
      await Promise.all(exits);
    },
  };
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}
