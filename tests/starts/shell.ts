import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** A terminal in a folder, as a person has one: `cd` lasts, and a command that serves a page goes on. */
export class Shell {
  #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #servers = new Set<ChildProcess>();

  constructor(folder: string, env: Readonly<Record<string, string>>, programs: readonly string[] = []) {
    this.#folder = folder;
    // What npm tells the scripts that it runs, and the tests' own settings, are none of a new application's business.
    const foreign =
      /^(npm_(?!config_)|npm_config_local_prefix$|INIT_CWD$|VITEST|VITRINE_|NODE_ENV$|CI$)|_API_KEY$/;
    const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
    const PATH = [...programs, process.env['PATH']].join(':');
    this.#env = { ...Object.fromEntries(own), NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1', PATH, ...env };
  }

  /** Sets a variable of the environment for later commands. */
  set(name: string, value: string): void {
    this.#env[name] = value;
  }

  get folder(): string {
    return this.#folder;
  }

  /** Runs a command to its end. @throws Error with its output when it fails. */
  async run(command: string): Promise<void> {
    const child = this.#spawn(command);
    const output = collect(child);
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output()}`);
    const moved = /^cd (\S+)$/.exec(command);
    if (moved?.[1] !== undefined) this.#folder = join(this.#folder, moved[1]);
  }

  /** Starts a command that serves. @returns the address that it prints; pending for one that prints none. */
  serve(command: string): Promise<string> {
    const child = this.#spawn(command);
    this.#servers.add(child);
    const output = collect(child);
    return new Promise((resolve, reject) => {
      child.stdout?.on('data', () => {
        const address = /https?:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(output());
        if (address) resolve(address[0]);
      });
      child.on('close', (code) => {
        if (this.#servers.delete(child)) reject(new Error(`${command} ended with ${code}:\n${output()}`));
      });
    });
  }

  /** Ends the commands that serve. */
  async close(): Promise<void> {
    for (const server of this.#servers) {
      this.#servers.delete(server);
      const closed = new Promise((resolve) => server.on('close', resolve));
      // The whole group: npm and a shell stand between.
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
      await closed;
    }
  }

  #spawn(command: string): ChildProcess {
    return spawn('sh', ['-c', command], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  }
}

function collect(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data: Buffer) => (output += stripVTControlCharacters(data.toString())));
  return () => output;
}
