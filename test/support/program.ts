import { resolve } from "node:path";

/** The flags that `npm start` passes to Node; `bin/octavo.js` says why. */
const stableFlags = ["--no-memory-protection-keys", "--no-wasm-code-gc"] as const;
export const runtimeFlags = [
  "--conditions=@octavo/source",
  ...stableFlags,
  "--disable-warning=ExperimentalWarning",
] as const;

const built = process.env["OCTAVO_TEST_PROGRAM"];

/** The program `octavo`: where `npm test` built it, as it is installed; otherwise as it is in the repository. */
export const program = built ?? resolve(import.meta.dirname, "../../packages/octavo/bin/octavo.js");

/** Arguments of Node that run the program with `args`; `nodeArgs` come before it. */
export function programArgs(args: readonly string[], nodeArgs: readonly string[] = []): string[] {
  const flags = built === undefined ? runtimeFlags : stableFlags;
  return [...flags, ...nodeArgs, program, ...args];
}
