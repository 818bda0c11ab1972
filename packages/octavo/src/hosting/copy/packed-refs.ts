interface NamedCommit {
  readonly name: string;
  readonly commit: string;
}

/** Formats git's `packed-refs` file. */
export function formatPackedRefs(refs: ReadonlyMap<string, string>): string {
  const text = sortRefs(refs).map(({ name, commit }) => `${commit} ${name}\n`);
  return `# pack-refs with: sorted \n${text.join("")}`;
}

/** Sorts refs by the bytes of their names, as git does. */
export function sortRefs(refs: ReadonlyMap<string, string>): readonly NamedCommit[] {
  const lines = [...refs].map(([name, commit]) => ({ bytes: Buffer.from(name), name, commit }));
  return lines.toSorted((a, b) => Buffer.compare(a.bytes, b.bytes));
}
