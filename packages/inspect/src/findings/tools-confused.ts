import { isPlainObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

type Described = { readonly name: string; readonly words: ReadonlySet<string> };
type Call = { readonly id: string; readonly name: string; readonly input: string; isFailed: boolean };

/** Share of common words from which on two descriptions are alike. */
const alike = 0.6;
const most = { tools: 60, calls: 200, characters: 4000 } as const;

/** Two tools with similar descriptions of which the model tried one after the other. */
export const toolsConfused = defineDetector({
  code: 'tools-confused',
  area: 'tools',
  severity: 'warning',
  finds:
    'Two tools with similar descriptions that the model called one after the other, with equal arguments or after the first had failed.',
  reads: {
    'inference-start': ['sent'],
    'tool-call': ['toolCallId', 'toolName', 'input'],
    'call-settle': ['toolCallId', 'outcome'],
  },
  needs: ['prompt'],
  watch: () => {
    let toolsHash = '';
    let tools: readonly Described[] = [];
    let calls: Call[] = [];
    return ({ event, agent }) => {
      switch (event.type) {
        case 'inference-start':
          if (event.sent.tools !== toolsHash) tools = describedTools(agent.texts[event.sent.tools] ?? []);
          toolsHash = event.sent.tools;
          return null;
        case 'call-settle': {
          const call = calls.findLast(({ id }) => id === event.toolCallId);
          if (call !== undefined) call.isFailed = event.outcome === 'failed';
          return null;
        }
        case 'tool-call': {
          const { toolCallId: id, toolName: name } = event;
          const input = JSON.stringify(event.input).slice(0, most.characters);
          const earlier = calls.findLast(
            (call) =>
              call.name !== name &&
              (call.isFailed || call.input === input) &&
              areAlike(tools, call.name, name),
          );
          calls = [...calls, { id, name, input, isFailed: false }].slice(-most.calls);
          if (earlier === undefined) return null;
          return {
            key: [earlier.name, name].sort().join('|'),
            toolCallId: id,
            sentence: `The model called ${quoteName(earlier.name)} and then ${quoteName(name)} ${earlier.isFailed ? 'after the first had failed' : 'with equal arguments'}: their descriptions are alike.`,
            remedy:
              'Say in each description when to use it and when to use the other, or make one tool of the two.',
            evidence: { tools: [earlier.name, name], input: event.input, before: earlier.id, after: id },
          };
        }
      }
    };
  },
});

function describedTools(list: JsonValue): readonly Described[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).slice(0, most.tools).flatMap((tool) => {
    if (!isPlainObject(tool)) return [];
    const { name, description } = tool;
    if (typeof name !== 'string' || typeof description !== 'string') return [];
    const words = new Set(
      description
        .slice(0, most.characters)
        .toLowerCase()
        .match(/[\p{L}\d]{3,}/gu),
    );
    return words.size < 3 ? [] : [{ name, words }];
  });
}

function areAlike(tools: readonly Described[], a: string, b: string): boolean {
  const [first, second] = [a, b].map((name) => tools.find((tool) => tool.name === name)?.words);
  if (first === undefined || second === undefined) return false;
  const common = [...first].filter((word) => second.has(word)).length;
  return common / (first.size + second.size - common) >= alike;
}
