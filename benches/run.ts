import { memory } from './core/memory.ts';
import { serialization } from './core/serialization.ts';
import { toolSteps } from './core/tool-steps.ts';
import { streaming } from './streaming.ts';

// npm run bench -- [--only streaming,tool-steps,serialization,memory] [--rounds 5]

const scenarios: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  'tool-steps': toolSteps,
  serialization,
  memory,
  streaming,
};

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const only = option('only')?.split(',') ?? Object.keys(scenarios);
const rounds = Number(option('rounds') ?? 5);

for (const name of only) {
  const scenario = scenarios[name];
  if (!scenario)
    throw new Error(`There is no bench ${name}; there are ${Object.keys(scenarios).join(', ')}.`);
  await scenario(rounds);
}
