import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A script as a process that prints its address. */
export type BenchProcess = {
  readonly url: string;
  /** What it tells of itself. */
  readonly tell: <Value>() => Promise<Value>;
  readonly stop: () => void;
};

/** Starts a script by its path from this folder; it can collect its garbage when it wants to. */
export async function startProcess(script: string, ...args: readonly string[]): Promise<BenchProcess> {
  const options = { silent: true, execArgv: ['--expose-gc'] };
  const child: ChildProcess = fork(join(import.meta.dirname, script), args, options);
  child.stderr?.pipe(process.stderr);
  const [printed] = (await once(child.stdout as NodeJS.EventEmitter, 'data')) as [Buffer];
  return {
    url: printed.toString().trim(),
    async tell<Value>() {
      const answer = once(child, 'message');
      child.send('tell');
      const [told] = (await answer) as [Value];
      return told;
    },
    stop: () => child.kill(),
  };
}
