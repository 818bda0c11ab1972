import { c, cpp } from "./language/c.ts";
import { csharp, dotnet } from "./language/csharp.ts";
import { curl } from "./language/curl.ts";
import { dart } from "./language/dart.ts";
import { go } from "./language/go.ts";
import { java } from "./language/java.ts";
import { javascript, node, typescript } from "./language/javascript.ts";
import { kotlin } from "./language/kotlin.ts";
import { php } from "./language/php.ts";
import { powershell } from "./language/powershell.ts";
import { python } from "./language/python.ts";
import { ruby } from "./language/ruby.ts";
import { rust } from "./language/rust.ts";
import { swift } from "./language/swift.ts";
import type { SampleLanguage } from "./sample-language.ts";

/** The languages of a site that does not configure any. */
const defaultLanguages: readonly SampleLanguage[] = [curl, python, javascript, php, go, java, ruby];

const allLanguages: readonly SampleLanguage[] = [...defaultLanguages, node, typescript, csharp, dotnet, powershell, swift, kotlin, rust, dart, c, cpp]; // prettier-ignore

/** Finds the language that a site or a sample calls `name`. */
export function findSampleLanguage(name: string): SampleLanguage | undefined {
  const lower = name.trim().toLowerCase();
  return allLanguages.find(({ names }) => names.includes(lower));
}

/** Lists the languages in the order in which they are shown. Unknown names are ignored. */
export function listSampleLanguages(
  names: readonly string[] | undefined,
): readonly SampleLanguage[] {
  if (names === undefined) return defaultLanguages;
  const found = names
    .map((name) => findSampleLanguage(name))
    .filter((found) => found !== undefined);
  return [...new Set(found)];
}
