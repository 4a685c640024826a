import { definePlugin, defineTool, type Plugin, type Schema, type Tool } from '@vitrine/core';
import * as z from 'zod/mini';

const mostNotes = 200;
const mostKey = 100;
const mostBytes = 65_536;
/** Most keys that the model is told without asking. */
const mostTold = 50;
const mostDeleted = 200;
/** Keys of what other tools keep. */
const reserved: readonly string[] = ['tasks'];

const note = z.object({ key: z.string(), value: z.string(), by: z.enum(['model', 'person']) });
const state = z.object({
  notes: z
    .array(note)
    .check(z.maxLength(mostNotes, `there are at most ${mostNotes} notes; put some together or delete some`)),
  /** Keys of notes that a person has deleted, which are not written again. */
  deleted: z.array(z.string()).check(z.maxLength(mostDeleted)),
});
type Notes = z.output<typeof state>;

const found = { keys: z.optional(z.array(z.string())), value: z.optional(z.string()) };
const result = z.union([
  z.object({ success: z.literal(true), ...found }),
  z.object({ success: z.literal(false), error: z.string() }),
]);
type Result = z.output<typeof result>;

const key = z.string().check(z.describe('The name of the note, such as "address of the hotel"'));

/**
 * Notes that the model keeps for a session: the tools `list_notes`, `read_note`, `write_note` and `delete_note`. There are
 * at most 200, each up to 64 KiB of text. The model is told their keys behind the conversation. `<Notes>` of
 * `@vitrine/react/components` shows them, and a person may change and delete them there: a note that a person has deleted
 * is not written again.
 */
export function notesPlugin(): Plugin<Notes, 'notes', NoteTool> {
  return definePlugin({
    id: 'notes',
    state,
    initial: none,
    tools: [
      noteTool('list_notes', 'Lists the keys of your notes.', z.object({}), (_given, { notes }) => ({
        success: true,
        keys: notes.map((one) => one.key),
      })),
      noteTool('read_note', 'Reads a note.', z.object({ key }), (given, { notes }) => {
        const found = notes.find((one) => one.key === given.key);
        return found === undefined ? unknownKey(given.key, notes) : { success: true, value: found.value };
      }),
      noteTool(
        'write_note',
        `Writes a note, or replaces it. Keep what you will need later: facts, decisions, wishes of the person. At most ${mostNotes} notes.`,
        z.object({ key, value: z.string() }),
        (given, before) => refuseWrite(given, before) ?? { ...before, notes: withNote(before.notes, given) },
      ),
      noteTool('delete_note', 'Deletes a note.', z.object({ key }), (given, before) => {
        const notes = before.notes.filter((one) => one.key !== given.key);
        return notes.length === before.notes.length ? unknownKey(given.key, notes) : { ...before, notes };
      }),
    ],
    prepare({ get }) {
      const { notes } = get() ?? none;
      const content = `You have notes, which read_note gives you. ${listOf(notes)}`;
      return notes.length === 0 ? undefined : { context: [{ name: 'Notes', content }] };
    },
  });
}

type Given = { readonly key: string; readonly value: string };
type NoteTool =
  | Tool<object, Result, 'list_notes'>
  | Tool<{ key: string }, Result, 'read_note' | 'delete_note'>
  | Tool<{ key: string; value: string }, Result, 'write_note'>;

/** A tool that answers from the notes, or changes them. */
function noteTool<Name extends string, Given>(
  name: Name,
  description: string,
  input: Schema<Given, Given>,
  change: (given: Given, notes: Notes) => Result | Notes,
): Tool<Given, Result, Name> {
  return defineTool({
    name,
    description,
    input,
    output: result,
    effects: 'idempotent',
    execute(given, ctx): Result {
      const own = ctx.own<Notes>();
      const changed = change(given, own.get() ?? none);
      if ('success' in changed) return changed;
      own.update((before = none) => {
        // Calls at the same time may have filled the notes meanwhile.
        const again = change(given, before);
        if ('success' in again) throw new Error('error' in again ? again.error : '');
        return again;
      });
      return { success: true };
    },
  }) as Tool<Given, Result, Name>;
}

const none: Notes = { notes: [], deleted: [] };

/** A note in its place, or a new one at the end. */
function withNote(notes: Notes['notes'], given: Given): Notes['notes'] {
  const written = { key: given.key, value: given.value, by: 'model' as const };
  const at = notes.findIndex((one) => one.key === given.key);
  return at === -1 ? [...notes, written] : notes.map((one, place) => (place === at ? written : one));
}

function refuseWrite(given: Given, { notes, deleted }: Notes): Result | null {
  const name = JSON.stringify(given.key.slice(0, mostKey));
  if (given.key.trim() === '' || given.key.length > mostKey)
    return failure(`A key has 1 to ${mostKey} characters.`);
  if (reserved.includes(given.key)) return failure(`The key ${name} is reserved. Use another one.`);
  if (deleted.includes(given.key))
    return failure(`The person has deleted the note ${name}. They may add it again themselves.`);
  const { length } = new TextEncoder().encode(given.value);
  if (length > mostBytes) return failure(`The note has ${length} bytes; a note has at most ${mostBytes}.`);
  const isNew = notes.every((one) => one.key !== given.key);
  return isNew && notes.length >= mostNotes
    ? failure(`There are ${mostNotes} notes already. Put some together, or delete one first.`)
    : null;
}

function unknownKey(given: string, notes: Notes['notes']): Result {
  return failure(`There is no note ${JSON.stringify(given.slice(0, mostKey))}. ${listOf(notes)}`);
}

function listOf(notes: Notes['notes']): string {
  if (notes.length === 0) return 'There are none.';
  const more = notes.length > mostTold ? `, and ${notes.length - mostTold} more, which list_notes names` : '';
  const told = notes.slice(0, mostTold).map((one) => one.key);
  return `There are: ${told.join(', ')}${more}.`;
}

function failure(error: string): Result {
  return { success: false, error };
}
