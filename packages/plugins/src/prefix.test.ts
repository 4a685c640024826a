import { defineTool, type InferenceRequest } from '@vitrine/core';
import { fakeTool } from '@vitrine/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { deferTools } from './defer-tools.ts';
import { memorySessions } from '@vitrine/persist';
import { notesPlugin } from './notes.ts';
import { play, wireOf } from './sessions.fixture.ts';
import { skillsPlugin } from './skills.ts';
import { todoPlugin } from './todo.ts';

const page = 'The survey lists each parcel with its owner, its area and the year of the last sale. '.repeat(
  40,
);
const look = { ...fakeTool('look', page), effects: 'idempotent' as const };
const deferred = ['north', 'south', 'east'].map((name) =>
  defineTool({
    name: `map_${name}`,
    description: `Shows the ${name}.`,
    input: z.object({}),
    execute: () => page,
  }),
);
const skills = { 'survey/SKILL.md': `---\nname: survey\ndescription: Reads surveys\n---\n${page}` };
const todos = (done: number) =>
  Array.from({ length: 4 }, (_none, at) => ({
    content: `Page ${at}`,
    status: at < done ? 'completed' : 'pending',
  }));

/** The parts of a request in the order in which caches read them. */
function partsOf(request: InferenceRequest): readonly string[] {
  return [JSON.stringify(request.tools), ...wireOf(request)];
}

describe('plugins and the caches of prompts', () => {
  const store = memorySessions();
  it.each([
    ['notes', notesPlugin()],
    ['notes of a person', notesPlugin({ scope: 'person', store })],
  ])(
    'a run of ten steps with tasks, skills, %s and deferred tools begins each request with the one before it, to four fifths',
    async (_name, notes) => {
      const calls = [
        { name: 'search_tools', input: { query: 'north' } },
        { name: 'load_skill', input: { name: 'survey' } },
        ...[1, 2, 3, 4].flatMap((done) => [
          { name: 'todo_write', input: { todos: todos(done) as never } },
          done === 3
            ? { name: 'write_note', input: { key: 'north', value: 'Parcel 12' } }
            : { name: done % 2 === 0 ? 'map_north' : 'look', input: {} },
        ]),
      ];
      const { requests } = await play({
        init: () => ({
          systemPrompt: 'You read land surveys and answer with parcel numbers. '.repeat(110),
          plugins: [todoPlugin(), skillsPlugin({ skills }), notes, deferTools(deferred)],
          tools: [look],
        }),
        script: (step) => (calls[step] === undefined ? { text: 'Parcel 12.' } : { toolCalls: [calls[step]] }),
        questions: ['Which parcel is the largest?'],
      });
      expect(requests).toHaveLength(11);
      let [sent, read] = [0, 0];
      for (const [at, request] of requests.entries()) {
        const parts = partsOf(request);
        const before = at === 0 ? [] : partsOf(requests[at - 1]!);
        const same = parts.findIndex((part, index) => part !== before[index]);
        sent += parts.join('').length;
        read += parts.slice(0, same === -1 ? parts.length : same).join('').length;
      }
      expect(read / sent).toBeGreaterThan(0.8);
    },
  );
});
