import type { AgentState } from '@vitrine/core';
import type { StateDifference } from '@vitrine/core/inspect';
import type { StepRecord } from './step-record.ts';
import type { Texts } from '../../texts.ts';

/** Returns the writer of a difference; null when it is unknown. */
export type WriterOf = (difference: StateDifference) => string | null;

/**
 * Finds the writers of the changes in a step, by the changed place or a parent of it. Changes by the loop
 * itself have no writer.
 */
export function writersOf({ events, after }: StepRecord, texts: Texts['state']): WriterOf {
  const writers = new Map<string, readonly string[]>();
  const add = (place: string, writer: string): void => {
    const before = writers.get(place) ?? [];
    // Later writers are appended.
    if (before.at(-1) !== writer) writers.set(place, [...before, writer]);
  };
  for (const { event, toolName } of events) {
    if (event.path.length > 0) continue;
    if (event.type === 'tool-end')
      for (const { pluginId } of event.pluginWrites)
        add(`plugins.${pluginId}`, toolName === null ? texts.aTool : texts.theTool(toolName));
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
  const namesOf = (place: string): string | null =>
    writers.get(place)?.reduce((all, next) => texts.thenBy(all, next)) ?? null;
  return (difference) => {
    const place = placeInStore(difference, after.state);
    if (place !== null) return namesOf(place);
    const { path } = difference;
    for (let length = path.length; length > 0; length--) {
      const writer = namesOf(path.slice(0, length).join('.'));
      if (writer !== null) return writer;
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

/**
 * The key of a difference in the message store: the message by its id, otherwise the section; null
 * elsewhere.
 */
function placeInStore({ path, ...change }: StateDifference, { context }: AgentState): string | null {
  const [root, store, list, section, messages, message] = path;
  if (root !== 'context' || store !== 'store' || list !== 'sections' || section === undefined) return null;
  const own = (change.kind === 'removed' ? change.before : change.after) as {
    readonly id?: string;
    readonly name?: string;
  };
  const now = context.store.sections[Number(section)];
  if (messages === undefined) return sectionPlace(own.name ?? '');
  if (message === undefined) return sectionPlace(now?.name ?? '');
  const isWhole = path.length === 6 && (change.kind === 'added' || change.kind === 'removed');
  return messagePlace(String(isWhole ? own.id : now?.messages[Number(message)]?.id));
}
