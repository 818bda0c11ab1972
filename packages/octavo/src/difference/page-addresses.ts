import { posix } from "node:path";
import type { BundleEntry, OpenBundle } from "../bundles/index.ts";

/** Compares the addresses in a page's two versions, and relocates those of the older version. */
export interface PageAddresses {
  /** Converts an address in a version to a string that is equal for addresses that look the same to readers. */
  readonly identify: (version: "before" | "after", address: string, use: AddressUse) => string;
  /** Converts an address in the older version to one that the newer page can use. */
  readonly relocate: (address: string, use: AddressUse) => string;
  /** The former files to which relocated addresses point, by name in the difference. */
  readonly pictures: ReadonlyMap<string, BundleEntry>;
}

/** A link leads to its address; a file is shown on the page. */
export type AddressUse = "link" | "file";

interface Bundles {
  readonly before: OpenBundle;
  readonly after: OpenBundle;
}

/** Creates the mapping of addresses for a page. `files` are the page's files, which differ if the page was moved. */
export function createPageAddresses(
  bundles: Bundles,
  files: Readonly<Record<"before" | "after", string>>,
): PageAddresses {
  const pictures = new Map<string, BundleEntry>();
  const root = "../".repeat(files.after.split("/").length - 1);

  return {
    identify(version, address, use) {
      const path = resolveAddress(files[version], address);
      if (path === undefined) return address.trim();
      // Readers do not see which position on a page a link leads to.
      if (use === "link") return `/${path.replace(/(?:^|\/)index(?:\.html)?$|\.html$/, "")}`;
      const entry = bundles[version].entries.get(path);
      return entry ? `file:${entry.crc32}-${entry.bytes}` : `/${path}`;
    },
    relocate(address, use) {
      const path = resolveAddress(files.before, address);
      if (path === undefined || address.startsWith("/")) return address;
      if (use === "link") {
        if (files.before === files.after || address.startsWith("#")) return address;
        return `${root}${path}${/[?#].*$/s.exec(address)?.[0] ?? ""}`;
      }
      const entry = bundles.before.entries.get(path);
      if (!entry) return address;
      const current = bundles.after.entries.get(path);
      if (current?.crc32 === entry.crc32 && current.bytes === entry.bytes) {
        return files.before === files.after ? address : `${root}${encodePath(path)}`;
      }
      const name = `${entry.crc32.toString(16)}-${entry.bytes}${posix.extname(path)}`;
      pictures.set(`_octavo/difference/files/${name}`, entry);
      return `${root}_octavo/difference/files/${encodePath(name)}`;
    },
    pictures,
  };
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Returns the bundle path to which an address on a page refers, or undefined for an external address. */
function resolveAddress(file: string, address: string): string | undefined {
  const trimmed = address.trim();
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(trimmed)) return undefined;
  const [path = ""] = trimmed.split(/[?#]/, 1);
  if (path === "") return file.replace(/\.html$/, "");
  try {
    const decoded = decodeURIComponent(path);
    const joined = decoded.startsWith("/")
      ? decoded
      : posix.join("/", posix.dirname(file), decoded);
    return posix.normalize(joined).replace(/^\/+/, "").replace(/\/$/, "/index");
  } catch {
    return undefined;
  }
}

/** Attributes that contain an address, with the use of the address. */
const addressAttributes: ReadonlyMap<string, AddressUse> = new Map([
  ["data", "file"],
  ["href", "link"],
  ["poster", "file"],
  ["src", "file"],
]);
const cssUrlPattern = /url\(\s*(["']?)(.*?)\1\s*\)/g;

/** Replaces the addresses in the value of an attribute. */
export function mapAddresses(
  { name, value }: { readonly name: string; readonly value: string },
  convert: (address: string, use: AddressUse) => string,
): string {
  const use = addressAttributes.get(name);
  if (use) return convert(value, use);
  if (name === "style") {
    return value.replaceAll(cssUrlPattern, (_match, quote: string, address: string) => {
      return `url(${quote}${convert(address, "file")}${quote})`;
    });
  }
  if (name !== "srcset") return value;
  const candidates = value.split(/,\s+|,$/).map((candidate) => {
    const [address = "", ...size] = candidate.trim().split(/\s+/);
    return [convert(address, "file"), ...size].join(" ");
  });
  return candidates.join(", ");
}
