import {
  AgentError,
  definePlugin,
  defineTool,
  type Plugin,
  type Schema,
  type SessionStore,
  type Tool,
} from '@vitrine/core';
import * as z from 'zod/mini';
import { type SharedState, sharedState } from './shared-state.ts';

const mostNotes = 200;
const mostKey = 100;
const mostBytes = 65_536;
/** Most keys that the model is told without asking. */
const mostTold = 50;
const mostDeleted = 200;
/** Keys of what other tools keep. */
const reserved: readonly string[] = ['tasks'];

const hasRoom = (value: string): boolean => new TextEncoder().encode(value).length <= mostBytes;
const tooLong = `A note has at most ${mostBytes} bytes; write several.`;
const value = z.string().check(z.refine(hasRoom, tooLong));
const note = z.object({ key: z.string(), value, by: z.enum(['model', 'person']) });
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

type NotesOptions =
  | { readonly scope?: 'session' }
  | {
      readonly scope: 'person';
      /** The store of the person. A server of agents gives a function of the principal for whom a run works. */
      readonly store: SessionStore | ((principal: string | null) => SessionStore);
    };

/**
 * Notes that the model keeps for a session, or for a person over sessions: the tools `list_notes`, `read_note`,
 * `write_note` and `delete_note`. There are at most 200, each up to 64 KiB of text. The model is told their keys behind the
 * conversation. `<Notes>` of `@vitrine/react/components` shows them, and a person may change and delete them there: a note
 * that a person has deleted is not written again. With the scope `person` they are in the session `notes` of a store.
 * @throws AgentError `agent-invalid` for the scope `person` without a store
 */
export function notesPlugin(options: NotesOptions = {}): Plugin<Notes, 'notes', NoteTool> {
  const shared = sharedNotes(options);
  const plugin = definePlugin({
    id: 'notes',
    state,
    initial: none,
    tools: [
      noteTool(shared, 'list_notes', 'Lists the keys of your notes.', z.object({}), (_given, { notes }) => ({
        success: true,
        keys: notes.map((one) => one.key),
      })),
      noteTool(shared, 'read_note', 'Reads a note.', z.object({ key }), (given, { notes }) => {
        const found = notes.find((one) => one.key === given.key);
        return found === undefined ? unknownKey(given.key, notes) : { success: true, value: found.value };
      }),
      noteTool(
        shared,
        'write_note',
        `Writes a note, or replaces it. Keep what you will need later: facts, decisions, wishes of the person. At most ${mostNotes} notes.${shared === null ? '' : ' They last beyond this conversation.'}`,
        z.object({ key, value: z.string() }),
        (given, before) => refuseWrite(given, before) ?? { ...before, notes: withNote(before.notes, given) },
      ),
      noteTool(shared, 'delete_note', 'Deletes a note.', z.object({ key }), (given, before) => {
        const notes = before.notes.filter((one) => one.key !== given.key);
        return notes.length === before.notes.length ? unknownKey(given.key, notes) : { ...before, notes };
      }),
    ],
    async prepare({ get, agentState }) {
      const reading = shared?.(agentState.execution?.by ?? null).read() ?? (get() || none);
      const read = await Promise.resolve(reading).catch(sentenceOf);
      if (typeof read === 'string') return { context: [{ name: 'Notes', content: read }] };
      const content = `You have notes, which read_note gives you. ${listOf(read.notes)}`;
      return read.notes.length === 0 ? undefined : { context: [{ name: 'Notes', content }] };
    },
  });
  // The view of a page finds it there.
  return Object.assign(plugin, shared && { shared });
}

/** The notes of a principal; null for one without a sign-in. */
type Shared = (principal: string | null) => SharedState<Notes>;

function sharedNotes(options: NotesOptions): Shared | null {
  if (options.scope !== 'person') return null;
  const { store } = options;
  if (store === undefined) throw invalid('the scope "person" needs a store of sessions.');
  const known = new WeakMap<SessionStore, SharedState<Notes>>();
  return (principal) => {
    // One store would tell each of them the notes of all.
    if (principal !== null && typeof store !== 'function')
      throw invalid('this run works for a principal; give `store` as a function of its id.');
    const own = typeof store === 'function' ? store(principal) : store;
    const notes = known.get(own) ?? sharedState(own, kept);
    known.set(own, notes);
    return notes;
  };
}

function invalid(why: string): AgentError {
  return new AgentError('agent-invalid', `notesPlugin: ${why}`);
}

function sentenceOf(thrown: unknown): string {
  return `The notes cannot be read or written now: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
}

type Given = { readonly key: string; readonly value: string };
type NoteTool =
  | Tool<object, Result, 'list_notes'>
  | Tool<{ key: string }, Result, 'read_note' | 'delete_note'>
  | Tool<{ key: string; value: string }, Result, 'write_note'>;

/** A tool that answers from the notes, or changes them. */
function noteTool<Name extends string, Given>(
  shared: Shared | null,
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
    async execute(given, ctx): Promise<Result> {
      // It may be asked again, on what another call or session wrote meanwhile.
      const writeChange = (before: Notes = none): Notes => {
        const next = change(given, before);
        if ('success' in next) throw new Answer(next);
        return next;
      };
      try {
        if (shared === null) ctx.own<Notes>().update(writeChange);
        else await shared(ctx.principal?.id ?? null).change(writeChange, ctx.toolCallId);
        return { success: true };
      } catch (thrown) {
        if (thrown instanceof Answer) return thrown.result;
        if (shared === null) throw thrown;
        return failure(sentenceOf(thrown));
      }
    },
  }) as Tool<Given, Result, Name>;
}

/** The answer to a call that changes nothing. */
class Answer extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super('error' in result ? result.error : '');
    this.result = result;
  }
}

const none: Notes = { notes: [], deleted: [] };
/** The notes of a person, as their session keeps them. */
const kept = { id: 'notes', version: 1, state, initial: () => none };

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
  if (!hasRoom(given.value)) return failure(tooLong);
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
