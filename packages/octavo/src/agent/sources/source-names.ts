const maxLength = 60;

/**
 * A name for each repository: the last part of its address, or as many parts as tell it from the others, and a number
 * where all are the same. In order; of ASCII letters, digits, `.`, `_`, `-` and `/` alone.
 */
export function sourceNames(repositories: readonly string[]): readonly string[] {
  const addresses = repositories.map(partsOf);
  const names = addresses.map((parts, index) => shortestName(parts, addresses.toSpliced(index, 1)));
  const used = new Map<string, number>();
  return names.map((name) => {
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return count === 1 ? name : `${name}-${count}`;
  });
}

function shortestName(parts: readonly string[], others: readonly (readonly string[])[]): string {
  const different = others.filter((other) => other.join("/") !== parts.join("/"));
  for (let count = 1; count < parts.length; count++) {
    const name = endOf(parts, count);
    if (different.every((other) => endOf(other, count) !== name)) return name;
  }
  return endOf(parts, parts.length);
}

function endOf(parts: readonly string[], count: number): string {
  return (
    parts
      .slice(-count)
      .join("/")
      .slice(-maxLength)
      .replace(/^[^a-z\d]+/i, "") || "source"
  );
}

/** The parts of an address after its scheme. */
function partsOf(repository: string): readonly string[] {
  return repository
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/^[^/]*@/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split(/[/:]/)
    .map((part) => part.replaceAll(/[^\w.-]+/g, "-"))
    .filter((part) => part !== "");
}
