import { OctavoError } from "@octavo/site/core";
import type { ContainedFolder } from "../contained-folder.ts";
import type { ChangeBatch, ChangeLog } from "./change-log.ts";
import { revertText } from "./text-changes.ts";

export interface RestoredFile {
  /** The path to which the file was restored. */
  readonly path: string;
  /** Other files in which the changes for its move or removal were undone. */
  readonly reverted: readonly string[];
  /** Those of them in which some changes were edited later and therefore stay. */
  readonly left: readonly string[];
}

interface RestoreContext {
  readonly folder: ContainedFolder;
  readonly log: ChangeLog;
}

/**
 * Restores a file that existed before the work, and undoes the edits in other files for its move or removal. Throws
 * before anything is written.
 */
export async function restoreFile(place: RestoreContext, path: string): Promise<RestoredFile> {
  const { folder, log } = place;
  const { origin, current } = log.placesOf(path);
  const original = await readOriginal(place, { path, origin, current });
  const { batches, names } = collectFileHistory(log.batches, origin);
  const others = await revertOthers(place, batches, names);
  if (current !== origin) await folder.remove(current);
  await folder.write(origin, original);
  for (const [file, text] of others.texts) await folder.write(file, text);
  log.settle(current);
  log.forget(new Set(batches));
  return { path: origin, reverted: [...others.texts.keys()].toSorted(), left: others.left };
}

async function readOriginal(
  { folder, log }: RestoreContext,
  { path, origin, current }: Record<"path" | "origin" | "current", string>,
): Promise<Buffer> {
  const changed = await log.changedFiles();
  const isChanged = changed.some((file) => file.path === current || file.path === origin);
  const original = log.originalBytes(origin);
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
      `There is another file at ${origin} now. Move or undo that one first.`,
    );
  }
  return original;
}

/** The batches that moved or deleted a file, and all paths it has had. */
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
  readonly left: readonly string[];
}

async function revertOthers(
  { folder, log }: RestoreContext,
  batches: readonly ChangeBatch[],
  names: ReadonlySet<string>,
): Promise<RevertedFiles> {
  const texts = new Map<string, string>();
  const left = new Set<string>();
  for (const { changes, texts: changed } of batches.toReversed()) {
    const deleted = new Set(changes.flatMap((c) => (c.type === "delete" ? [c.path] : [])));
    for (const [path, change] of changed) {
      if (names.has(path)) continue;
      const file = log.placesOf(path).current;
      const now = texts.get(file) ?? (await folder.readBytes(file))?.toString();
      if (!change || deleted.has(path) !== (now === undefined)) {
        left.add(path);
        continue;
      }
      const { text, isPartial } = revertText(now ?? change.after, change);
      texts.set(file, text);
      if (isPartial) left.add(path);
    }
  }
  return { texts, left: [...left].toSorted() };
}
