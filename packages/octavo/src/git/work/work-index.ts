import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { GitTools } from "../program/tools.ts";

/** A separate git index for one operation, so that other readers of the mirror are not affected. */
interface WorkIndex extends AsyncDisposable {
  readonly file: string;
}

export function openWorkIndex(tools: GitTools): WorkIndex {
  const file = join(tools.home.folder, `index-${randomUUID()}`);
  return {
    file,
    async [Symbol.asyncDispose]() {
      await Promise.all([rm(file, { force: true }), rm(`${file}.lock`, { force: true })]);
    },
  };
}
