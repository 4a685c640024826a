#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { numbersFrom, wrongSetting } from '../kit/env-record.ts';
import { nearestNames } from '../kit/text.ts';
import { checkProviders } from '../providers/check-providers.ts';
import { listedModels } from '../providers/proxy-model.ts';
import { checkedPort, serveFromEnv } from './serve-from-env.ts';

const help = `Serves the Vitrine proxy with the keys and settings of the environment.

Usage: npx @vitrine/proxy [options]

  --port <number>   port to listen on; 0 takes a free one   (PORT, or 8787)
  --host <name>     address to listen on                    (HOST, or 127.0.0.1)
  --models <list>   models to serve, as openai:gpt-6.1-terra,anthropic:claude-haiku-5-5
                    (VITRINE_MODELS, or those of every key that is set)
  --env <file>      file with keys and settings             (.env, if there is one)
  --help            shows this text

The variables are listed in .env.example of the repository and in the guide (guide/proxy).
`;

const options = {
  port: { type: 'string' },
  host: { type: 'string' },
  models: { type: 'string' },
  env: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Serves until a signal ends the process. @throws AgentError `agent-invalid` for arguments and settings that mean nothing. */
async function serve(): Promise<void> {
  const given = givenOptions();
  if (given.help === true) return void process.stdout.write(help);
  loadEnv(given.env);
  if (given.port !== undefined) process.env['PORT'] = String(checkedPort('--port', given.port));
  if (given.host !== undefined) process.env['HOST'] = given.host;
  if (given.models !== undefined) process.env['VITRINE_MODELS'] = given.models;
  const graceMs = graceFrom(process.env);
  const { url, models, close } = await serveFromEnv(process.env);
  let isEnding = false;
  const end = (): void => {
    // The second signal does not wait for answers.
    if (isEnding) process.exit(1);
    isEnding = true;
    close({ graceMs }).then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', end).on('SIGINT', end);

  const ids = (await listedModels(models)).map(({ id }) => id);
  process.stdout.write(`Vitrine proxy: ${url} serves ${ids.join(', ')}.\n`);
  for (const error of await checkProviders(process.env, models)) process.stderr.write(`${error}\n`);
}

function givenOptions(): ReturnType<typeof parseArgs<{ options: typeof options }>>['values'] {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    const [, unknown] = /^Unknown option '--?([\w-]+)'/.exec(first) ?? [];
    const [nearest] = unknown === undefined ? [] : nearestNames(unknown, Object.keys(options), 1);
    const meant = nearest === undefined ? '' : ` Did you mean --${nearest}?`;
    throw wrongSetting(`${first}.${meant} npx @vitrine/proxy --help lists every option.`);
  }
}

/** Loads a file of variables; those of the process take precedence. */
function loadEnv(file: string | undefined): void {
  if (file === undefined && !existsSync('.env')) return;
  try {
    process.loadEnvFile(file ?? '.env');
  } catch (cause) {
    throw wrongSetting(
      `--env is ${JSON.stringify(file ?? '.env')}, which cannot be read. Give the path of a file.`,
      { cause },
    );
  }
}

function graceFrom(env: NodeJS.ProcessEnv): number {
  const { graceMs = 10_000 } = numbersFrom(env, { graceMs: 'VITRINE_SHUTDOWN_GRACE_MS' });
  if (graceMs >= 0) return graceMs;
  throw wrongSetting(`VITRINE_SHUTDOWN_GRACE_MS is ${graceMs}; give milliseconds as a number from 0 on.`);
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

serve().catch(fail);
