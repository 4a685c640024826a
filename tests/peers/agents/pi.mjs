import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The home is that of the test. pi reads no variable: the address is in its list of models.
mkdirSync(join(homedir(), '.pi/agent'), { recursive: true });
const provider = {
  baseUrl: process.env.OPENAI_BASE_URL,
  api: 'openai-completions',
  apiKey: 'none',
  models: [{ id: 'm' }],
};
writeFileSync(join(homedir(), '.pi/agent/models.json'), JSON.stringify({ providers: { local: provider } }));
const pi = fileURLToPath(new URL('../node_modules/.bin/pi', import.meta.url));
const flags = ['--offline', '--provider', 'local', '--model', 'm', '-p', 'Use the shell'];
const { stdout, status } = spawnSync(process.execPath, [pi, ...flags], {
  cwd: homedir(),
  encoding: 'utf8',
  input: '',
});
process.stdout.write(`${stdout.trim()}\n`);
process.exitCode = status ?? 1;
