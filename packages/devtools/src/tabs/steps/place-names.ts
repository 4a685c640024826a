import type { AgentState } from '@vitrine/core';
import { redactText } from '@vitrine/inspect/internal/redact';
import type { Texts } from '../../texts.ts';

/** The name of a place in a state, and whose it is. */
export type PlaceName = {
  readonly name: string;
  /** True for what the loop keeps of itself: its run, its counters and its clock. */
  readonly isOfLoop: boolean;
};

/** Names a place in a state by what a person knows it as, instead of by its path. */
export function nameOfPlace(path: readonly (string | number)[], state: AgentState, texts: Texts): PlaceName {
  const { places } = texts;
  const [root = '', second, third, fourth, fifth, sixth, ...deeper] = path.map((key) =>
    redactText(String(key), 'key'),
  );
  const joinNames = (name: string, rest: readonly (string | undefined)[]): string =>
    [name, ...rest.filter((key) => key !== undefined)].join(' · ');
  if (root === 'context' && second === 'store' && third === 'sections' && fourth !== undefined) {
    const section = state.context.store.sections[Number(fourth)];
    if (fifth !== 'messages' || sixth === undefined)
      return { name: places.section(section?.name ?? fourth), isOfLoop: false };
    const role = section?.messages[Number(sixth)]?.role ?? null;
    return { name: joinNames(places.message(Number(sixth) + 1, role), deeper), isOfLoop: false };
  }
  const rest = [third, fourth, fifth, sixth, ...deeper];
  if (root === 'context' && second === 'metadata')
    return { name: joinNames(places.metadata, rest), isOfLoop: false };
  if (root === 'context' && second === 'systemPrompt') return { name: places.systemPrompt, isOfLoop: false };
  if (root === 'plugins' && second !== undefined)
    return {
      name: joinNames(places.plugin(second), third === 'data' ? rest.slice(1) : rest),
      isOfLoop: third === 'revision',
    };
  if (root === 'llmConfig') return { name: joinNames(places.settings, [second, ...rest]), isOfLoop: false };
  if (root === 'execution' && second === 'stepExecutions' && third !== undefined)
    return { name: joinNames(places.step(Number(third) + 1), rest.slice(1)), isOfLoop: true };
  if (root === 'execution') return { name: joinNames(places.run, [second, ...rest]), isOfLoop: true };
  // The texts of requests are stored once, by their hash.
  const isCounter = root === 'texts' || root === 'seq' || root === 'updatedAt' || root === 'executionCount';
  return { name: joinNames(root, [second, ...rest]), isOfLoop: isCounter };
}
