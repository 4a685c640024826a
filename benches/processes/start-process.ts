import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A script in its own process, which prints its address. */
export type BenchProcess = {
  readonly url: string;
  /** Asks the process for its figures. */
  readonly tell: <Value>() => Promise<Value>;
  readonly stop: () => void;
};

/** Starts a script by its path from this folder; it may collect garbage on demand. */
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
