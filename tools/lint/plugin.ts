import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { findImportProblem, readSourceFile, testFile } from "../import-problem.ts";
import { environmentRooms, fetchRooms } from "../rooms.ts";
import {
  beginsWithVerb,
  findBritishSpellings,
  findCommentProblem,
  findOtherHomes,
} from "./wording.ts";

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}
interface Context {
  readonly filename: string;
  readonly sourceCode: {
    readonly text: string;
    getAllComments(): readonly Node[];
    getLocFromIndex(index: number): object;
  };
  report(problem: { node: Node; message: string } | { loc: object; message: string }): void;
}

const roomsRule = {
  create(context: Context) {
    const check = (node: Node) => {
      const literal = node["source"] as { value?: unknown } | null | undefined;
      if (typeof literal?.value !== "string") return;
      const message = findImportProblem(context.filename, literal.value);
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

/** A longer list cannot be read at a glance. */
const maxFilesInFolder = 40;

/** Reports a folder with too many files once, at the first of its source files. */
const folderSizeRule = {
  create(context: Context) {
    const { filename } = context;
    if (readSourceFile(filename) === undefined || testFile.test(filename)) return {};
    const code = readdirSync(dirname(filename)).filter(
      (name) => name.endsWith(".ts") && !testFile.test(`/${name}`),
    );
    if (code.length <= maxFilesInFolder || code.toSorted()[0] !== basename(filename)) return {};
    const message = `The folder has ${code.length} source files, more than ${maxFilesInFolder}; group them in folders.`;
    return { Program: (node: Node) => context.report({ node, message }) };
  },
};

/**
 * Reports whether a declaration imports functions of `node:http` that open connections. Servers may import the others.
 */
function importsClient(node: Node): boolean {
  const { value } = node["source"] as { value?: unknown };
  if (value !== "node:http" && value !== "http") return false;
  const specifiers = node["specifiers"] as readonly { imported?: { name?: string } }[];
  // Without `imported`, the whole module is imported.
  return specifiers.some(({ imported }) =>
    /^(?:request|get|Agent|default)$/.test(imported?.name ?? "default"),
  );
}

const capabilitiesRule = {
  create(context: Context) {
    const from = readSourceFile(context.filename);
    if (from === undefined || testFile.test(from.path)) return {};
    const { room, path } = from;
    // The script that runs in the reader's browser is not part of the service.
    const isBrowserScript = /\/(?:client|assets)\//.test(path);
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
          context.report({
            node,
            message: "Use createTimeoutSignal of core/, whose comment explains the reason.",
          });
        }
        if (object.name !== "process" || property.name !== "env") return;
        if (environmentRooms.includes(room)) return;
        context.report({
          node,
          message: "Only config/ may read process.env; pass the value as an argument.",
        });
      },
    };
  },
};

interface Declaration extends Node {
  readonly id?: { readonly name?: string } | null;
  readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
}

/** Returns the declaration that an export contains; undefined in tests and outside packages. */
function readDeclaration(context: Context, node: Node): Declaration | undefined {
  const { filename } = context;
  if (readSourceFile(filename) === undefined || testFile.test(filename)) return undefined;
  return (node["declaration"] as Declaration | null) ?? undefined;
}

const verbFirstRule = {
  create(context: Context) {
    return {
      FunctionDeclaration(node: Node) {
        const { parent, id } = node as Declaration & { readonly parent: Node };
        if (parent.type !== "Program" && parent.type !== "ExportNamedDeclaration") return;
        const { filename } = context;
        if (readSourceFile(filename) === undefined || testFile.test(filename)) return;
        const name = id?.name ?? "";
        if (beginsWithVerb(name)) return;
        const message = `Begin the name of a function with a verb: ${name} (tools/lint/verbs.ts).`;
        context.report({ node, message });
      },
    };
  },
};

const oneMeaningRule = {
  create(context: Context) {
    return {
      ExportNamedDeclaration(node: Node) {
        const declared = readDeclaration(context, node);
        const ids = [declared?.id, ...(declared?.declarations ?? []).map(({ id }) => id)];
        for (const name of ids.flatMap((id) => id?.name ?? [])) {
          const [home] = findOtherHomes(context.filename, name);
          if (home === undefined) continue;
          context.report({
            node,
            message: `${name} is exported by ${home} too; rename one of them.`,
          });
        }
      },
    };
  },
};

const docCommentRule = {
  create(context: Context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const message = findCommentProblem(String(comment["value"]));
          if (message !== undefined) context.report({ node: comment, message });
        }
      },
    };
  },
};

const americanSpellingRule = {
  create(context: Context) {
    return {
      Program() {
        const { sourceCode } = context;
        for (const { word, stem, index } of findBritishSpellings(sourceCode.text)) {
          const loc = sourceCode.getLocFromIndex(index);
          const message = `Use American spelling: ${word} has "${stem}".`;
          context.report({ loc, message });
        }
      },
    };
  },
};

export default {
  meta: { name: "octavo" },
  rules: {
    rooms: roomsRule,
    capabilities: capabilitiesRule,
    "folder-size": folderSizeRule,
    "verb-first": verbFirstRule,
    "one-meaning": oneMeaningRule,
    "doc-comment": docCommentRule,
    "american-spelling": americanSpellingRule,
  },
};
