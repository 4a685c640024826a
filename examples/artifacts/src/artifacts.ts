import { definePlugin, defineTool } from '@vitrine/react';
import { z } from 'zod';

const mostVersions = 50;
const mostCharacters = 100_000;
/** Characters of an artifact that the model is told again after a person has changed it. */
const mostTold = 20_000;

const kind = z.enum(['text', 'code', 'html']);
const artifact = z.object({
  id: z.string(),
  title: z.string(),
  kind,
  /** The last one is shown; a restored version is a new one. */
  versions: z.array(z.object({ text: z.string(), by: z.enum(['model', 'person']) })),
});
export type Artifact = z.output<typeof artifact>;

/** The list with one more version of an artifact. The oldest versions leave at the limit. */
export function withVersion(
  list: readonly Artifact[],
  { text, by, ...about }: Omit<Artifact, 'versions'> & Artifact['versions'][number],
): Artifact[] {
  const known = list.find(({ id }) => id === about.id);
  const versions = [...(known?.versions ?? []), { text, by }].slice(-mostVersions);
  const next = { ...about, versions };
  return known ? list.map((one) => (one === known ? next : one)) : [...list, next];
}

const writeArtifact = defineTool({
  name: 'write_artifact',
  description:
    'Shows a text, code or an HTML page beside the chat. A known id writes a new version of it; give the whole text each time.',
  input: z.object({
    id: z.string().regex(/^[a-z0-9-]{1,60}$/),
    title: z.string().min(1).max(100),
    kind,
    text: z.string().max(mostCharacters),
  }),
  execute(input, ctx) {
    ctx.own<Artifact[]>().update((list = []) => withVersion(list, { ...input, by: 'model' }));
    return `The person sees ${input.title}.`;
  },
});

/** Artifacts with their versions. The model is told which there are, and what a person has changed. */
export const artifacts = definePlugin({
  id: 'artifacts',
  state: z.array(artifact),
  initial: [],
  tools: [writeArtifact],
  prepare({ get }) {
    const list = get() ?? [];
    if (list.length === 0) return {};
    const content = list.map(({ id, title, kind, versions }) => {
      const last = versions.at(-1);
      const about = `${id}: ${title} (${kind}, ${versions.length} versions)`;
      return last?.by === 'person'
        ? `${about}, as the person left it:\n${last.text.slice(0, mostTold)}`
        : about;
    });
    return { context: [{ name: 'Artifacts', content: content.join('\n\n') }] };
  },
});
