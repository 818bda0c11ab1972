export interface PropertyRuns {
  readonly numRuns: number;
  readonly seed: number;
  readonly endOnFailure: boolean;
}

/** Whether new cases are asked for with `--rounds`. */
const isSearch = process.env["OCTAVO_TEST_ROUNDS"] !== undefined;

/**
 * Returns how fast-check tries a property. By default `numRuns` cases that are the same in every run, so that no run
 * fails by chance, and the first case that fails ends the test: a search for a smaller one can take minutes. With
 * `--rounds` that many new cases, with such a search. `OCTAVO_TEST_SEED` repeats the cases of a seed.
 */
export function planPropertyRuns(numRuns: number): PropertyRuns {
  const rounds = process.env["OCTAVO_TEST_ROUNDS"];
  const seed = process.env["OCTAVO_TEST_SEED"];
  return {
    numRuns: Number(rounds ?? numRuns),
    seed: Number(seed ?? (isSearch ? Date.now() % 2 ** 31 : 7)),
    endOnFailure: !isSearch,
  };
}
