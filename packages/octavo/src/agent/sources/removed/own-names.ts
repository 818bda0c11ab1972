const maxNames = 200;

/** By what the users of a source call it: its packages and programs. Fed with the manifests of a scan. */
export interface OwnNames {
  read(path: string, text: string): void;
  names(): readonly string[];
}

export function createOwnNames(source: string): OwnNames {
  const names = new Set([source.slice(source.lastIndexOf("/") + 1)]);
  return {
    read(path, text) {
      const program = /(?:^|\/)cmd\/([\w.-]+)\/main\.go$/.exec(path)?.[1];
      for (const name of [...(program === undefined ? [] : [program]), ...namesIn(path, text)]) {
        if (names.size < maxNames && /^[\w@][\w@./-]{0,100}$/.test(name)) names.add(name);
      }
    },
    names: () => [...names],
  };
}

function namesIn(path: string, text: string): readonly string[] {
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (file === "package.json") return namesOfPackage(text);
  if (file === "go.mod") {
    const [, module = ""] = /^module\s+(\S+)/m.exec(text) ?? [];
    const name = module.replace(/\/v\d+$/, "");
    return [name, name.slice(name.lastIndexOf("/") + 1)];
  }
  if (file !== "Cargo.toml" && file !== "pyproject.toml") return [];
  const [, scripts = ""] = /^\[project\.scripts\]\n((?:(?!\[).*\n?)*)/m.exec(text) ?? [];
  return [
    ...[...text.matchAll(/^name\s*=\s*["']([^"'\n]+)["']/gm)].map(([, name = ""]) => name),
    ...[...scripts.matchAll(/^["']?([\w.-]+)["']?\s*=/gm)].map(([, name = ""]) => name),
  ];
}

function namesOfPackage(text: string): readonly string[] {
  try {
    const { name, bin } = JSON.parse(text) as { readonly name?: unknown; readonly bin?: unknown };
    const programs = typeof bin === "object" && bin !== null ? Object.keys(bin) : [];
    return typeof name === "string" ? [name, ...programs] : programs;
  } catch {
    return [];
  }
}
