import { storeFields } from '../../graph/agent-state/transitions.ts';
import { withChangesFollowed } from '../../graph/follow-changes.ts';
import { append, section, withSection } from '../../graph/message-store.ts';
import type { Message } from '../../graph/message.ts';
import { present } from '../../kit/json.ts';
import type { AgentEventOf } from '../events.ts';
import { execution, type Handlers, nothing } from './handler.ts';
import { withWrites } from './tools.ts';

export const changeHandlers = {
  'message-add': (state, { message, section: name }) => ({
    context: { ...state.context, store: append(state.context.store, [message], name) },
  }),

  'section-change'(state, event) {
    const messages = withChange(section(state.context.store, event.name), event);
    // A moved message is the same object here, and another object when the event was read from storage.
    const gone = new Set(event.removed);
    const store = withSection(state.context.store, event.name, messages);
    const fields = storeFields(state, store, ({ id }) => gone.has(id));
    const erased = new Set(event.erased);
    const changed = new Set([...erased, ...event.put.map(({ id }) => id)]);
    if (changed.size === 0) return fields;
    return { ...fields, ...withChangesFollowed({ ...state, ...fields }, { changed, erased }) };
  },

  'metadata-change'(state, { set, removed }) {
    const kept = Object.entries(state.context.metadata).filter(([key]) => !removed.includes(key));
    return { context: { ...state.context, metadata: { ...Object.fromEntries(kept), ...set } } };
  },

  'context-change'(state, { systemPrompt, responseFormat, llmConfig }) {
    const context = { ...state.context, ...present({ systemPrompt, responseFormat }) };
    return { context, ...present({ llmConfig }) };
  },

  'plugin-change'(state, event) {
    if (event.isForgotten !== true) return { plugins: withWrites(state, [event]) };
    const { [event.pluginId]: _forgotten, ...plugins } = state.plugins;
    return { plugins };
  },
} satisfies Partial<Handlers>;

/** The section after a change. Concurrent changes of others are kept. */
function withChange(
  messages: readonly Message[],
  { removed, put, added }: AgentEventOf<'section-change'>,
): readonly Message[] {
  const gone = new Set(removed);
  const replacements = new Map(put.map((message) => [message.id, message]));
  // Messages that another author added meanwhile under the same id are not added twice.
  const present = new Set(messages.map(({ id }) => id));
  const behind = new Map<string | null, readonly Message[]>();
  const known = new Set<string | null>([null, ...present]);
  let last: string | null = messages.at(-1)?.id ?? null;
  for (const { after, messages: list } of added) {
    const fresh = list.filter(({ id }) => !present.has(id) || gone.has(id));
    const anchor: string | null = known.has(after) ? after : last;
    behind.set(anchor, [...(behind.get(anchor) ?? []), ...fresh]);
    for (const { id } of fresh) known.add(id);
    last = fresh.at(-1)?.id ?? last;
  }
  const next: Message[] = [...(behind.get(null) ?? [])];
  for (const message of messages) {
    if (!gone.has(message.id)) next.push(replacements.get(message.id) ?? message);
    next.push(...(behind.get(message.id) ?? []));
  }
  return next;
}

export const breakHandlers = {
  // A state that an older version wrote may lack the field.
  'break-set'({ breakpoints = [] }, { breakpointId: id, on, isOnce }) {
    const others = breakpoints.filter((entry) => entry.id !== id);
    if (on !== null) return { breakpoints: [...others, { id, on, isOnce }] };
    return others.length === breakpoints.length ? nothing : { breakpoints: others };
  },

  'break-hit': (state, { breakpointId, place: at }) =>
    execution(state, (current) => ({ ...current, breakHit: { breakpointId, at } })),

  'break-release': (state) =>
    execution(state, (current) =>
      current.breakHit === null ? current : { ...current, breakHit: null, breakPassed: current.breakHit.at },
    ),
} satisfies Partial<Handlers>;
