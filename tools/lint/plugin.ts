import { dirname, relative, resolve, sep } from "node:path";
import { capabilities, environmentRooms, fetchRooms, rooms } from "../rooms.ts";

const source = resolve(import.meta.dirname, "../../src");

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}
interface Context {
  readonly filename: string;
  report(problem: { node: Node; message: string }): void;
}

/** The path below `src/` with forward slashes, or undefined for a file elsewhere. */
function below(file: string): string | undefined {
  const path = relative(source, file).split(sep).join("/");
  return path.startsWith("..") ? undefined : path;
}

function roomOf(path: string): string {
  return path.split("/")[0] ?? "";
}

/** What is wrong with `from` importing `specifier`, or undefined. */
function importProblem(from: string, file: string, specifier: string): string | undefined {
  const isTest = /\.(test|test-support|test-process|contract)\.ts$/.test(from);
  const allowedFor = capabilities[specifier] ?? capabilities[`node:${specifier}`];
  if (allowedFor && !isTest && !allowedFor.some((prefix) => from.startsWith(prefix))) {
    return `Only ${allowedFor.join(" and ")} may import ${specifier}.`;
  }
  if (!specifier.startsWith(".")) return undefined;
  const target = below(resolve(dirname(file), specifier));
  if (target === undefined) {
    return isTest ? undefined : `Source files may not import from outside src/: ${specifier}`;
  }
  const [room, targetRoom] = [roomOf(from), roomOf(target)];
  if (room === targetRoom) return undefined;
  const allowed = rooms[room] ?? [];
  if (!isTest && !allowed.includes("*") && !allowed.includes(targetRoom)) {
    return `The room ${room}/ may not import ${targetRoom}/ (tools/rooms.ts).`;
  }
  if (target !== `${targetRoom}/index.ts`) {
    return `Come in by the door: import ${targetRoom}/index.ts, not ${target}.`;
  }
  return undefined;
}

const roomsRule = {
  create(context: Context) {
    const from = below(context.filename);
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

const capabilitiesRule = {
  create(context: Context) {
    const from = below(context.filename);
    if (from === undefined || /\.(test|contract)\.ts$/.test(from)) return {};
    const room = roomOf(from);
    // The script that runs in the reader's browser is not part of the service.
    const isBrowserScript = from.includes("/client/");
    return {
      CallExpression(node: Node) {
        const callee = node["callee"] as { type?: string; name?: string };
        if (callee.name === "fetch" && !isBrowserScript && !fetchRooms.includes(room)) {
          context.report({ node, message: `Only ${fetchRooms.join(", ")} may call fetch.` });
        }
      },
      MemberExpression(node: Node) {
        const object = node["object"] as { name?: string };
        const property = node["property"] as { name?: string };
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
