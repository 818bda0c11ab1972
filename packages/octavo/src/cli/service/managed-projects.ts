import type { Client } from "../../client/index.ts";
import type {
  KeyScope,
  Project,
  ProjectChanges,
  ProjectFields,
  Projects,
  RepositoryCredentials,
} from "../../projects/index.ts";
import { everyListed } from "./every-listed.ts";
import { everyPage } from "./every-page.ts";
import type { Places } from "./place-flags.ts";

/** The projects of one organisation, wherever they are kept. Errors as those of `Projects`. */
export interface ManagedProjects {
  create(fields: ProjectFields): Promise<Project>;
  get(id: string): Promise<Project>;
  list(): Promise<readonly Project[]>;
  update(id: string, changes: ProjectChanges): Promise<Project>;
  remove(id: string): Promise<void>;
}

export const projectPlaces: Places<ManagedProjects> = {
  remote: remoteProjects,
  local: ({ projects }, scope) => localProjects(projects, scope),
};

function localProjects(projects: Projects, scope: KeyScope): ManagedProjects {
  return {
    create: (fields) => projects.create(scope.organizationId, fields),
    get: (id) => projects.get(scope, id),
    list: () => everyPage((page) => projects.list(scope, page)),
    update: (id, changes) => projects.update(scope, id, changes),
    remove: (id) => projects.remove(scope, id),
  };
}

const path = "/v2/projects";

function remoteProjects(client: Client): ManagedProjects {
  const call = async (method: string, place: string, fields?: ProjectChanges) =>
    (await client.call(method, place, fields && bodyOf(fields))) as Project;
  return {
    create: (fields) => call("POST", path, fields),
    get: (id) => call("GET", placeOf(id)),
    list: () => everyListed<Project>(client, path, "projects"),
    update: (id, changes) => call("PATCH", placeOf(id), changes),
    remove: async (id) => void (await call("DELETE", placeOf(id))),
  };
}

function placeOf(id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

/** As the API takes them. */
function bodyOf({ credentials, ...fields }: ProjectChanges): object {
  if (credentials === undefined) return fields;
  return { ...fields, credentials: credentials && writtenCredentials(credentials) };
}

function writtenCredentials({ username, password, privateKey }: RepositoryCredentials): unknown {
  if (privateKey !== undefined) return { privateKey };
  return username === undefined ? password : { username, password };
}
