import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expectedAnswer } from './expected-answer.ts';
import type { ExpectedAnswer, ProviderStream, Wire } from './provider-stream.ts';

const extension = '.chunks.txt';
const writtenFolder = fileURLToPath(new URL('streams', import.meta.url));
const recordedFolder = fileURLToPath(new URL('../../../shared/provider-streams', import.meta.url));

/** The recordings that a run without them leaves out, and says so. */
const recordings = [
  'anthropic-json-output-format.1',
  'anthropic-text',
  'anthropic-tool-no-args',
  'deepseek-reasoning',
  'deepseek-tool-call',
  'google-text',
  'google-tool-call',
  'groq-text',
  'mistral-tool-call',
  'openai-text',
  'xai-tool-call',
];

/** The streams that are written by hand, with what is expected of them beside each. */
export function writtenStreams(): ProviderStream[] {
  return namesIn(writtenFolder).map((name) => {
    const expected = readFileSync(`${writtenFolder}/${name}.expected.json`, 'utf8');
    return { ...read(writtenFolder, name), expected: JSON.parse(expected) as ExpectedAnswer };
  });
}

/** The recorded answers of real models by name, beside this repository; null for one that is not at hand. */
export function recordedStreams(): { readonly name: string; readonly stream: ProviderStream | null }[] {
  const present = namesIn(recordedFolder);
  return [...new Set([...recordings, ...present])].map((name) => {
    if (!present.includes(name)) return { name, stream: null };
    const stream = read(recordedFolder, name);
    return { name, stream: { ...stream, expected: expectedAnswer(stream) } };
  });
}

/** The bytes as the provider frames them. */
export function frame({ wire, chunks }: Pick<ProviderStream, 'wire' | 'chunks'>): string {
  const events = chunks.map((chunk) =>
    wire === 'anthropic' || wire === 'openai'
      ? `event: ${(JSON.parse(chunk) as { type: string }).type}\ndata: ${chunk}\n\n`
      : `data: ${chunk}\n\n`,
  );
  return `${events.join('')}${wire === 'openai-compatible' ? 'data: [DONE]\n\n' : ''}`;
}

function namesIn(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length));
}

function read(folder: string, name: string): Omit<ProviderStream, 'expected'> {
  const lines = readFileSync(`${folder}/${name}${extension}`, 'utf8').split('\n');
  const chunks = lines.filter((line) => line.trim() !== '');
  return { name, wire: wireOf(name, chunks), chunks };
}

function wireOf(name: string, [first = '']: readonly string[]): Wire {
  // OpenAI was recorded by its older protocol, which compatible servers speak.
  if (first.includes('"chat.completion.chunk"')) return 'openai-compatible';
  const [provider] = name.split('-');
  if (provider === 'openai' || provider === 'anthropic' || provider === 'google') return provider;
  return 'openai-compatible';
}
