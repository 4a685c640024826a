import { spawn } from 'node:child_process';
import { root } from './root.ts';

export type RunOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly quiet?: boolean;
};

/** Runs a command to its end and kills it after the time limit. The output is shown, or collected when quiet. */
export function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ ok: boolean; output: string }> {
  const { cwd = root, env = {}, timeoutMs = 600_000, quiet = false } = options;
  return new Promise((resolve) => {
    const path = `${root}/node_modules/.bin:${process.env['PATH'] ?? ''}`;
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH: path, ...env },
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
      detached: true,
    });
    let output = '';
    child.stdout?.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (output += data.toString()));
    const timer = setTimeout(() => {
      output += `\n${command} did not finish within ${timeoutMs / 1000} s.`;
      process.stderr.write(`${command} did not finish within ${timeoutMs / 1000} s.\n`);
      // The whole group is killed: children of the command must not survive.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ ok: false, output: `${output}\n${error.message}` });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ ok: code === 0, output });
    });
  });
}
