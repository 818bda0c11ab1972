import { posix } from "node:path";
import { isOctavoError, OctavoError, getParentFolder, createInputError } from "@octavo/site/core";
import { resolveLink, resolveMedia } from "@octavo/site";
import type { Reference } from "@octavo/site";
import { findCodeRanges, isInCode, LineIndex, splitAddress } from "@octavo/site/text";
import type { ContentChange } from "../changes/file-change.ts";
import { editRedirects, removeLinks, renameAddresses, isSameAddress } from "./addresses.ts";
import { readConfigurationFiles } from "./configuration.ts";
import type { Configuration } from "./configuration.ts";
import { removeFromNavigation } from "./navigation.ts";
import { rewriteLinks } from "./rewrite-links.ts";
import type { LinkTarget } from "./rewrite-links.ts";
import {
  getReaderAddress,
  EditSet,
  findLinkedPage,
  findEntryPage,
  surveySite,
} from "./upkeep-plan.ts";
import type { SiteSurvey, SiteEditInput, SiteEditPlan } from "./upkeep-plan.ts";

interface DeleteInput extends SiteEditInput {
  readonly path: string;
  /** A page's address, or a URL. */
  readonly redirectTo: string | undefined;
}

/** The page or URL to which readers of a deleted page are sent. */
interface Destination {
  /** The address for a redirect. */
  readonly address: string;
  /** The page or file of the site; undefined for a URL. */
  readonly goal: LinkTarget | undefined;
  readonly suffix: string;
}

/**
 * Plans the removal of a page or file, including its navigation entries, the levels that become empty, and the
 * redirects and links in the configuration that led to it. If there is a destination, adds a redirect and changes every
 * link to the page.
 */
export async function planDeletion(input: DeleteInput): Promise<SiteEditPlan> {
  const { workspace, path, redirectTo } = input;
  await workspace.kindOf(path);
  const survey = await surveySite(input);
  const page = survey.site.pages.find(
    ({ file, isGenerated }) => file === path && !isGenerated,
  )?.path;
  const destination =
    redirectTo === undefined ? undefined : readDestination(survey, redirectTo, page);
  const edits = new EditSet();
  const { configuration, texts } = survey;
  const missed = changeLinks(edits, survey, { page, path, destination });
  let emptied: readonly string[] = [];
  if (configuration && page !== undefined) {
    emptied = changeConfiguration(edits, { configuration, survey, page, destination });
  }
  const written = edits.texts(
    (file) => texts.get(file) ?? configuration?.files.get(file)?.root.source.text,
  );
  written.delete(path);
  const orphans = await unnamedFiles(emptied, written, configuration);
  const changes: ContentChange[] = [{ type: "delete", path }];
  for (const orphan of orphans) changes.push({ type: "delete", path: orphan });
  for (const [file, text] of written) {
    if (!orphans.includes(file)) changes.push({ type: "write", path: file, text });
  }
  const isRedirected = destination === undefined || configuration !== undefined;
  const note = "The site has no docs.json, so no redirect could be added.";
  return { changes, linksLeft: missed, ...(isRedirected ? {} : { note }) };
}

function readDestination(
  { links }: SiteSurvey,
  redirectTo: string,
  page: string | undefined,
): Destination {
  if (page === undefined) {
    throw createInputError("Only a page can be redirected; omit redirectTo.");
  }
  if (/^https?:\/\/[^\s/]/i.test(redirectTo)) {
    return { address: redirectTo, goal: undefined, suffix: "" };
  }
  const address = redirectTo.startsWith("/") ? redirectTo : `/${redirectTo}`;
  const resolution = resolveLink(address, { page: "index", file: "index.mdx" }, links);
  const isPlace = resolution.kind === "page" || resolution.kind === "file";
  if (!isPlace || (resolution.kind === "page" && resolution.path === page)) {
    throw createInputError(
      `redirectTo must be another page of the site or a URL; ${JSON.stringify(redirectTo)} is neither.`,
    );
  }
  const { kind, path } = resolution;
  const name = kind === "page" ? getReaderAddress(path, (name) => links.hasPage(name)) : `/${path}`;
  const { suffix } = splitAddress(address);
  return { address: name + suffix, goal: { kind, path }, suffix };
}

/** Changes links so that they lead to the destination. Returns the links that will be broken. */
function changeLinks(
  edits: EditSet,
  survey: SiteSurvey,
  target: {
    readonly page: string | undefined;
    readonly path: string;
    readonly destination: Destination | undefined;
  },
): readonly Reference[] {
  const { links, references, texts } = survey;
  const { page, path, destination } = target;
  const isTarget = (goal: LinkTarget) =>
    page === undefined ? goal.path === path : goal.kind === "page" && goal.path === page;
  const others = references.filter(({ reference }) => reference.file !== path);
  if (destination?.goal === undefined) {
    // The renderer follows redirects, so links to a page that is redirected to a URL still work.
    if (destination) return [];
    const left = others.filter(({ page: origin, reference }) => {
      const resolved = reference.kind === "link" ? resolveLink : resolveMedia;
      const { target } = reference;
      const goal = resolved(target, { page: origin, file: reference.file }, links);
      return (goal.kind === "page" || goal.kind === "file") && isTarget(goal);
    });
    return [...left.map(({ reference }) => reference), ...findImports(path, texts)];
  }
  const { goal, suffix } = destination;
  const rewritten = rewriteLinks(
    others,
    {
      before: links,
      after: links,
      goalAfter: (old) => (isTarget(old) ? goal : undefined),
      pageAfter: (name) => name,
      fileAfter: (name) => name,
      suffixAfter: (old) => (isTarget(old) ? suffix : undefined),
    },
    (file) => texts.get(file),
  );
  edits.addAll(rewritten.edits);
  return rewritten.missed;
}

/** Returns the imports of the file in pages and snippets. */
function findImports(path: string, texts: ReadonlyMap<string, string>): Reference[] {
  const found: Reference[] = [];
  for (const [file, text] of texts) {
    const [code, lines] = [findCodeRanges(text), new LineIndex(text)];
    for (const match of text.matchAll(/^import\s[^"'`;]{0,2000}?["']([^"'\n]{1,1000})["']/gm)) {
      const target = match[1] ?? "";
      const named = target.startsWith("/")
        ? target.slice(1)
        : posix.join(getParentFolder(file), target);
      if (isInCode(code, match.index) || (named !== path && `${named}.mdx` !== path)) continue;
      const { line } = lines.placeAt(match.index);
      found.push({ kind: "link", target, file, line, column: 1 });
    }
  }
  return found;
}

function changeConfiguration(
  edits: EditSet,
  input: {
    readonly configuration: Configuration;
    readonly survey: SiteSurvey;
    readonly page: string;
    readonly destination: Destination | undefined;
  },
): readonly string[] {
  const { configuration, survey, page, destination } = input;
  const { links } = survey;
  const leads = (address: string) => {
    const { path } = splitAddress(address);
    return path !== "" && path !== "/" && findLinkedPage(address, links) === page;
  };
  const navigation = removeFromNavigation(
    configuration,
    (entry) => findEntryPage(entry, links) === page,
  );
  edits.addAll(navigation.edits);
  const source = getReaderAddress(page, (path) => path !== page && links.hasPage(path));
  const redirects = editRedirects(configuration, {
    ...(destination ? { add: { source, destination: destination.address } } : {}),
    decide(redirect) {
      const isOwn = isSameAddress(redirect.source, source);
      if (!isOwn && !leads(redirect.destination)) return "keep";
      if (!destination) return isOwn ? "keep" : "remove";
      const isCircle = isSameAddress(redirect.source, destination.address);
      return isCircle ? "remove" : { destination: destination.address };
    },
  });
  const addresses = destination
    ? renameAddresses(configuration, (old) => (leads(old) ? destination.address : undefined))
    : removeLinks(configuration, leads);
  for (const { file, edit } of [...redirects, ...addresses]) edits.add(file, [edit]);
  return navigation.emptied;
}

/** Returns the emptied files that the changed configuration no longer references. */
async function unnamedFiles(
  emptied: readonly string[],
  written: ReadonlyMap<string, string>,
  configuration: Configuration | undefined,
): Promise<readonly string[]> {
  if (emptied.length === 0 || !configuration) return [];
  const after = await readConfigurationFiles((path) => {
    const text = written.get(path) ?? configuration.files.get(path)?.root.source.text;
    if (text !== undefined) return Promise.resolve(text);
    return Promise.reject(new OctavoError("not_found", `There is no ${path}.`));
  }).catch((error: unknown) => {
    if (isOctavoError(error)) return undefined;
    throw error;
  });
  return after ? emptied.filter((path) => !after.files.has(path)) : [];
}
