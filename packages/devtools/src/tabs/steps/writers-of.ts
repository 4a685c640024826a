import type { AgentState } from '@vitrine/core';
import type { StateDifference } from '@vitrine/core/inspect';
import type { StepRecord } from './step-record.ts';

/** Says who wrote something that differs; null where nobody is named. */
export type WriterOf = (difference: StateDifference) => string | null;

/** Who wrote what in a step: at the place itself, or at what holds it; what the loop itself does has no author. */
export function writersOf({ events, after }: StepRecord): WriterOf {
  const writers = new Map<string, string>();
  const add = (place: string, writer: string): void => {
    const before = writers.get(place);
    // Who wrote over another stands last.
    if (before?.split(', then ').at(-1) !== writer)
      writers.set(place, before === undefined ? writer : `${before}, then ${writer}`);
  };
  for (const { event, toolName } of events) {
    if (event.path.length > 0) continue;
    if (event.type === 'tool-end')
      for (const { pluginId } of event.pluginWrites)
        add(`plugins.${pluginId}`, toolName === null ? 'a tool' : `the tool ${toolName}`);
    if (!('source' in event) || event.source === null) continue;
    const writer = event.source;
    if (event.type === 'plugin-change') add(`plugins.${event.pluginId}`, writer);
    else if (event.type === 'metadata-change')
      for (const name of [...Object.keys(event.set), ...event.removed])
        add(`context.metadata.${name}`, writer);
    else if (event.type === 'message-add') {
      add(sectionPlace(event.section), writer);
      add(messagePlace(event.message.id), writer);
    } else if (event.type === 'section-change') {
      const { name, put, added, removed } = event;
      const messages = [...put, ...added.flatMap((one) => one.messages)];
      add(sectionPlace(name), writer);
      for (const id of [...removed, ...messages.map((message) => message.id)]) add(messagePlace(id), writer);
    } else if (event.type === 'context-change') {
      if (event.systemPrompt !== undefined) add('context.systemPrompt', writer);
      if (event.responseFormat !== undefined) add('context.responseFormat', writer);
      if (event.llmConfig !== undefined) add('llmConfig', writer);
    }
  }
  return (difference) => {
    const place = placeInStore(difference, after.state);
    if (place !== null) return writers.get(place) ?? null;
    const { path } = difference;
    for (let length = path.length; length > 0; length--) {
      const writer = writers.get(path.slice(0, length).join('.'));
      if (writer !== undefined) return writer;
    }
    return null;
  };
}

function sectionPlace(name: string): string {
  return `section ${name}`;
}

function messagePlace(id: string): string {
  return `message ${id}`;
}

/** Of what differs in the store: the message, by its id wherever it stands, else the section; null for all else. */
function placeInStore({ path, ...told }: StateDifference, { context }: AgentState): string | null {
  const [root, store, list, section, messages, message] = path;
  if (root !== 'context' || store !== 'store' || list !== 'sections' || section === undefined) return null;
  const own = (told.kind === 'removed' ? told.before : told.after) as {
    readonly id?: string;
    readonly name?: string;
  };
  const now = context.store.sections[Number(section)];
  if (messages === undefined) return sectionPlace(own.name ?? '');
  if (message === undefined) return sectionPlace(now?.name ?? '');
  const isWhole = path.length === 6 && (told.kind === 'added' || told.kind === 'removed');
  return messagePlace(String(isWhole ? own.id : now?.messages[Number(message)]?.id));
}
