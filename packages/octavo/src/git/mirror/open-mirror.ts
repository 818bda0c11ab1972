import { mirrorOf } from "./mirror.ts";
import type { Mirror, Repository } from "../repository.ts";
import type { GitTools } from "../program/tools.ts";

/** What is on this machine of a repository: a copied one as it is now, a remote one as it was last fetched. */
export async function openMirror(tools: GitTools, repository: Repository): Promise<Mirror> {
  if ("url" in repository) return mirrorOf(tools, repository);
  if ("origin" in repository) await repository.origin.updateCopy();
  return repository;
}
