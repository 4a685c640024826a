import { type JsonValue, isPlainObject } from '@vitrine/core/internal/kit/json';
import { defineFor, each } from './detector.ts';
import { durationText, inside, listNames, namesAbove, quoteName } from './wording.ts';

const define = defineFor('tools');

const mostIds = { values: 5000, ofResult: 2000 } as const;

type Id = { readonly kind: string; readonly value: string; readonly key: string };

/** Turns of two subagents from which on they are a finding: three each. */
const leastTurns = 6;

const longWaitMs = 60_000;

/** A call below this is no finding. */
const slowMs = 10_000;

/** Blocking below this is no finding. */
const longBlockMs = 200;

type Described = { readonly name: string; readonly words: ReadonlySet<string> };
type Call = { readonly id: string; readonly name: string; readonly input: string; isFailed: boolean };

/** Shares of common words from which on two descriptions are alike, and say the same. */
const [alike, same] = [0.6, 1];
const mostKept = { tools: 60, calls: 200, characters: 4000 } as const;

/** Detectors of what the model, a person and the tool chose: arguments, tools, subagents and time. */
export const choiceDetectors = [
  define('argument-mistaken', {
    finds: 'An argument that earlier results of the run show as the id of another kind of thing.',
    reads: { 'tool-end': ['result', 'status'], 'tool-call': ['toolCallId', 'toolName', 'input'] },
    watch: () => {
      const known = new Map<string, { readonly kinds: Set<string>; readonly from: string }>();
      const kinds = new Set<string>();

      function learn(value: string, kind: string, from: string): void {
        const entry = known.get(value) ?? { kinds: new Set<string>(), from };
        if (known.size >= mostIds.values && !known.has(value)) return;
        known.set(value, entry);
        entry.kinds.add(kind);
        kinds.add(kind);
      }

      return ({ event, call }) => {
        if (event.type === 'tool-end') {
          if (event.status !== 'completed' || call === null) return null;
          const { name } = call.toolCall;
          for (const { kind, value } of idsIn(event.result ?? null, lastWord(name))) learn(value, kind, name);
          return null;
        }
        for (const { kind, value, key } of idsIn(event.input, null)) {
          const entry = known.get(value);
          // Without an id of the wanted kind in this run the model may have had no other one.
          if (entry === undefined || entry.kinds.has(kind) || !kinds.has(kind)) continue;
          const other = [...entry.kinds].join(' or ');
          return {
            key: `${event.toolName}|${key}`,
            toolCallId: event.toolCallId,
            sentence: `The argument ${quoteName(key)} of ${quoteName(event.toolName)} is ${quoteName(value)}, which ${quoteName(entry.from)} gave as the id of another kind: ${other}.`,
            remedy:
              'Give ids a prefix of their kind, name the parameter after what it takes, and let the tool refuse an id that it does not know.',
            evidence: { who: event.toolName, before: other, after: kind, value },
          };
        }
        return null;
      };
    },
  }),
  define('subagents-circling', {
    finds:
      'Two subagents that were asked in turn three times each or more, or one that was asked again below itself.',
    reads: { 'subagent-start': ['name'] },
    watch: () => {
      let turns: string[] = [];
      return ({ event, root }) => {
        const { name, path } = event;
        if (namesAbove(root, path).includes(name))
          return {
            key: name,
            sentence: `Subagent ${quoteName(name)} was asked again below itself: the task was sent back.`,
            remedy:
              'Do not offer a subagent the one that asked it, or say in both prompts who gives the answer.',
            evidence: { who: name, turns: [...namesAbove(root, path), name] },
          };
        const isInTurn =
          turns.length < 2 ? turns.at(-1) !== name : turns.at(-2) === name && turns.at(-1) !== name;
        turns = isInTurn ? [...turns, name] : [...turns.slice(-1).filter((one) => one !== name), name];
        if (turns.length < leastTurns) return null;
        const both = turns.slice(-2);
        return {
          key: [...both].sort().join(),
          sentence: `The subagents ${listNames(both.map(quoteName))} were asked in turn ${turns.length} times: each may send the task back to the other.`,
          remedy:
            'Say in the prompt when the work is good enough, or limit the turns with `subagentPolicy` or a budget.',
          evidence: { turns: turns.slice(-20), count: turns.length },
        };
      };
    },
  }),
  define('approval-waited', {
    finds: 'A call that waited a minute or longer for a person.',
    reads: {
      'approval-request': ['toolCallId'],
      'approval-answer': ['toolCallId', 'decision'],
      'call-settle': ['toolCallId', 'outcome', 'error'],
    },
    watch: () => {
      const waits = new Map<string, { readonly since: number; ms: number }>();
      return ({ event, call }) => {
        const { toolCallId } = event;
        if (event.type === 'approval-request') {
          waits.set(toolCallId, { since: event.at, ms: 0 });
          return null;
        }
        const wait = waits.get(toolCallId);
        if (wait === undefined) return null;
        const name = quoteName(call?.toolCall.name ?? '');
        if (event.type === 'approval-answer') {
          wait.ms += event.at - wait.since;
          if (wait.ms < longWaitMs) return null;
          return {
            key: toolCallId,
            sentence: `The call of tool ${name} waited ${durationText(wait.ms)} for a person, who ${event.decision} it.`,
            remedy:
              'Nothing, unless people do not see the question. Data that the call relies on may be old by now.',
            evidence: { waitedMs: wait.ms, decision: event.decision },
          };
        }
        waits.delete(toolCallId);
        if (wait.ms < longWaitMs || event.outcome !== 'failed') return null;
        return {
          key: toolCallId,
          sentence: `The call of tool ${name} waited ${durationText(wait.ms)} for a person, and then failed: ${inside(event.error?.message ?? 'no message')}.`,
          remedy:
            'Fetch what can expire (tokens, prices, reservations) when the tool runs, and not when it is called.',
          evidence: { waitedMs: wait.ms, message: event.error?.message ?? null },
        };
      };
    },
  }),
  define('tool-slow', {
    finds: 'A call that took 10 s or more, and longer than the model in its step.',
    reads: { 'inference-end': ['response'], 'tool-end': ['durationMs', 'status'] },
    needs: ['times'],
    watch: () => {
      let modelMs = 0;
      return ({ event, call }) => {
        if (event.type === 'inference-end') {
          modelMs = event.response.durationMs;
          return null;
        }
        const { durationMs, status } = event;
        // The time of a subagent is that of its own steps.
        if (durationMs === null || call === null || call.childState !== null || status === 'interrupted')
          return null;
        if (durationMs < slowMs || durationMs <= modelMs) return null;
        const { name } = call.toolCall;
        return {
          sentence: `Tool ${quoteName(name)} took ${durationText(durationMs)}, longer than the model in this step (${durationText(modelMs)}).`,
          remedy: 'Make the tool faster, cache its answer, or give it a `timeoutMs`.',
          evidence: { who: name, durationMs, modelMs },
        };
      };
    },
  }),
  define('page-blocked', {
    finds:
      'A tool that computed for 200 ms or longer before it first waited, so that the page could not answer.',
    reads: { 'tool-end': ['blockedMs'] },
    needs: ['times'],
    watch: each(({ event, call }) => {
      const { blockedMs } = event;
      if (blockedMs === undefined || blockedMs < longBlockMs) return null;
      const name = call?.toolCall.name ?? '';
      return {
        sentence: `Tool ${quoteName(name)} blocked the page for ${durationText(blockedMs)}: nothing else could run meanwhile.`,
        remedy:
          'Move the work to a Web Worker, or let other work run in between (`await scheduler.yield()`).',
        evidence: { who: name, blockedMs },
      };
    }),
  }),
  define('tools-confused', {
    finds:
      'Two tools with similar descriptions that the model called one after the other, with equal arguments or after the first had failed, or one with the description of another.',
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
            const input = JSON.stringify(event.input).slice(0, mostKept.characters);
            const earlier = calls.findLast(
              (call) =>
                call.name !== name &&
                (call.isFailed || call.input === input) &&
                areAlike(tools, call.name, name, alike),
            );
            calls = [...calls, { id, name, input, isFailed: false }].slice(-mostKept.calls);
            const twin =
              earlier ?? tools.find((tool) => tool.name !== name && areAlike(tools, tool.name, name, same));
            if (twin === undefined) return null;
            const [first, second] = earlier === undefined ? [name, twin.name] : [twin.name, name];
            const how = earlier?.isFailed === true ? 'after the first had failed' : 'with equal arguments';
            return {
              key: [twin.name, name].sort().join('|'),
              toolCallId: id,
              sentence: `The model called ${quoteName(first)} and ${earlier === undefined ? `not ${quoteName(second)}` : `then ${quoteName(second)} ${how}`}: their descriptions are alike.`,
              remedy:
                'Say in each description when to use it and when to use the other, or make one tool of the two.',
              evidence: {
                tools: [twin.name, name],
                input: event.input,
                before: earlier?.id ?? null,
                after: id,
              },
            };
          }
        }
      };
    },
  }),
];

/** The ids in a value, by keys such as `orderId`, `order_id`, or `id` inside of `order` or `orders`. */
function idsIn(whole: JsonValue, around: string | null): readonly Id[] {
  const found: Id[] = [];
  const open: { readonly value: JsonValue; readonly kind: string | null }[] = [
    { value: whole, kind: around },
  ];
  let left: number = mostIds.ofResult;
  for (let next = open.pop(); next !== undefined && left-- > 0; next = open.pop()) {
    const { value, kind: parent } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const isItem = Array.isArray(value);
      if (typeof inner === 'object')
        open.push({ value: inner as JsonValue, kind: isItem ? parent : singular(key) });
      if (typeof inner !== 'string' && typeof inner !== 'number') continue;
      const kind = isItem ? null : kindOf(key, parent);
      if (kind !== null && String(inner) !== '') found.push({ kind, value: String(inner), key });
    }
  }
  return found;
}

/** The kind of the id under a key; null for a key of something else. */
function kindOf(key: string, parent: string | null): string | null {
  if (key === 'id') return parent;
  const end = ['_id', 'Id', 'ID'].find((mark) => key.length > mark.length && key.endsWith(mark));
  return end === undefined ? null : plain(key.slice(0, -end.length));
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function singular(word: string): string {
  const name = plain(word);
  return name.endsWith('s') ? name.slice(0, -1) : name;
}

/** The last word of a name: `order` of `getOrder`, `find_order` and `list_orders`. */
function lastWord(name: string): string {
  return singular(name.split(/[_-]|(?=[A-Z])/).at(-1) ?? name);
}

function describedTools(list: JsonValue): readonly Described[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).slice(0, mostKept.tools).flatMap((tool) => {
    if (!isPlainObject(tool)) return [];
    const { name, description } = tool;
    if (typeof name !== 'string' || typeof description !== 'string') return [];
    const words = new Set(
      description
        .slice(0, mostKept.characters)
        .toLowerCase()
        .match(/(?!(?:the|and|for|with)\b)\b[\p{L}\d]{3,}/gu),
    );
    return words.size < 2 ? [] : [{ name, words }];
  });
}

function areAlike(tools: readonly Described[], a: string, b: string, least: number): boolean {
  const [first, second] = [a, b].map((name) => tools.find((tool) => tool.name === name)?.words);
  if (first === undefined || second === undefined) return false;
  const common = [...first].filter((word) => second.has(word)).length;
  return common / (first.size + second.size - common) >= least;
}
