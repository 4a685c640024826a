import { definePlugin, defineTool, type Plugin } from '@vitrine/react';
import * as z from 'zod';

const notesState = z.object({ notes: z.array(z.object({ id: z.int(), text: z.string() })) });
export type NotesState = z.infer<typeof notesState>;

const addNote = defineTool({
  name: 'add_note',
  description: 'Keeps a note for the rest of the session.',
  input: z.object({ text: z.string().min(1).max(2000) }),
  execute({ text }, ctx) {
    let count = 0;
    ctx.own<NotesState>().update((state) => {
      const notes = state?.notes ?? [];
      count = notes.length + 1;
      return { notes: [...notes, { id: count, text }] };
    });
    return `There ${count === 1 ? 'is 1 note' : `are ${count} notes`} now.`;
  },
});

const listNotes = defineTool({
  name: 'list_notes',
  description: 'Lists the notes of this session.',
  input: z.object({}),
  effects: 'idempotent',
  execute(_input, ctx) {
    const notes = ctx.own<NotesState>().get()?.notes ?? [];
    return notes.map(({ id, text }) => `(${id}) ${text}`).join(' ');
  },
});

/** Notes that live as long as the session; the model is reminded of them before every call. */
export const notesPlugin: Plugin<NotesState> = definePlugin({
  id: 'notes',
  state: notesState,
  initial: { notes: [] },
  tools: [addNote, listNotes],
  prepare(ctx) {
    const notes = ctx.get()?.notes ?? [];
    if (notes.length === 0) return {};
    return {
      context: [{ name: 'Notes of the user', content: notes.map(({ text }) => `- ${text}`).join('\n') }],
    };
  },
});
