import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { CommandContext } from "./context.ts";
import { formatExamples } from "./flags.ts";
import { commands } from "./commands.ts";

/** A command with the words that can follow it. */
interface CompletableCommand {
  /** The names from the program down to this command, e.g. `keys create`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly string[];
}

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

export function defineCompletion(command: Command, context: CommandContext): void {
  command
    .description(
      "Prints a script that completes the commands and options of octavo in a shell. Load it when the shell starts.",
    )
    .argument("<shell>", "bash, zsh or fish")
    .addHelpText(
      "after",
      `
Add a line to the shell's configuration:
  ~/.bashrc                   source <(octavo completion bash)
  ~/.zshrc                    source <(octavo completion zsh)
  ~/.config/fish/config.fish  octavo completion fish | source
${formatExamples("completion bash")}`,
    )
    .action(async (given: string) => {
      const shell = shells.find((name) => name === given);
      if (!shell) {
        const message = `Completion for ${JSON.stringify(given)} is not available; choose bash, zsh or fish.`;
        throw new OctavoError("invalid_input", message);
      }
      context.terminal.print(scriptFormatters[shell](await listCommands(context)));
    });
}

/** Lists the program and all of its commands, each with its subcommands and options. */
async function listCommands(context: CommandContext): Promise<readonly CompletableCommand[]> {
  const { Command: Parser } = await import("commander");
  const program = new Parser("octavo");
  for (const { name, load } of commands) (await load())(program.command(name), context);
  const listWithSubcommands = (command: Command, path: string): readonly CompletableCommand[] => [
    {
      path,
      words: [
        ...command.commands.map((child) => child.name()),
        ...command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? []))),
        "--help",
      ],
    },
    ...command.commands.flatMap((child) =>
      listWithSubcommands(child, `${path} ${child.name()}`.trim()),
    ),
  ];
  return listWithSubcommands(program, "");
}

const scriptFormatters: Readonly<Record<Shell, (all: readonly CompletableCommand[]) => string>> = {
  bash: formatBash,
  zsh: (all) =>
    `autoload -Uz +X compinit bashcompinit && compinit && bashcompinit\n${formatBash(all)}`,
  fish: formatFish,
};

/**
 * Formats a Bash function that removes words from the end of the line until the remaining words are a known command.
 */
function formatBash(all: readonly CompletableCommand[]): string {
  const cases = all.map(({ path, words }) => `    "${path}") words="${words.join(" ")}"; break ;;`);
  return `_octavo() {
  local line="" word words
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$word" in -*) ;; *) line="\${line:+$line }$word" ;; esac
  done
  while :; do
    case "$line" in
${cases.join("\n")}
    esac
    case "$line" in *" "*) line="\${line% *}" ;; *) line="" ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _octavo octavo`;
}

function formatFish(all: readonly CompletableCommand[]): string {
  const lines = all.flatMap(({ path, words }) => {
    const names = path.split(" ").filter((name) => name !== "");
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const condition = seen.length === 0 ? "__fish_use_subcommand" : seen.join("; and ");
    return words.map((word) => {
      const completed = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c octavo -n "${condition}" ${completed}`;
    });
  });
  return lines.join("\n");
}
