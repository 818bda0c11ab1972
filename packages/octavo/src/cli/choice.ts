import { OctavoError } from "@octavo/site/core";

/** What a person chose by a flag. Throws `invalid_input` for a word that is not one of `known`. */
export function readChoice<Word extends string>(
  flag: string,
  known: readonly Word[],
  given: string,
): Word {
  const choice = known.find((word) => word === given);
  if (choice !== undefined) return choice;
  const words = `${known.slice(0, -1).join(", ")} or ${known.at(-1) ?? ""}`;
  throw new OctavoError("invalid_input", `${flag} takes ${words}, not ${JSON.stringify(given)}.`);
}
