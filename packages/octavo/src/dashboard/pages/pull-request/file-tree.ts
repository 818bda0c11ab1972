import type { MeasuredChange } from "../../../git/index.ts";
import { sha256 } from "@octavo/site/core";
import { safeHtml } from "../../safe-html.ts";
import type { SafeHtml } from "../../safe-html.ts";

export interface TreeFile {
  readonly file: MeasuredChange;
  readonly href: string;
  readonly isSeen: boolean;
  readonly isCurrent?: boolean;
}

/** Returns the ID of a file's section on its page. */
export function createFileId(path: string): string {
  return `file-${sha256(path).slice(0, 12)}`;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: { readonly name: string; readonly treeFile: TreeFile }[];
}

/** Renders files in their folders. A folder whose only content is another folder shares a line with it. */
export function renderFileTree(files: readonly TreeFile[]): SafeHtml {
  const root = createEmptyFolder();
  for (const treeFile of files) {
    const names = treeFile.file.path.split("/");
    const name = names.pop() ?? "";
    let folder = root;
    for (const part of names) {
      const child = folder.folders.get(part) ?? createEmptyFolder();
      folder.folders.set(part, child);
      folder = child;
    }
    folder.files.push({ name, treeFile });
  }
  return renderFolderList(root, 0);
}

function createEmptyFolder(): Folder {
  return { folders: new Map(), files: [] };
}

/** The maximum depth of indentation. Deeper folders are listed but not indented further. */
const maxDepth = 12;

function renderFolderList({ folders, files }: Folder, depth: number): SafeHtml {
  const folderItems = [...folders].map(([name, folder]) => renderFolderItem(name, folder, depth));
  return safeHtml`<ul>
    ${folderItems}${files.map(renderFileItem)}
  </ul>`;
}

function renderFolderItem(name: string, folder: Folder, depth: number): SafeHtml {
  const [only, ...others] = folder.folders;
  if (only && others.length === 0 && folder.files.length === 0) {
    return renderFolderItem(`${name}/${only[0]}`, only[1], depth);
  }
  if (depth >= maxDepth)
    return safeHtml`<li><span class="folder">${name}/</span></li>${collectFiles(folder).map(renderFileItem)}`;
  return safeHtml`<li><span class="folder">${name}/</span>${renderFolderList(folder, depth + 1)}</li>`;
}

function collectFiles(root: Folder): Folder["files"] {
  const files: Folder["files"] = [];
  const pendingFolders = [root];
  for (let folder = pendingFolders.pop(); folder; folder = pendingFolders.pop()) {
    files.push(...folder.files);
    pendingFolders.push(...folder.folders.values());
  }
  return files;
}

const kindLetters = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  type_changed: "T",
} as const;

function renderFileItem({ name, treeFile }: Folder["files"][number]): SafeHtml {
  const { file, href, isSeen, isCurrent = false } = treeFile;
  const kind = file.kind.replace("_", " ");
  return safeHtml`<li>
    <a href="${href}" ${isSeen && safeHtml`class="is-seen"`} ${isCurrent && safeHtml`aria-current="page"`}
      ><span class="kind kind-${file.kind}" title="${kind}">${kindLetters[file.kind]}</span> ${name}${isSeen && safeHtml` <span class="tick" role="img" aria-label="seen">✓</span>`}</a
    >
  </li>`;
}
