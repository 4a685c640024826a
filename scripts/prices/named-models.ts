import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// The names of models in the types of the providers' packages. They are known without network, and say how new a name is:
// a new version of a package is a tick of this clock.

/** A model that a package names. */
export type NamedModel = {
  readonly name: string;
  /** Its generation; newer is larger, and one is a whole generation: 5.05 for `claude-sonnet-5-5`. */
  readonly generation: number;
};

/** The packages by the ids of their providers. */
export const packages = {
  anthropic: '@ai-sdk/anthropic',
  openai: '@ai-sdk/openai',
  google: '@ai-sdk/google',
} as const;

const brands = /'((?:claude-[a-z]+-|gpt-|gemini-|o)(\d+(?:[.-]\d{1,2})?)o?(?:-[a-z-]+)?)'/g;
/** Names of models that do not chat, or that are no names of their own. */
const others =
  /audio|image|tts|transcribe|realtime|translate|search|live|embed|robotics|computer|instruct|turbo|codex|chat|latest|preview|customtools/;

/** The types of the package of a provider. */
export function typesOf(provider: keyof typeof packages): string {
  const entry = createRequire(import.meta.url).resolve(packages[provider]);
  return readFileSync(join(dirname(entry), 'index.d.ts'), 'utf8');
}

/** The models that chat of a package's types, the newest first. Names of dated versions are left out. */
export function namedModels(types: string): readonly NamedModel[] {
  const names = new Map<string, number>();
  for (const [, name = '', version = ''] of types.matchAll(brands))
    if (!others.test(name)) names.set(name, generationOf(version));
  return [...names]
    .map(([name, generation]) => ({ name, generation }))
    .sort((a, b) => b.generation - a.generation || (a.name < b.name ? -1 : 1));
}

/** The generation of a name, by its first number; 0 for none. */
export function generationIn(name: string): number {
  return generationOf(/\d+(?:[.-]\d{1,2}(?!\d))?/.exec(name)?.[0] ?? '0');
}

function generationOf(version: string): number {
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
  return major + minor / 100;
}

/** The models of the newest generation. */
export function newestModels(types: string): readonly NamedModel[] {
  const models = namedModels(types);
  const newest = models[0]?.generation ?? 0;
  return models.filter(({ generation }) => newest - generation < 1);
}
