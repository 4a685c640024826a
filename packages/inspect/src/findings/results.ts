import { text } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { type JsonValue, isPlainObject } from '@vitrine/core/internal/kit/json';
import { type FindingInit, defineFor, each } from './detector.ts';
import { countNoun, quoteName, shortenText } from './wording.ts';

const define = defineFor('tools');

/** The sentence at the end of a result that was too long; see `cutResult` of the loop. */
const note = /\n\[Cut: these are the first (\d+) bytes of a result of (\d+); (\d+) bytes are left out\.\]$/;

/** Beginnings of the mark by which a tool says that it cut a text. Dots alone end many short texts. */
const cutMarks = ['[', '(', '<', '...', '…'];
const leastDotted = 500;

const cursors = ['nextCursor', 'next_cursor', 'nextPageToken', 'next_page_token', 'nextPage', 'next_page'];

/** The share of the input, its tokens, and the calls of the model from which on a result is remarkable. */
const leastDominant = { share: 0.5, tokens: 20_000, calls: 2 } as const;
const perToken = 4;
const mostResults = 500;

const phrases = (
  'ignore previous|ignore all|ignore your|ignore the above|disregard|new instructions|' +
  'system prompt|system:|system note|note to the assistant|note to assistant|assistant:|ai agent|' +
  "you must call|you must now|you must send|call the tool|use the tool|do not tell|don't tell|" +
  'without asking|before you answer|before answering'
).split('|');
const mostRead = { characters: 20_000, results: 20, values: 50, longest: 200 } as const;

type Suspect = Readonly<Record<'said' | 'text' | 'name' | 'stepId', string>>;

export const resultDetectors = [
  /** A result that was longer than its tool or agent allows, so that the model got only its beginning. */
  define('result-cut', {
    reads: { 'tool-end': ['result'] },
    watch: each(({ event, call }) => {
      const { result } = event;
      // Only the end is searched, because a result may have megabytes.
      const cut = typeof result === 'string' ? note.exec(result.slice(-200)) : null;
      if (cut === null) return null;
      const [kept, total, left] = [cut[1], cut[2], cut[3]].map(Number) as [number, number, number];
      const name = call?.toolCall.name ?? '';
      return {
        sentence: `The result of tool ${quoteName(name)} was cut: the model got ${countNoun(kept, 'byte')} of ${countNoun(total, 'byte')}.`,
        remedy:
          'Return less, for example a page with a cursor for more, or raise `maxResultBytes` of the tool.',
        evidence: { who: name, kept, total, left },
      };
    }),
  }),
  /**
   * A result that says `ok: false`, `error` or a status from 400 on as a value, so that its call counts as completed.
   */
  define('result-says-error', {
    reads: { 'tool-end': ['result', 'status'] },
    watch: () => {
      const counts = new Map<string, number>();
      return ({ event, call }) => {
        const said = event.status === 'completed' ? errorIn(event.result) : null;
        if (said === null || call === null) return null;
        const { name } = call.toolCall;
        const count = (counts.get(name) ?? 0) + 1;
        counts.set(name, count);
        return {
          key: name,
          sentence: `${count === 1 ? 'A result' : countNoun(count, 'result')} of tool ${quoteName(name)} ${count === 1 ? 'says' : 'say'} ${said} as a value: the call counts as completed, and only the model can notice.`,
          remedy:
            'Throw in the tool when it fails, so that the call fails too. Keep the value if the model is meant to read it.',
          evidence: { who: name, after: event.result ?? null, count },
        };
      };
    },
  }),
  /**
   * A result that tells of more (`hasMore`, `nextCursor`), or that its tool cut ("truncated: true", "[truncated]"),
   * when the model did not ask for the rest until the run ended.
   */
  define('pages-unread', {
    reads: { 'tool-call': ['toolName', 'input'], 'tool-end': ['result', 'status'], 'execution-end': [] },
    watch: () => {
      /** The last page of each tool behind which there is more, by the name of the tool. */
      const open = new Map<string, { readonly cursor: string | null; readonly finding: FindingInit }>();
      return ({ event, call, step }) => {
        if (event.type === 'tool-call') {
          const page = open.get(event.toolName);
          const isNext = page?.cursor === null || JSON.stringify(event.input).includes(page?.cursor ?? '');
          if (page !== undefined && isNext) open.delete(event.toolName);
          return null;
        }
        if (event.type === 'tool-end') {
          const more = event.status === 'completed' ? moreIn(event.result) : null;
          if (more === null || call === null) return null;
          const { name } = call.toolCall;
          const { cursor } = more;
          open.set(name, {
            cursor,
            finding: {
              key: name,
              toolCallId: call.id,
              ...(step === null ? {} : { stepId: step.id }),
              ...(event.seq === null ? {} : { seq: event.seq }),
              sentence: more.isCut
                ? `Tool ${quoteName(name)} cut its own result, and the model did not ask for the rest: its answer rests on the beginning.`
                : `Tool ${quoteName(name)} said that there is more, and the model did not ask for it: its answer rests on a part of the list.`,
              remedy:
                'Say in the description of the tool how to read the rest, or return with each page how much there is.',
              evidence: { who: name, cursor },
            },
          });
          return null;
        }
        return [...open.values()].map(({ finding }) => finding);
      };
    },
  }),
  /** One result that is more than half of the input of all later model calls in its run, with its price. */
  define('result-dominant', {
    reads: { 'tool-end': ['result', 'toolCallId'], 'inference-end': ['response'], 'execution-end': [] },
    needs: ['usage'],
    watch: () => {
      /** Input tokens and cost of the model calls so far. */
      let [tokens, cost, calls] = [0, 0, 0];
      const results: Readonly<
        Record<'name' | 'id', string> & Record<'size' | 'tokens' | 'cost' | 'calls', number>
      >[] = [];
      return ({ event, call }) => {
        if (event.type === 'inference-end') {
          tokens += event.response.usage.inputTokens;
          cost += event.response.usage.cost ?? 0;
          calls++;
          return null;
        }
        if (event.type === 'tool-end') {
          const size = JSON.stringify(event.result ?? null).length / perToken;
          if (call === null || size * 10 < leastDominant.tokens || results.length >= mostResults) return null;
          const { name } = call.toolCall;
          results.push({ name, id: call.id, size, tokens, cost, calls });
          return null;
        }
        const worst = results
          .map((result) => {
            const [later, times] = [tokens - result.tokens, calls - result.calls];
            const paid = Math.min(later, result.size * times);
            const share = later === 0 ? 0 : paid / later;
            return { ...result, times, paid, share, money: share * (cost - result.cost) };
          })
          .filter(({ times, share, paid }) => {
            const { calls: fewest, share: smallest, tokens: least } = leastDominant;
            return times >= fewest && share >= smallest && paid >= least;
          })
          .sort((a, b) => a.paid - b.paid)
          .at(-1);
        if (worst === undefined) return null;
        const { id, name, paid, share, money } = worst;
        return {
          toolCallId: id,
          sentence: `One result of tool ${quoteName(name)} is about ${Math.round(share * 100)} % of all input behind it: ${countNoun(Math.round(paid), 'token')}${money > 0 ? `, about ${money.toPrecision(2)} of the cost` : ''}.`,
          remedy:
            'Return less: the fields that the model needs, a page, or a summary. Set `maxResultBytes` of the tool.',
          evidence: { who: name, tokens: Math.round(paid), share, money },
        };
      };
    },
  }),
  /**
   * Instructions to the model inside a result, followed by a call of a tool or with a value that the result names and
   * the person does not.
   */
  define('instructions-followed', {
    reads: {
      'message-add': ['message'],
      'tool-end': ['result'],
      'tool-call': ['toolCallId', 'toolName', 'input'],
    },
    watch: () => {
      let suspects: Suspect[] = [];
      /** All that people said, in lower case; null until it is needed. */
      let asked: string | null = null;
      return ({ event, agent, step, call }) => {
        if (event.type === 'message-add') {
          if (asked !== null && event.message.role === 'user')
            asked += `\n${text(event.message).toLowerCase()}`;
          return null;
        }
        if (event.type === 'tool-end') {
          const whole = textOfValue(event.result ?? null);
          const lower = whole.toLowerCase();
          const phrase = phrases.find((one) => lower.includes(one));
          if (phrase === undefined || call === null || step === null) return null;
          asked ??= questionsIn(agent);
          const at = lower.indexOf(phrase);
          const said = shortenText(whole.slice(Math.max(0, at - 20), at + 140));
          suspects = [{ said, text: lower, name: call.toolCall.name, stepId: step.id }, ...suspects].slice(
            0,
            mostRead.results,
          );
          return null;
        }
        const { toolName, input, toolCallId } = event;
        const earlier = suspects.filter(({ stepId }) => stepId !== step?.id);
        if (earlier.length === 0) return null;
        const isNew = (value: string): boolean => value.length > 3 && asked?.includes(value) !== true;
        const values = [toolName, ...textsIn(input)].map((one) => one.toLowerCase()).filter(isNew);
        for (const { said, text: whole, name } of earlier) {
          const named = values.find((value) => whole.includes(value));
          if (named === undefined || (named === name.toLowerCase() && name === toolName)) continue;
          return {
            key: `${name}|${toolName}`,
            toolCallId,
            sentence: `A result of tool ${quoteName(name)} speaks to the model ("${said}"), and then the model called ${quoteName(toolName)} with what the result names and the person does not.`,
            remedy:
              'Let a person approve such calls (`needsApproval`), and mark results as data in the prompt: a page or mail may hold instructions of strangers.',
            evidence: { who: name, after: input, before: said, named },
          };
        }
        return null;
      };
    },
  }),
];

/** The field by which a result says that it is an error; null for none. Only the result itself is read, not what it holds. */
function errorIn(result: JsonValue | undefined): string | null {
  if (!isPlainObject(result)) return null;
  const { ok, success, isError, error, status, statusCode = status } = result as Record<string, JsonValue>;
  if (ok === false) return '"ok: false"';
  if (success === false) return '"success: false"';
  if (isError === true) return '"isError: true"';
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 600)
    return `"status: ${statusCode}"`;
  const isTold =
    typeof error === 'string' ? error !== '' : isPlainObject(error) && Object.keys(error).length > 0;
  return isTold ? '"error"' : null;
}

/** The rest that a result tells of; null for none. */
function moreIn(
  result: JsonValue | undefined,
): { readonly cursor: string | null; readonly isCut: boolean } | null {
  if (typeof result === 'string') {
    const isDotted = result.length >= leastDotted && /(?:\.{3}|…)\s*$/.test(result.slice(-20));
    return isDotted || isCut(result) ? { cursor: null, isCut: true } : null;
  }
  if (!isPlainObject(result)) return null;
  const fields = result as Record<string, JsonValue>;
  // `next` is a usual word: beside a list it is the next page.
  const isPaged = Object.values(fields).some(Array.isArray);
  for (const name of isPaged ? [...cursors, 'next'] : cursors) {
    const value = fields[name];
    if ((typeof value === 'string' && value !== '') || (typeof value === 'number' && name !== 'next'))
      return { cursor: String(value), isCut: false };
  }
  if (fields['hasMore'] === true || fields['has_more'] === true) return { cursor: null, isCut: false };
  const saysCut = ['truncated', 'isTruncated', 'is_truncated'].some((name) => fields[name] === true);
  return saysCut || Object.values(fields).some(isCut) ? { cursor: null, isCut: true } : null;
}

/** True for a text that ends with a mark such as "[truncated]", "(12 more lines)" or "... truncated". */
function isCut(text: JsonValue): boolean {
  const end = typeof text === 'string' ? text.slice(-200) : '';
  const from = Math.max(...cutMarks.map((mark) => end.lastIndexOf(mark)));
  const [mark = '', ...rest] = from < 0 ? [] : end.slice(from).split(/[\])>]/);
  return mark.length <= 60 && /truncated|omitted|\d more/i.test(mark) && !/\w/.test(rest.join(''));
}

export function textOfValue(value: JsonValue): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, mostRead.characters);
}

/** The texts in the arguments of a call. */
export function textsIn(input: JsonValue): readonly string[] {
  const found: string[] = [];
  const open: JsonValue[] = [input];
  for (let value = open.pop(); value !== undefined && found.length < mostRead.values; value = open.pop()) {
    if (typeof value === 'string') found.push(value.slice(0, mostRead.longest));
    else if (typeof value === 'object' && value !== null)
      open.push(...(Object.values(value).slice(0, mostRead.values) as JsonValue[]));
  }
  return found;
}

/** All that people said, in lower case. */
function questionsIn({ context }: AgentState): string {
  const said = context.store.sections.flatMap(({ messages }) =>
    messages.filter(({ role }) => role === 'user'),
  );
  return said.slice(-mostRead.values).map(text).join('\n').toLowerCase();
}
