import type { StepRecord } from './step-record.ts';

/** Who wrote what in a step, by the path in the state; what the loop itself does has no author. */
export function writersOf({ events }: StepRecord): ReadonlyMap<string, string> {
  const writers = new Map<string, string>();
  const add = (path: string, writer: string): void => {
    const before = writers.get(path);
    // Who wrote over another stands last.
    if (before?.split(', then ').at(-1) !== writer)
      writers.set(path, before === undefined ? writer : `${before}, then ${writer}`);
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
    else if (event.type === 'message-add' || event.type === 'section-change') add('context.store', writer);
    else if (event.type === 'context-change') {
      if (event.systemPrompt !== undefined) add('context.systemPrompt', writer);
      if (event.responseFormat !== undefined) add('context.responseFormat', writer);
      if (event.llmConfig !== undefined) add('llmConfig', writer);
    }
  }
  return writers;
}
