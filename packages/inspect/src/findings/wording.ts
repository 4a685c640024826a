import { text, type Message } from '@vitrine/core/internal/graph/message';
import { subagentName } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { callOf, stateAtPath } from '@vitrine/core/internal/run/state-at';

/** A number with its noun: `1 token`, `1,024 tokens`. */
export function countNoun(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** A duration for people: `80 ms`, `2.4 s`, `3 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

export function quoteName(name: string): string {
  return JSON.stringify(shortenText(name, 60));
}

/** The beginning of a text, on one line. */
export function shortenText(long: string, most = 160): string {
  const line = long.replaceAll(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

/** Names in a sentence: `a, b and c`. */
export function listNames(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** A sentence without its full stop, to be used inside another one. */
export function inside(sentence: string): string {
  let short = shortenText(sentence);
  while (short.endsWith('.')) short = short.slice(0, -1).trimEnd();
  return short;
}

/** The text of the last message of a person in the conversation; empty when there is none. */
export function lastQuestion({ context }: AgentState): string {
  for (const { messages } of [...context.store.sections].reverse()) {
    const found = messages.findLast((message: Message) => message.role === 'user');
    if (found !== undefined) return text(found);
  }
  return '';
}

/** The names of the subagents on a path, outermost first. */
export function namesAbove(root: AgentState, path: readonly string[]): readonly string[] {
  return path.flatMap((id, depth) => {
    const parent = stateAtPath(root, path.slice(0, depth));
    const call = parent && callOf(parent, id);
    return call ? [subagentName(call)] : [];
  });
}

const mainAgent = 'the main agent';

/** The agents that a cause went through, by their names in a sentence; empty for one agent. */
export function layersText(layers: ReadonlySet<string>): string {
  const names = [...layers].map((name) => (name === mainAgent ? name : quoteName(name)));
  return names.length < 2 ? '' : ` in ${names.length} layers (${listNames(names)})`;
}

/** The name of the agent at a path. */
export function layerOf(root: AgentState, path: readonly string[]): string {
  return namesAbove(root, path).at(-1) ?? mainAgent;
}
