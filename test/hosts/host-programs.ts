import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";

/** How an address ends: `start.html`, `start` or `start/`. */
export type AddressForm = "file" | "name" | "slash";

/** A program that serves folders, as the manual tells operators to set it up. */
export interface HostProgram {
  readonly name: string;
  /** The program that must be installed. */
  readonly program: string;
  /** The forms that it answers with these settings, for pages that are files, and for pages that are folders. */
  readonly forms: Readonly<Record<"file" | "folder", readonly AddressForm[]>>;
  /** The arguments that serve `root` on the port; what they name is written to `scratch`. */
  readonly prepare: (place: HostPlace) => Promise<readonly string[]>;
}

interface HostPlace {
  readonly root: string;
  readonly scratch: string;
  readonly port: number;
}

const allForms = ["file", "name", "slash"] as const;

/** The settings of a manual page of hosts, with what a test must change. */
const settingsOf = (manual: string, language: string, replacements: Replacements) =>
  readSettings(`export/hosts/${manual}`, language, replacements);

/** Texts of settings that a test must change, with what it needs in their place. */
type Replacements = Readonly<Record<string, string>>;

/** Returns the settings of a manual page, with what a test must change. */
export async function readSettings(
  manual: string,
  language: string,
  replacements: Replacements,
): Promise<string> {
  const file = new URL(`../../docs/${manual}.mdx`, import.meta.url);
  const text = await readFile(file, "utf8");
  const [, settings] = new RegExp(`\`\`\`${language}[^\\n]*\\n([^]*?)\n *\`\`\``).exec(text) ?? [];
  if (settings === undefined) throw new Error(`${manual}.mdx has no settings in ${language}.`);
  let changed = settings;
  for (const [from, to] of Object.entries(replacements)) {
    if (!changed.includes(from)) throw new Error(`The settings of ${manual} have no ${from}.`);
    changed = changed.replaceAll(from, to);
  }
  return changed;
}

/** Writes the settings of nginx around those of its servers, and returns the arguments with which it takes them. */
export async function writeNginxSettings(
  scratch: string,
  servers: string,
): Promise<readonly string[]> {
  const file = join(scratch, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${scratch}/${name};`)
    .join(" ");
  const types = existsSync("/etc/nginx/mime.types") ? "include /etc/nginx/mime.types;" : "";
  await writeFile(
    file,
    `daemon off; error_log stderr; pid ${scratch}/nginx.pid; worker_processes 1; user root;
events {} http { ${types} access_log off; ${temporary} ${servers} }`,
  );
  return ["-c", file, "-p", scratch, "-e", "stderr"];
}

export const hostPrograms: readonly HostProgram[] = [
  {
    name: "nginx",
    program: "nginx",
    forms: { file: allForms, folder: allForms },
    async prepare({ root, scratch, port }) {
      const server = await settingsOf("nginx", "nginx", {
        "listen 80;": `listen 127.0.0.1:${port};`,
        "/srv/www": root,
      });
      return await writeNginxSettings(scratch, server);
    },
  },
  {
    name: "Caddy",
    program: "caddy",
    forms: { file: allForms, folder: allForms },
    async prepare({ root, scratch, port }) {
      const settings = await settingsOf("caddy", "text", {
        "docs.example.com {": `http://127.0.0.1:${port} {`,
        "/srv/www": root,
      });
      const file = join(scratch, "Caddyfile");
      await writeFile(file, `{\n  admin off\n}\n${settings}\n`);
      return ["run", "--config", file, "--adapter", "caddyfile"];
    },
  },
  {
    name: "Apache",
    program: "apache2",
    forms: { file: allForms, folder: allForms },
    async prepare({ root, scratch, port }) {
      const host = await settingsOf("apache", "apache", {
        "<VirtualHost *:80>": `<VirtualHost 127.0.0.1:${port}>`,
        "/srv/www": root,
      });
      const modules = "mpm_event authz_core mime dir negotiation rewrite".split(" ");
      const file = join(scratch, "apache.conf");
      await writeFile(
        file,
        `ServerRoot ${scratch}\nServerName localhost\nListen 127.0.0.1:${port}\nPidFile ${scratch}/pid
ErrorLog ${scratch}/error.log\nTypesConfig /etc/mime.types
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
${host}\n`,
      );
      return ["-X", "-f", file];
    },
  },
  {
    name: "python -m http.server",
    program: "python3",
    forms: { file: ["file"], folder: allForms },
    prepare: async ({ root, port }) => {
      return ["-m", "http.server", String(port), "--bind", "127.0.0.1", "--directory", root];
    },
  },
  {
    name: "serve",
    program: "serve",
    forms: { file: allForms, folder: allForms },
    prepare: async ({ root, port }) => {
      return ["--no-clipboard", "--no-port-switching", "-L", "-l", `tcp://127.0.0.1:${port}`, root];
    },
  },
];

/** Where the program is; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export interface RunningHost extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
}

/** Starts the program and waits until it takes connections. */
export async function startHost(
  { prepare }: HostProgram,
  program: string,
  place: Omit<HostPlace, "port">,
): Promise<RunningHost> {
  const port = await freePort();
  await mkdir(place.scratch, { recursive: true });
  const args = await prepare({ ...place, port });
  const running = await startProgram(program, args, { scratch: place.scratch, port });
  return { url: `http://127.0.0.1:${port}`, ...running };
}

/** Starts a program and waits until it takes connections. */
export async function startProgram(
  program: string,
  args: readonly string[],
  { scratch, port }: { readonly scratch: string; readonly port: number },
): Promise<AsyncDisposable> {
  const child = spawn(program, args, {
    cwd: scratch,
    env: { ...process.env, HOME: scratch, XDG_CONFIG_HOME: scratch, XDG_DATA_HOME: scratch },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text: Buffer) => (said += text.toString()));
  const ended = once(child, "exit");
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`);
    await sleep(50);
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket.destroy() && true));
    socket.once("error", () => resolve(false));
  });
}
