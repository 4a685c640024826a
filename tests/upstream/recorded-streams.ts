import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Wire = 'openai' | 'anthropic' | 'google';
export type RecordedStream = {
  readonly name: string;
  readonly wire: Wire;
  readonly chunks: readonly string[];
};

const folder = fileURLToPath(new URL('../../../shared/provider-streams', import.meta.url));

/** The recorded answers of real models; empty where they are not at hand. */
export function recordedStreams(): RecordedStream[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.chunks.txt'))
    .map((file) => {
      const name = file.replace('.chunks.txt', '');
      const chunks = readFileSync(`${folder}/${file}`, 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '');
      return { name, wire: wireOf(name), chunks };
    });
}

function wireOf(name: string): Wire {
  if (name.startsWith('anthropic')) return 'anthropic';
  return name.startsWith('google') ? 'google' : 'openai';
}

/** The bytes as the provider frames them. */
export function frame({ wire, chunks }: RecordedStream): string {
  const events = chunks.map((chunk) =>
    wire === 'anthropic'
      ? `event: ${(JSON.parse(chunk) as { type: string }).type}\ndata: ${chunk}\n\n`
      : `data: ${chunk}\n\n`,
  );
  return `${events.join('')}${wire === 'openai' ? 'data: [DONE]\n\n' : ''}`;
}
