import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** The free sets that icons come from, each a folder of drawings or one file of them. */
export type IconSet = "lucide" | "fa-solid" | "fa-regular" | "fa-brands" | "tabler";

/** Which icons there are, old names included. */
export interface IconNames {
  /** The names of a set, which is listed when it is first asked for; no drawing is read. */
  of(set: IconSet): ReadonlySet<string>;
}

const lucideFolder = new URL("icons/", import.meta.resolve("lucide-static/package.json"));
const awesomeFolder = new URL(
  "svgs/",
  import.meta.resolve("@fortawesome/fontawesome-free/package.json"),
);
const tablerFile = new URL(import.meta.resolve("@iconify-json/tabler/icons.json"));

/** Tabler's 6,400 drawings stand in one file of 2 MB instead. */
type FolderSet = Exclude<IconSet, "tabler">;

const folders: Readonly<Record<FolderSet, URL>> = {
  lucide: lucideFolder,
  "fa-solid": new URL("solid/", awesomeFolder),
  "fa-regular": new URL("regular/", awesomeFolder),
  "fa-brands": new URL("brands/", awesomeFolder),
};

export function createIconNames(): IconNames {
  const sets = new Map<IconSet, ReadonlySet<string>>();
  return {
    of(set) {
      const names = sets.get(set) ?? readNames(set);
      sets.set(set, names);
      return names;
    },
  };
}

function readNames(set: IconSet): ReadonlySet<string> {
  if (set === "tabler") {
    const { icons, aliases } = readTabler();
    return new Set([...Object.keys(icons), ...Object.keys(aliases)]);
  }
  const names = new Set<string>();
  for (const file of readdirSync(folders[set])) {
    if (file.endsWith(".svg")) names.add(file.slice(0, -".svg".length));
  }
  return names;
}

interface TablerFile {
  readonly icons: Readonly<Record<string, { readonly body: string }>>;
  readonly aliases: Readonly<Record<string, { readonly parent: string }>>;
}

function readTabler(): TablerFile {
  return JSON.parse(readFileSync(tablerFile, "utf8")) as TablerFile;
}

const keyForm =
  /^(?<set>lucide|tabler|fa-(?:solid|regular|brands)):(?<name>[a-z0-9]+(?:-[a-z0-9]+)*)$/;

/**
 * The SVG documents of keys such as `lucide:rocket` or `fa-solid:rocket`; undefined for a key of
 * another form and for an icon that is not there. Tabler's file is read for the first key that needs it.
 */
export function createDrawings(): (key: string) => Promise<string | undefined> {
  let tabler: TablerFile | undefined;
  return async function drawing(key) {
    const { set, name } = keyForm.exec(key)?.groups ?? {};
    if (set === undefined || name === undefined) return undefined;
    if (set !== "tabler") return readSvg(new URL(`${name}.svg`, folders[set as FolderSet]));
    tabler ??= readTabler();
    const { icons, aliases } = tabler;
    const own = Object.hasOwn(aliases, name) ? aliases[name]?.parent : name;
    const body = own !== undefined && Object.hasOwn(icons, own) ? icons[own]?.body : undefined;
    return body && `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${body}</svg>`;
  };
}

async function readSvg(file: URL): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The class that an icon's key has in HTML and CSS: `i-fa-solid-rocket`. */
export function iconClass(key: string): string {
  return `i-${key.replace(":", "-")}`;
}
