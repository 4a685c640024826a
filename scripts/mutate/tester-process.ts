import { type ChildProcess, fork } from 'node:child_process';
import type { TestAnswer, TestRequest } from './tester.ts';

/** The longest time without a finished test; a fault that exceeds it counts as noticed. */
const patienceMs = 120_000;

/** Runs the tests of a copy of the repository and restarts after a fault that stopped it. */
export type TesterProcess = {
  /** The first test that failed, or a note about the time; null when all passed. */
  readonly test: (file: string | null) => Promise<string | null>;
  readonly end: () => void;
};

export function createTesterProcess(copy: string): TesterProcess {
  let child: ChildProcess | null = null;
  let last: string | null = null;

  async function start(): Promise<ChildProcess> {
    const started = fork('scripts/mutate/tester.ts', {
      cwd: copy,
      // Property tests try few examples, so they miss faults that show rarely.
      env: { ...process.env, VITEST: 'true', NODE_ENV: 'test', PROVE_RUNS: '10', RUNS: '10' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    last = null;
    await new Promise((resolve, reject) => {
      started.once('message', resolve);
      started.once('exit', () => reject(new Error('The tests could not be started.')));
    });
    return started;
  }

  function ask(asked: ChildProcess, request: TestRequest): Promise<string | null> {
    return new Promise((resolve) => {
      const end = (failed: string | null, isLost = false): void => {
        clearTimeout(timer);
        asked.removeAllListeners();
        if (isLost) {
          asked.kill('SIGKILL');
          child = null;
        }
        resolve(failed);
      };
      const tooLate = (): void => end(`nothing moved for ${patienceMs / 1000} s`, true);
      let timer = setTimeout(tooLate, patienceMs);
      asked.on('message', (message: TestAnswer) => {
        if (message.type === 'done') return end(message.failed);
        clearTimeout(timer);
        timer = setTimeout(tooLate, patienceMs);
      });
      asked.on('exit', () => end('the tests ended at once', true));
      asked.send(request);
    });
  }

  return {
    async test(file) {
      child ??= await start();
      const changed = [last, file].filter((name) => name !== null);
      last = file;
      return ask(child, { changed });
    },
    end: () => void child?.kill('SIGKILL'),
  };
}
