import type { Dirent, Stats } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import {
  createInputError,
  getBaseName,
  getParentFolder,
  isOctavoError,
  OctavoError,
  resolveInside,
  resolveRealPath,
} from "@octavo/site/core";
import { ChangeLog, type ChangeBatch } from "./changes/change-log.ts";
import { revertText, type ChangedFile, type ContentChange } from "./changes/text-changes.ts";
import { ContainedFolder, type FileStart } from "./contained-folder.ts";
import {
  agentFile,
  checkPath,
  classifyPath,
  configurationNames,
  foldName,
  isGuide,
  isSpecification,
} from "./content.ts";
import { readConfigurationFiles } from "./edits/configuration.ts";
import { fixedLimits } from "./limits.ts";

export interface WorkspaceOptions {
  /** The folder of the checkout, which is the repository's root. */
  readonly checkout: string;
  /** The site's folder in the checkout; `.` for the root. */
  readonly siteDir: string;
  /** The maximum number of files that may change. */
  readonly changedFiles: number;
  /**
   * The site's folder in its repository, if the checkout is only a part of the repository. Defaults to its folder in
   * the checkout.
   */
  readonly folder?: string | undefined;
}

/** The use of a file. `media` files are not read. */
export type ContentKind = "page" | "guide" | "configuration" | "specification" | "media" | "text";

/** Opens a site's content in a checkout. Throws `site_invalid` if the folder does not exist. */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const root = await resolveSiteRoot(options);
  const folder = options.folder ?? options.siteDir;
  const workspace = new Workspace(root, {
    ...options,
    folder: folder.replaceAll(/^(?:\.?\/)+|^\.$|\/+$/g, ""),
  });
  await workspace.survey();
  return workspace;
}

async function resolveSiteRoot({ checkout, siteDir }: WorkspaceOptions): Promise<string> {
  try {
    const [folder, root] = await Promise.all([
      realpath(checkout),
      resolveRealPath(checkout, siteDir),
    ]);
    // If the path contained a symbolic link, another folder of the checkout could be edited as the site.
    if (root === resolveInside(folder, siteDir).replace(/[\\/]$/, "")) return root;
  } catch (cause) {
    if (!(cause instanceof OctavoError)) throw cause;
    const message = `There is no folder ${JSON.stringify(siteDir)} in the checkout.`;
    throw new OctavoError("site_invalid", message, { cause });
  }
  throw new OctavoError(
    "site_invalid",
    `${JSON.stringify(siteDir)} is reached through a symbolic link; name the folder itself.`,
  );
}

/**
 * A site's content in a checkout. All tools read and write through it, and it decides which files they may access. No
 * path leads outside the site's folder, through a symbolic link, into a submodule or to a file that is not content.
 * Nothing is written until the whole change is found to be allowed.
 */
export class Workspace {
  /** An absolute path with symbolic links resolved. It is never shown to a model. */
  readonly root: string;
  readonly #folder: ContainedFolder;
  readonly maxChangedFiles: number;
  /** The site's folder in its repository; empty for the root. */
  readonly folder: string;
  readonly #log: ChangeLog;
  /** The JSON and YAML files that were content when the work began, and files of these kinds created since. */
  readonly #kinds = new Map<string, "configuration" | "specification">();
  #isPlain = false;
  #revision = 0;
  #refusals = 0;
  /** Texts that were read. Nothing else changes the files during a turn, and every search reads all of them. */
  readonly #texts = new Map<string, string>();
  #textLength = 0;
  /** The cached list of content files, valid until one appears or disappears. */
  #files: ReadonlySet<string> | undefined;

  constructor(
    root: string,
    { changedFiles, folder }: { readonly changedFiles: number; readonly folder: string },
  ) {
    this.root = root;
    this.#folder = new ContainedFolder(root);
    this.#log = new ChangeLog(this.#folder);
    this.maxChangedFiles = changedFiles;
    this.folder = folder;
  }

  /** Incremented with every change. */
  get revision(): number {
    return this.#revision;
  }

  /** The files that were changed at any time, even if they are unchanged now. */
  get touched(): ReadonlySet<string> {
    return this.#log.listOriginalPaths();
  }

  /** The number of times that `apply` refused a change because it would have touched too many files. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Determines the content at the start, so that no edit can turn another file into content. */
  async survey(): Promise<void> {
    const names = (await this.#folder.listEntries("")).map(({ name }) => name);
    this.#isPlain = !configurationNames.some((name) => names.includes(name));
    for (const path of await this.#listConfigurationPaths()) this.#kinds.set(path, "configuration");
    await this.listFiles();
  }

  /** Returns all files of the content, sorted, including those that are only listed (`media`). */
  async listFiles(): Promise<readonly string[]> {
    if (this.#files) return [...this.#files];
    const files: string[] = [];
    const folders = [""];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      await this.#listFolder(folder, await this.#folder.listEntries(folder), { files, folders });
    }
    this.#files = new Set(files.toSorted());
    return [...this.#files];
  }

  /**
   * Returns the kind of the file at `path`. Throws `invalid_input` if it is not content, and `not_found` if there is no
   * file.
   */
  async getKind(path: string): Promise<ContentKind> {
    const stats = await this.#folder.statFile(checkPath(path));
    if (!stats) throw new OctavoError("not_found", `There is no file ${JSON.stringify(path)}.`);
    const kind = await this.#findContentKind(path, stats);
    if (kind === undefined) throw createNotContentError(path);
    return kind;
  }

  /** Reports whether there is a file of the content at `path`. Accepts any text. */
  async has(path: string): Promise<boolean> {
    if (this.#texts.has(path)) return true;
    try {
      await this.getKind(path);
      return true;
    } catch (error) {
      // A JSON file that the configuration references may be created, but is not content before that.
      if (isOctavoError(error, "not_found") || isOctavoError(error, "invalid_input")) return false;
      throw error;
    }
  }

  /** Returns the current text of a file. Throws in the same cases as `getKind`, and also if the file is not text or is too large. */
  async readText(path: string): Promise<string> {
    const cachedText = this.#texts.get(path);
    if (cachedText !== undefined) return cachedText;
    const kind = await this.getKind(path);
    if (kind !== "media") {
      const { revision } = this;
      const text = await this.#folder.readText(path);
      if (revision === this.revision) this.#keepText(path, text);
      return text;
    }
    const message = `${path} is a picture or other binary file; it can only be listed, moved or deleted.`;
    throw createInputError(message);
  }

  /**
   * Applies the changes in order. If any change is not allowed, applies no change and throws an OctavoError with the
   * reason. A path in a later change refers to the file as it is after the earlier changes.
   */
  async apply(changes: readonly ContentChange[]): Promise<void> {
    const moveOrigins = new Map<string, string>();
    for (const change of changes) {
      if (change.type === "move") moveOrigins.set(change.to, change.from);
      await this.#checkChange(change, moveOrigins);
    }
    const count = this.#log.countFilesWith(changes);
    if (count > this.maxChangedFiles) {
      this.#refusals += 1;
      throw new OctavoError(
        "too_large",
        `This would change ${count} files; at most ${this.maxChangedFiles} may change. Nothing was changed.`,
      );
    }
    await this.#log.recordBatch(changes);
    const paths = changes.flatMap((change) =>
      change.type === "move" ? [change.from, change.to] : [change.path],
    );
    for (const path of paths) this.#forgetText(path);
    for (const change of changes) await this.#applyChange(change);
    // A read that began before the change may have ended in the meantime.
    for (const path of paths) this.#forgetText(path);
    const isEdit = changes.every((edit) => edit.type === "write" && this.#files?.has(edit.path));
    if (!isEdit) this.#files = undefined;
    this.#revision += changes.length;
  }

  /** Returns the differences between the current content and the content at the start, sorted by path. */
  async listChanges(): Promise<readonly ChangedFile[]> {
    return await this.#log.listChangedFiles();
  }

  /** Returns the text of a changed file at the start, or undefined if the file did not exist or was not text. */
  getOriginalText(path: string): string | undefined {
    const bytes = this.#log.getOriginalBytes(path);
    return classifyPath(path) === "media" || !Buffer.isBuffer(bytes) ? undefined : bytes.toString();
  }

  /**
   * Restores a file to its state at the start, and undoes the edits in other files for its move or deletion. Throws
   * `not_found` if the file was not changed or did not exist at the start.
   */
  async undo(path: string): Promise<RestoredFile> {
    for (const known of this.#texts.keys()) this.#forgetText(known);
    const restored = await restoreFile({ folder: this.#folder, log: this.#log }, checkPath(path));
    this.#files = undefined;
    this.#revision += 1;
    return restored;
  }

  /**
   * Reads at most `maxBytes` of a picture or other binary file. Throws in the same cases as `getKind`, and also
   * for text files.
   */
  async readMedia(path: string, maxBytes: number): Promise<FileStart> {
    if ((await this.getKind(path)) !== "media")
      throw createInputError(`${path} is not a picture; use read.`);
    return await this.#folder.readStart(path, maxBytes);
  }

  #keepText(path: string, text: string): void {
    if (this.#texts.has(path) || this.#textLength + text.length > fixedLimits.maxCachedTextLength)
      return;
    this.#texts.set(path, text);
    this.#textLength += text.length;
  }

  #forgetText(path: string): void {
    this.#textLength -= this.#texts.get(path)?.length ?? 0;
    this.#texts.delete(path);
  }

  async #listFolder(
    folder: string,
    entries: readonly Dirent[],
    found: { readonly files: string[]; readonly folders: string[] },
  ): Promise<void> {
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!isUsableName(path)) continue;
      if (entry.isDirectory()) found.folders.push(path);
      if (!entry.isFile()) continue;
      if (found.files.length >= fixedLimits.maxFiles) {
        throw new OctavoError("too_large", `The site has more than ${fixedLimits.maxFiles} files.`);
      }
      const stats = classifyPath(path) === "data" ? await this.#folder.statFile(path) : undefined;
      if ((await this.#findContentKind(path, stats)) !== undefined) found.files.push(path);
    }
  }

  async #findContentKind(path: string, stats: Stats | undefined): Promise<ContentKind | undefined> {
    const kind = classifyPath(path);
    if (kind === "page") return isGuide(path, { isPlain: this.#isPlain }) ? "guide" : "page";
    if (kind !== "data") return kind;
    const known = this.#kinds.get(path);
    if (known !== undefined || !stats || stats.size > fixedLimits.maxTextBytes) return known;
    // A file that was not a specification at the start cannot become one through a change.
    if (this.#log.has(path)) return undefined;
    if (!isSpecification(path, await this.#folder.readText(path).catch(() => ""))) return undefined;
    this.#kinds.set(path, "specification");
    return "specification";
  }

  async #listConfigurationPaths(): Promise<readonly string[]> {
    const read = async (path: string) => {
      if (classifyPath(checkPath(path)) === undefined) throw createNotContentError(path);
      if (!(await this.#folder.statFile(path)))
        throw new OctavoError("not_found", `There is no ${path}.`);
      return await this.#folder.readText(path);
    };
    try {
      return [...((await readConfigurationFiles(read))?.files.keys() ?? [])];
    } catch (error) {
      // A configuration that is not JSON is still content, because it can be repaired.
      if (error instanceof OctavoError) return [];
      throw error;
    }
  }

  async #checkChange(change: ContentChange, moveOrigins: Map<string, string>): Promise<void> {
    if (change.type === "write") return await this.#checkWrite(change, moveOrigins);
    const path = change.type === "move" ? change.from : change.path;
    const kind = await this.getKind(path);
    if (kind === "guide") throw createReadOnlyError(path);
    if (kind === "configuration" && change.type === "move") {
      throw createInputError(`${path} is part of the configuration; it cannot be moved.`);
    }
    if (change.type === "delete" && configurationNames.some((name) => name === path)) {
      throw createInputError(`${path} is the site's configuration; it cannot be deleted.`);
    }
    if (change.type === "move") await this.#checkMoveTarget(change.from, change.to);
  }

  async #checkMoveTarget(from: string, to: string): Promise<void> {
    await this.#checkNewPath(to);
    if (getExtension(from) !== getExtension(to)) {
      throw createInputError(
        `A file keeps its extension: ${to} must end in ${getExtension(from)}.`,
      );
    }
    if (isGuide(to, { isPlain: this.#isPlain })) throw createReadOnlyError(to);
  }

  async #checkWrite(
    { path, text }: { readonly path: string; readonly text: string },
    moveOrigins: ReadonlyMap<string, string>,
  ): Promise<void> {
    checkText(path, text);
    const origin = moveOrigins.get(path);
    const stats = origin === undefined ? await this.#folder.statFile(checkPath(path)) : undefined;
    const isNew = !stats && origin === undefined;
    if (isNew) await this.#checkNewPath(path);
    const kind = await this.#findContentKind(origin ?? path, stats);
    if (kind === "guide") throw createReadOnlyError(path);
    if (kind === "media") {
      throw createInputError(`${path} is a picture; it can only be moved or deleted.`);
    }
    if (kind === "specification" && !isSpecification(path, text)) {
      throw createInputError(`With this text, ${path} would no longer be an API description.`);
    }
    if (kind !== undefined) return;
    if (!isNew || !(await this.#isInConfiguration(path))) throw createNotContentError(path);
  }

  /** Reports whether the configuration references a JSON file by `$ref`. Such a file may be created. */
  async #isInConfiguration(path: string): Promise<boolean> {
    if (classifyPath(path) !== "data" || !path.endsWith(".json")) return false;
    const referenced = new Set<string>();
    await readConfigurationFiles(async (name) => {
      referenced.add(name);
      return await this.readText(name);
    });
    return referenced.has(path);
  }

  /** Checks the name of a new file. No system may confuse it with another file. */
  async #checkNewPath(path: string): Promise<void> {
    if (path !== path.normalize("NFC")) {
      throw createInputError(
        `The name ${JSON.stringify(path)} is not in Unicode's composed form (NFC).`,
      );
    }
    if (classifyPath(checkPath(path)) === undefined) throw createNotContentError(path);
    if (await this.#folder.statFile(path)) {
      throw createInputError(`There is already a file ${path}.`);
    }
    let folder = "";
    for (const part of path.split("/")) {
      const names = (await this.#folder.listEntries(folder)).map(({ name }) => name);
      const sameName = names.find((name) => name !== part && foldName(name) === foldName(part));
      if (sameName !== undefined && !names.includes(part)) {
        throw createInputError(
          `${JSON.stringify(path)} differs only in letter case or Unicode form from ${JSON.stringify(join(folder, sameName))}, which exists.`,
        );
      }
      folder = folder === "" ? part : `${folder}/${part}`;
    }
  }

  async #applyChange(change: ContentChange): Promise<void> {
    switch (change.type) {
      case "write":
        return await this.#write(change.path, change.text);
      case "delete":
        this.#log.forgetMove(change.path);
        return await this.#folder.remove(change.path);
      case "move":
        return await this.#move(change.from, change.to);
    }
  }

  async #write(path: string, text: string): Promise<void> {
    await this.#folder.write(path, text);
    if (classifyPath(path) === "data" && !this.#kinds.has(path))
      this.#kinds.set(path, "configuration");
  }

  async #move(from: string, to: string): Promise<void> {
    await this.#folder.move(from, to);
    this.#log.recordMove(from, to);
    const kind = this.#kinds.get(from);
    if (kind !== undefined) this.#kinds.set(to, kind);
  }
}

function isUsableName(path: string): boolean {
  if (path === getParentFolder(agentFile)) return true;
  try {
    checkPath(path);
    return true;
  } catch {
    return false;
  }
}

function getExtension(path: string): string {
  const name = getBaseName(path);
  return name.slice(name.lastIndexOf("."));
}

function checkText(path: string, text: string): void {
  if (Buffer.byteLength(text) > fixedLimits.maxTextBytes) {
    throw new OctavoError(
      "too_large",
      `${path} would be larger than ${fixedLimits.maxTextBytes} bytes.`,
    );
  }
  if (!text.isWellFormed() || text.includes("\0")) {
    const message = `The text for ${path} contains characters that are not allowed in text files.`;
    throw createInputError(message);
  }
}

function createNotContentError(path: string): OctavoError {
  return createInputError(
    `${JSON.stringify(path)} is not content of the site: only pages and snippets (.mdx, .md), docs.json and the .json files it names by $ref, API descriptions, pictures and llms.txt are.`,
  );
}

function createReadOnlyError(path: string): OctavoError {
  return createInputError(`${path} may be read but not changed.`);
}

interface RestoredFile {
  /** The path to which the file was restored. */
  readonly path: string;
  /** Other files in which the edits for the file's move or removal were undone. */
  readonly reverted: readonly string[];
  /** The files in which the edits for the file's move or removal remain, because the text has been edited since. */
  readonly kept: readonly string[];
}

interface RestoreContext {
  readonly folder: ContainedFolder;
  readonly log: ChangeLog;
}

/**
 * Restores a file that existed before the work, and undoes the edits that its move or removal made in other files. If
 * it throws, nothing has been written.
 */
async function restoreFile(context: RestoreContext, path: string): Promise<RestoredFile> {
  const { folder, log } = context;
  const { origin, current } = log.findPaths(path);
  const original = await readOriginal(context, { path, origin, current });
  const { batches, names } = collectFileHistory(log.batches, origin);
  const others = await revertOthers(context, batches, names);
  if (current !== origin) await folder.remove(current);
  await folder.write(origin, original);
  for (const [file, text] of others.texts) await folder.write(file, text);
  log.forgetMove(current);
  log.removeBatches(new Set(batches));
  return { path: origin, reverted: [...others.texts.keys()].toSorted(), kept: others.kept };
}

async function readOriginal(
  { folder, log }: RestoreContext,
  { path, origin, current }: Record<"path" | "origin" | "current", string>,
): Promise<Buffer> {
  const changed = await log.listChangedFiles();
  const isChanged = changed.some((file) => file.path === current || file.path === origin);
  const original = log.getOriginalBytes(origin);
  if (!isChanged || original === undefined) {
    throw new OctavoError(
      "not_found",
      `${path} has not changed in this turn; there is nothing to undo.`,
    );
  }
  if (original === "too_large") {
    throw new OctavoError("too_large", `${path} was too large to be stored; it cannot be undone.`);
  }
  if (current !== origin && (await folder.hash(origin)) !== undefined) {
    throw new OctavoError(
      "conflict",
      `There is now a different file at ${origin}. Move or undo that file first.`,
    );
  }
  return original;
}

/** Returns the batches that moved or deleted a file, and all paths that it has had. */
function collectFileHistory(
  all: readonly ChangeBatch[],
  origin: string,
): { readonly batches: readonly ChangeBatch[]; readonly names: ReadonlySet<string> } {
  const names = new Set([origin]);
  const batches: ChangeBatch[] = [];
  let name = origin;
  for (const batch of all) {
    for (const change of batch.changes) {
      const isMove = change.type === "move" && change.from === name;
      const isDeletion = change.type === "delete" && change.path === name;
      if (isMove) names.add((name = change.to));
      if ((isMove || isDeletion) && batches.at(-1) !== batch) batches.push(batch);
    }
  }
  return { batches, names };
}

interface RevertedFiles {
  readonly texts: ReadonlyMap<string, string>;
  readonly kept: readonly string[];
}

async function revertOthers(
  { folder, log }: RestoreContext,
  batches: readonly ChangeBatch[],
  names: ReadonlySet<string>,
): Promise<RevertedFiles> {
  const texts = new Map<string, string>();
  const kept = new Set<string>();
  for (const { changes, texts: changed } of batches.toReversed()) {
    const deleted = new Set(changes.flatMap((item) => (item.type === "delete" ? [item.path] : [])));
    for (const [path, change] of changed) {
      if (names.has(path)) continue;
      const file = log.findPaths(path).current;
      const currentText = texts.get(file) ?? (await folder.readBytes(file))?.toString();
      if (!change || deleted.has(path) !== (currentText === undefined)) {
        kept.add(path);
        continue;
      }
      const { text, isPartial } = revertText(currentText ?? change.after, change);
      texts.set(file, text);
      if (isPartial) kept.add(path);
    }
  }
  return { texts, kept: [...kept].toSorted() };
}
