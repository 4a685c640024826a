import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export type ProgramEnd = {
  /** Its exit code; 128 and the number of the signal that ended it, and 126 or 127 when it could not start. */
  readonly code: number;
  readonly how: string;
  readonly hasStarted: boolean;
};

/** Runs a program in this terminal, with the signals that come for it. */
export function runProgram(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProgramEnd> {
  const child = spawn(command, args, { stdio: 'inherit', env });
  const relay = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl+C to all programs in it.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, relay);
  return new Promise<ProgramEnd>((resolve) => {
    child.once('error', ({ message, code }: NodeJS.ErrnoException) =>
      resolve({ code: code === 'ENOENT' ? 127 : 126, how: message, hasStarted: false }),
    );
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : signal;
      const number = signal === null ? 0 : 128 + constants.signals[signal];
      resolve({ code: code ?? number, how, hasStarted: true });
    });
  }).finally(() => signals.forEach((signal) => process.off(signal, relay)));
}
