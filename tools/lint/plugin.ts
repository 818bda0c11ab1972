import { dirname, relative, resolve, sep } from "node:path";
import { capabilities, environmentRooms, fetchRooms, rooms, siteDoors } from "../rooms.ts";

const packages = resolve(import.meta.dirname, "../../packages");

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}
interface Context {
  readonly filename: string;
  report(problem: { node: Node; message: string }): void;
}

/** A source file of a package: `packages/site/src/text/slug.ts` is of the room `text` of `site`. */
interface SourceFile {
  readonly package: string;
  readonly room: string;
  /** Below `packages/`, with forward slashes. */
  readonly path: string;
}

/** Undefined for a file elsewhere. */
function sourceFile(file: string): SourceFile | undefined {
  const path = relative(packages, file).split(sep).join("/");
  const [name = "", folder, room = ""] = path.split("/");
  return folder === "src" ? { package: name, room, path } : undefined;
}

const testFile = /\.(test|test-support|test-process|contract)\.ts$/;

/** What is wrong with `from` importing `specifier`, or undefined. */
function importProblem(from: SourceFile, file: string, specifier: string): string | undefined {
  const isTest = testFile.test(from.path);
  const allowedFor = capabilities[specifier] ?? capabilities[`node:${specifier}`];
  if (allowedFor && !isTest && !allowedFor.some((prefix) => from.path.startsWith(prefix))) {
    return `Only ${allowedFor.join(" and ")} may import ${specifier}.`;
  }
  if (specifier.startsWith("@octavo/site")) return packageProblem(from, specifier);
  if (!specifier.startsWith(".")) return undefined;
  const target = sourceFile(resolve(dirname(file), specifier));
  if (target?.package === from.package) return isTest ? undefined : roomProblem(from, target);
  if (isTest) return undefined;
  return `Source files may not import from outside their package's src/: ${specifier}`;
}

function packageProblem(from: SourceFile, specifier: string): string | undefined {
  if (from.package === "site") return "Within @octavo/site, import by a relative path.";
  if (siteDoors.includes(specifier)) return undefined;
  return `Come in by a door of the package: ${siteDoors.join(" or ")}.`;
}

function roomProblem(from: SourceFile, target: SourceFile): string | undefined {
  if (from.room === target.room) return undefined;
  // Through a door, all of its room would come into the script of the reader’s browser.
  const isBrowserScript = from.path.includes("/client/");
  const allowed = rooms[from.package]?.[from.room] ?? [];
  if (!allowed.includes("*") && !allowed.includes(target.room)) {
    return `The room ${from.room}/ may not import ${target.room}/ (tools/rooms.ts).`;
  }
  const door = `${target.package}/src/${target.room}/index.ts`;
  if (target.path === door || isBrowserScript) return undefined;
  return `Come in by the door: import ${door}, not ${target.path}.`;
}

const roomsRule = {
  create(context: Context) {
    const from = sourceFile(context.filename);
    if (from === undefined) return {};
    const check = (node: Node) => {
      const literal = node["source"] as { value?: unknown } | null | undefined;
      if (typeof literal?.value !== "string") return;
      const message = importProblem(from, context.filename, literal.value);
      if (message) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

/** Whether a declaration takes what opens connections from `node:http`, which servers import too. */
function importsClient(node: Node): boolean {
  const { value } = node["source"] as { value?: unknown };
  if (value !== "node:http" && value !== "http") return false;
  const specifiers = node["specifiers"] as readonly { imported?: { name?: string } }[];
  // Without `imported` all of the module is taken.
  return specifiers.some(({ imported }) =>
    /^(?:request|get|Agent|default)$/.test(imported?.name ?? "default"),
  );
}

const capabilitiesRule = {
  create(context: Context) {
    const from = sourceFile(context.filename);
    if (from === undefined || testFile.test(from.path)) return {};
    const { room, path } = from;
    // The script that runs in the reader's browser is not part of the service.
    const isBrowserScript = path.includes("/client/");
    const mayFetch = isBrowserScript || fetchRooms.includes(room);
    const reportFetch = (node: Node): void =>
      context.report({ node, message: `Only ${fetchRooms.join(", ")} may fetch.` });
    return {
      CallExpression(node: Node) {
        const callee = node["callee"] as { type?: string; name?: string };
        if (callee.name === "fetch" && !mayFetch) reportFetch(node);
      },
      ImportDeclaration(node: Node) {
        if (!mayFetch && importsClient(node)) reportFetch(node);
      },
      MemberExpression(node: Node) {
        const object = node["object"] as { name?: string };
        const property = node["property"] as { name?: string };
        const isFetch = object.name === "globalThis" && property.name === "fetch";
        if (isFetch && !mayFetch) reportFetch(node);
        if (object.name === "AbortSignal" && property.name === "timeout" && !isBrowserScript) {
          context.report({ node, message: "timeoutSignal of core/ says why not this one." });
        }
        if (object.name !== "process" || property.name !== "env") return;
        if (environmentRooms.includes(room)) return;
        context.report({ node, message: "Only config/ reads process.env; hand the value in." });
      },
    };
  },
};

export default {
  meta: { name: "octavo" },
  rules: { rooms: roomsRule, capabilities: capabilitiesRule },
};
