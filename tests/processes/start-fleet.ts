import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startBalancer } from '../servers/start-balancer.ts';

/** Three processes of one deployment behind a balancer. */
export type Fleet = {
  /** Of the balancer. */
  readonly url: string;
  /** The addresses of the processes. */
  readonly urls: () => readonly string[];
  /** Kills one (`kill -9`), and gives its name at once; another takes its place when `replaced` resolves. */
  readonly kill: (index: number) => { readonly name: string; readonly replaced: Promise<void> };
  readonly stop: () => Promise<void>;
};

/** One process, and its name, which its words say. */
export type Member = { readonly name: string; readonly url: string; readonly child: ChildProcess };

/** Starts them over a Redis or a PostgreSQL, one after the other: the first one makes the tables. */
export async function startFleet(storageUrl: string): Promise<Fleet> {
  const balancer = await startBalancer();
  const children = new Set<ChildProcess>();
  const killAll = (): void => children.forEach((child) => child.kill('SIGKILL'));
  process.once('exit', killAll);
  let started = 0;
  const start = (): Promise<Member> => startMember(`p${++started}`, storageUrl, children);
  const members = [await start(), await start(), await start()];
  const place = (): void => balancer.use(members.map(({ url }) => url));
  place();

  return {
    url: balancer.url,
    urls: () => members.map(({ url }) => url),
    kill(index) {
      const member = members[index];
      if (member === undefined) throw new RangeError(`There is no process ${index}.`);
      member.child.kill('SIGKILL');
      // Until then the balancer finds out by itself that nobody is there.
      const replaced = start().then((next) => {
        members[index] = next;
        place();
      });
      // Whoever waits for it hears why nobody came.
      replaced.catch(() => undefined);
      return { name: member.name, replaced };
    },
    async stop() {
      process.off('exit', killAll);
      await balancer.stop();
      const gone = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)));
      killAll();
      await Promise.all(gone);
    },
  };
}

/** Starts a process over a Redis or a PostgreSQL; it is one of `children` until it ends. */
export async function startMember(
  name: string,
  storageUrl: string,
  children: Set<ChildProcess>,
): Promise<Member> {
  const script = fileURLToPath(new URL('proxy-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@vitrine/source', script, name, storageUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it listened.`)));
  });
  return { name, url, child };
}
