/** Words that an instruction may use for one another; the first of each line is the one that forms are written with. */
const lines = `
  fix repair mend correct
  broken dead
  anchors anchor
  links link
  misspellings misspelling typos typo
  rename
  replace
  term word phrase
  move relocate
  delete remove
  add create
  set change update
  fill
  description
  page
  folder directory
  in within under
  to -> → =>
  with by
  group section
`;

const leaders: ReadonlyMap<string, string> = new Map(
  lines
    .trim()
    .split("\n")
    .flatMap((line) => {
      const words = line.trim().split(" ");
      return words.map((word) => [word, words[0] ?? word] as const);
    }),
);

/** Words that a form does not need: they say nothing. */
const silent: ReadonlySet<string> = new Set(["a", "an", "the", "please"]);

export function isSilent(word: string): boolean {
  return silent.has(word.toLowerCase());
}

/** The word that stands for it in forms. */
export function leaderOf(word: string): string {
  const plain = word.toLowerCase();
  return leaders.get(plain) ?? plain;
}
