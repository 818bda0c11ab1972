import { execFile } from "node:child_process";
import { mkdir, open as openFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { patience } from "./patience.ts";

const execute = promisify(execFile);

/** A moment of a running service. */
export interface Step {
  /**
   * A git command; `edit`: the agent writes a file of its checkout; `store`: a pack is put into the storage; `place`:
   * refs that were published are put into the node's copy.
   */
  readonly name: string;
  readonly edge: "before" | "after";
  /**
   * Stand among git's arguments, in the path of its repository, or in what is written: they tell this call from all
   * others.
   */
  readonly words?: readonly string[];
  /** How many such calls pass before; only for what is not a git command. */
  readonly skip?: number;
}

export interface HeldStep {
  /** Resolves when something is held there; throws where nothing comes. */
  reached(): Promise<void>;
  /** It goes on, also where its service is dead: git's processes outlive it. */
  letGo(): Promise<void>;
  /** It ends without doing more, as when the machine died and not only the service. */
  end(): Promise<void>;
}

/**
 * Holds a service at named steps until the test has done something to it. The service is the real one,
 * started with `environment`: a preload leads its calls of git through a script that lets all of them
 * pass but those that are held.
 */
export interface StepGate extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  /** The next call that comes to this step is held there. */
  hold(step: Step): Promise<HeldStep>;
}

const pollMs = 10;

/** Stands for git. A file beside it, named after a step, says that the next call is held there. */
const script = `#!/bin/sh
gate=\${0%/*}
all="$GIT_DIR $*"
command=
is_setting=
for argument in "$@"; do
  if [ "$is_setting" ]; then is_setting=; continue; fi
  if [ "$argument" = -c ]; then is_setting=yes; continue; fi
  command=$argument
  break
done
hold() {
  wanted=$gate/$command.$1
  [ -e "$wanted" ] || return 0
  { read -r name skip needed < "$wanted"; } 2> /dev/null || return 0
  for word in $needed; do
    case "$all" in *"$word"*) ;; *) return 0 ;; esac
  done
  mv "$wanted" "$gate/$name.reached" 2> /dev/null || return 0
  # Waits without working, until a line comes or the test ended.
  read -r line < "$gate/$name.bell"
  [ -e "$gate/$name.go" ] || exit 1
}
hold before
[ -e "$gate/$command.after" ] || exec git "$@"
git "$@"
code=$?
hold after
exit $code
`;

export async function openStepGate(folder: string): Promise<StepGate> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "git"), script, { mode: 0o700 });
  const preload = pathToFileURL(join(import.meta.dirname, "step-gate.preload.ts"));
  let count = 0;
  const open = new AsyncDisposableStack();
  return {
    environment: { NODE_OPTIONS: `--import=${preload.href}`, OCTAVO_TEST_GATE: folder },
    async hold({ name, edge, words = [], skip = 0 }) {
      const held = join(folder, `held-${++count}`);
      await execute("mkfifo", [`${held}.bell`]);
      // Opened for reading too, so that ringing waits for nobody.
      const bell = open.use(await openFile(`${held}.bell`, "r+"));
      const ring = async () => void (await bell.write("\n"));
      await writeFile(`${held}.wanted`, `held-${count} ${skip} ${words.join(" ")}\n`);
      // There as a whole at once: calls that are under way meanwhile read it.
      await rename(`${held}.wanted`, join(folder, `${name}.${edge}`));
      return {
        async reached() {
          const signal = patience();
          while (!(await exists(`${held}.reached`))) await wait(pollMs, undefined, { signal });
        },
        async letGo() {
          await writeFile(`${held}.go`, "");
          await ring();
        },
        end: ring,
      };
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
