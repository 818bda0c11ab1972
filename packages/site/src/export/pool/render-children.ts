import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { siblingModule } from "../../core/index.ts";
import { endChild } from "./contained-program.ts";
import { detectSandbox, spawnSandboxed } from "./sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

/**
 * Where pools get their child processes. Starting one takes 0.3 s of CPU, so where a site is rendered again and
 * again, as in a turn of an agent job, children without work wait here for a while. They are of one site: a child
 * that a hostile page has taken over must not be given another owner's.
 */
export interface RenderChildren extends AsyncDisposable {
  /** A child without work: one that waits, or a new one. Its program awaits a setup either way. */
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
  let isClosed = false;

  function forget(child: ChildProcess): void {
    clearTimeout(waiting.get(child));
    waiting.delete(child);
  }
  function onExit(this: ChildProcess): void {
    forget(this);
  }
  return {
    take() {
      const [child] = waiting.keys();
      if (child === undefined) return spawnSandboxed((sandbox ??= detectSandbox()), program);
      forget(child);
      return child.off("exit", onExit);
    },
    giveBack(child) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (isClosed) {
        endChild(child);
        return;
      }
      child.once("exit", onExit);
      waiting.set(child, setTimeout(() => endChild(child), idleMs).unref());
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const children = [...waiting.keys()];
      const exits = children.map((child) => once(child, "exit"));
      for (const child of children) endChild(child);
      await Promise.all(exits);
    },
  };
}
