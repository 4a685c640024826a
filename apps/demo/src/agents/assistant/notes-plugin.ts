import { definePlugin, defineTool, type Plugin } from '@vitrine/react';
import * as z from 'zod/mini';
import { saveText } from '../../kit/save-text.ts';

const notesState = z.object({ notes: z.array(z.object({ id: z.int(), text: z.string() })) });
export type NotesState = z.infer<typeof notesState>;

const addNote = defineTool({
  name: 'add_note',
  description: 'Keeps a note for the rest of the session.',
  input: z.object({ text: z.string().check(z.minLength(1), z.maxLength(2000)) }),
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

const downloadNotes = defineTool({
  name: 'download_notes',
  description:
    'Saves the notes of this session as a text file on the computer of the user, who is asked before.',
  input: z.object({
    filename: z.string().check(z.regex(/^[\w .-]{1,80}\.(?:txt|md)$/, 'a name that ends in .txt or .md')),
    heading: z.string(),
  }),
  // It leaves a file outside of the page.
  needsApproval: () => ({ ask: 'It saves a file on your computer. You can change its name.' }),
  execute({ filename, heading }, ctx) {
    const notes = ctx.own<NotesState>().get()?.notes ?? [];
    if (notes.length === 0) throw new Error('There are no notes to be saved.');
    saveText(filename, [`# ${heading}`, '', ...notes.map(({ text }) => `- ${text}`), ''].join('\n'));
    return `Saved ${notes.length === 1 ? '1 note' : `${notes.length} notes`} as ${filename}.`;
  },
});

/** A plugin for notes that live as long as the session. The model gets them before every call. */
export const notesPlugin: Plugin<NotesState> = definePlugin({
  id: 'notes',
  state: notesState,
  initial: { notes: [] },
  tools: [addNote, listNotes, downloadNotes],
  prepare(ctx) {
    const notes = ctx.get()?.notes ?? [];
    if (notes.length === 0) return {};
    return {
      context: [{ name: 'Notes of the user', content: notes.map(({ text }) => `- ${text}`).join('\n') }],
    };
  },
});
