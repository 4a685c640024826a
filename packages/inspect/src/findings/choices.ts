import { type JsonObject, type JsonValue, isPlainObject, readJson } from '@vitrine/core/internal/kit/json';
import { defineFor, each } from './detector.ts';
import { textOfValue, textsIn } from './results.ts';
import { durationText, inside, lastQuestion, listNames, namesAbove, quoteName } from './wording.ts';

const define = defineFor('tools');

const mostIds = { values: 5000, ofResult: 2000, characters: 100_000 } as const;

/** Words for what a user, a page or an order is to another thing. */
const roles = new Set(
  'owner author creator assignee parent child sender recipient receiver manager member reporter reviewer from to by source target previous next current default root lead contact'.split(
    ' ',
  ),
);

/** A time with its zone in a text, and one without as a whole text. */
const zoned = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/g;
const local = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?$/;

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
const mostKept = { tools: 60, calls: 200, characters: 4000, times: 500 } as const;

/** Detectors of what the model, a person and the tool chose: arguments, tools, subagents and time. */
export const choiceDetectors = [
  /**
   * An argument that earlier results of the run show as the id of another kind of thing. An id that the person named
   * does not count.
   */
  define('argument-mistaken', {
    reads: { 'tool-end': ['result', 'status'], 'tool-call': ['toolCallId', 'toolName', 'input'] },
    watch: () => {
      const known = new Map<string, { readonly kinds: Set<string>; readonly from: string }>();
      /** The kinds of ids with the prefixes that theirs have. */
      const kinds = new Map<string, Set<string>>();

      function learn({ value, kind }: Id, from: string): void {
        const entry = known.get(value) ?? { kinds: new Set<string>(), from };
        if (known.size >= mostIds.values && !known.has(value)) return;
        known.set(value, entry);
        entry.kinds.add(kind);
        kinds.set(kind, (kinds.get(kind) ?? new Set<string>()).add(prefixOf(value)));
        // The id of `find_customer_by_name` may be that of a customer.
        const words = wordsOf(from);
        if (kind === words.at(-1)) for (const word of words) entry.kinds.add(word);
      }

      return ({ event, call, agent }) => {
        if (event.type === 'tool-end') {
          if (event.status !== 'completed' || call === null) return null;
          const { name } = call.toolCall;
          for (const id of idsIn(event.result ?? null, wordsOf(name).at(-1) ?? null)) learn(id, name);
          return null;
        }
        for (const { kind, value, key } of idsIn(event.input, null, kinds)) {
          const entry = known.get(value);
          const prefixes = kinds.get(kind);
          // Without an id of the wanted kind in this run the model may have had no other one.
          if (entry === undefined || entry.kinds.has(kind) || prefixes === undefined) continue;
          // An owner may be a user, and small numbers are equal by chance.
          const isAlike = prefixes.has(prefixOf(value));
          if ((isAlike && [...entry.kinds].some((one) => roles.has(one))) || /^\d{1,3}$/.test(value))
            continue;
          if (lastQuestion(agent).includes(value)) continue;
          const other = [...entry.kinds].at(0) ?? '';
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
  /** An argument that has the time of a result without its zone, such as 09:30 in place of 09:30Z. */
  define('zone-dropped', {
    reads: { 'tool-end': ['result'], 'tool-call': ['toolCallId', 'toolName', 'input'] },
    watch: () => {
      const known = new Map<string, { readonly whole: string; readonly from: string }>();
      return ({ event, call, agent }) => {
        if (event.type === 'tool-end') {
          for (const [whole, day, time] of textOfValue(event.result ?? null).matchAll(zoned))
            if (known.size < mostKept.times)
              known.set(`${day} ${time}`, { whole, from: call?.toolCall.name ?? '' });
          return null;
        }
        const { toolName, input } = event;
        if (known.size === 0 || /zone|tz|utc|offset/i.test(textOfValue(input))) return null;
        for (const value of textsIn(input)) {
          const [, day, time = ''] = local.exec(value) ?? [];
          const { whole, from } = known.get(`${day} ${time}`) ?? { whole: '', from: '' };
          if (whole === '' || lastQuestion(agent).includes(time)) continue;
          return {
            key: toolName,
            toolCallId: event.toolCallId,
            sentence: `The model gave ${quoteName(value)} to ${quoteName(toolName)}, and ${quoteName(from)} had told the time as ${quoteName(whole)}: without its zone it may be another hour.`,
            remedy:
              'Let the tool refuse a time without a zone, or take the zone as an argument of its own. Give results in the zone of the person.',
            evidence: { who: toolName, before: whole, after: value },
          };
        }
        return null;
      };
    },
  }),
  /** Two subagents that were asked in turn three times each or more, or one that was asked again below itself. */
  define('subagents-circling', {
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
  /** A call that waited a minute or longer for a person. */
  define('approval-waited', {
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
        const isAnswer = event.type === 'approval-answer';
        if (isAnswer) wait.ms += event.at - wait.since;
        else waits.delete(toolCallId);
        if (wait.ms < longWaitMs || (!isAnswer && event.outcome !== 'failed')) return null;
        const message = isAnswer ? null : (event.error?.message ?? 'no message');
        const end = isAnswer ? `who ${event.decision} it` : `and then failed: ${inside(message ?? '')}`;
        return {
          key: toolCallId,
          sentence: `The call of tool ${quoteName(call?.toolCall.name ?? '')} waited ${durationText(wait.ms)} for a person, ${end}.`,
          remedy: isAnswer
            ? 'Nothing, unless people do not see the question. Data that the call relies on may be old by now.'
            : 'Fetch what can expire (tokens, prices, reservations) when the tool runs, and not when it is called.',
          evidence: { waitedMs: wait.ms, ...(isAnswer ? { decision: event.decision } : { message }) },
        };
      };
    },
  }),
  /** A call that took 10 s or more, and longer than the model in its step. */
  define('tool-slow', {
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
  /** A tool that computed for 200 ms or longer before it first waited, so that the page could not answer. */
  define('page-blocked', {
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
  /**
   * Two tools with similar descriptions that the model called one after the other, with equal arguments or after the
   * first had failed, or one with the description of another.
   */
  define('tools-confused', {
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

/**
 * The ids in a value, by keys such as `orderId`, `order_ids`, or `id` inside of `order` or `orders`, also in JSON as text.
 * @param kinds Words that are keys of an id too.
 */
function idsIn(
  whole: JsonValue,
  around: string | null,
  kinds?: ReadonlyMap<string | null, unknown>,
): readonly Id[] {
  const found: Id[] = [];
  const open: (Pick<Id, 'key'> & Record<'kind' | 'ids', string | null> & { readonly value: JsonValue })[] = [
    { value: typeof whole === 'string' ? jsonIn(whole) : whole, kind: around, ids: null, key: '' },
  ];
  let left: number = mostIds.ofResult;
  for (let next = open.pop(); next !== undefined && left-- > 0; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    for (const [field, inner] of Object.entries(next.value as JsonObject)) {
      const key = isList ? next.key : field;
      const name = isList ? null : singular(key);
      const own = isList ? next.ids : (kindOf(key, next.kind) ?? (kinds?.has(name) ? name : null));
      const read = typeof inner === 'string' ? jsonIn(inner) : inner;
      if (typeof read === 'object' && read !== null)
        // JSON in a text is a result of its own.
        open.push({
          value: read,
          kind: read === inner ? (name ?? next.kind) : around,
          ids: Array.isArray(inner) ? own : null,
          key,
        });
      else if (own !== null && typeof inner !== 'boolean' && inner !== null && inner !== '')
        found.push({ kind: own, value: String(inner), key });
    }
  }
  return found;
}

/** The value of a text that is JSON, as some tools answer; null for other texts. */
function jsonIn(text: string): JsonValue {
  const read = /^\s*[{[]/.test(text) && text.length <= mostIds.characters ? readJson(text) : null;
  return read?.ok ? read.value : null;
}

/** The kind of the id or ids under a key; null for a key of something else. */
function kindOf(key: string, parent: string | null): string | null {
  if (key === 'id' || key === 'ids') return parent;
  const [, name] = /^(.+?)(?:_ids?|Ids?|IDs?)$/.exec(key) ?? [];
  return name === undefined ? null : plain(name);
}

/** The mark of its kind that an id begins with, such as `cus` of `cus_42`; empty for none. */
function prefixOf(id: string): string {
  return (/^[0-9a-f]{8}-/i.test(id) ? null : /^[a-z]{1,12}(?=[-_:])/i.exec(id))?.[0].toLowerCase() ?? '';
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function singular(word: string): string {
  const name = plain(word);
  return name.endsWith('s') ? name.slice(0, -1) : name;
}

/** The words of a name: `get` and `order` of `getOrder` and `get_orders`. */
function wordsOf(name: string): readonly string[] {
  return name.split(/[_-]|(?=[A-Z])/).map(singular);
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
