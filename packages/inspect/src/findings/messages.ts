import { type LeftOut, leftOut } from '../left-out.ts';
import {
  isForeignTrace,
  isToldContext,
  withoutForeignTraces,
} from '@vitrine/core/internal/graph/foreign-traces';
import { type Message, text } from '@vitrine/core/internal/graph/message';
import { placeOf } from '@vitrine/core/internal/graph/messages-by-id';
import type { AgentState, AgentStep } from '@vitrine/core/internal/graph/types';
import { type JsonValue, equalJson, isPlainObject } from '@vitrine/core/internal/kit/json';
import { type FindingInit, defineFor, each } from './detector.ts';
import { countNoun, durationText, inside, lastQuestion, listNames, quoteName } from './wording.ts';

const define = defineFor('context');

/** Milliseconds in which nobody writes the same message twice. */
const doubledMs = 5000;

const leastRestless = { characters: 2048, times: 3 } as const;

const beginnings = /^<context name="[^"\n]*"/gm;

const mostFacts = { facts: 20, characters: 20_000, characterOfFact: 80 } as const;

/** Detectors of messages on their way to the model. */
export const messageDetectors = [
  /** Messages of the conversation that the model was not sent. Traces of earlier runs do not count. */
  define('messages-left-out', {
    reads: { 'inference-start': ['replaced'] },
    needs: ['prompt'],
    watch: () => {
      let lastCount = 0;
      let listed: { readonly count: number; readonly found: readonly LeftOut[] } | null = null;
      return ({ event, agent, step }) => {
        if (step === null || step.sent === null) return null;
        const count = missingIn(agent, step);
        if (count <= 0 || count === lastCount) {
          lastCount = Math.max(0, count);
          return null;
        }
        // A list costs the whole conversation, and a window leaves out more in each step: a known one is read anew when
        // the number has doubled.
        const isKnown = listed !== null && count > lastCount && count < 2 * listed.count;
        lastCount = count;
        if (!isKnown || listed === null) listed = { count, found: missingMessages(agent, step) };
        const { found } = listed;
        const [first] = found;
        if (first === undefined) return null;
        const total = found.length + count - listed.count;
        const sent = new Set(
          step.sent.messages.flatMap(({ section }) => (section === null ? [] : [section])),
        );
        const isAside = found.every(({ section }) => section !== 'messages' && !sent.has(section));
        const by = event.replaced?.fields.includes('messages') === true ? event.replaced.hook : null;
        return {
          key: isAside ? 'section' : 'messages',
          sentence: isAside
            ? `${countNoun(total, 'message')} of the section ${quoteName(first.section)} ${total === 1 ? 'was' : 'were'} not sent to the model, because the section is never sent.`
            : `${countNoun(total, 'message')} of the conversation ${total === 1 ? 'was' : 'were'} not sent to the model: ${by === null ? inside(first.reason) : `hook ${quoteName(by)} left ${total === 1 ? 'it' : 'them'} out`}.`,
          remedy: isAside
            ? 'Nothing, if the section is meant for the application only.'
            : 'Open what was sent and compare it with the conversation. Change `compileMessages` or the hook, or add a summary of what is left out.',
          evidence: {
            ...(by === null ? {} : { who: by }),
            count: total,
            reason: first.reason,
            messages: found
              .slice(0, 20)
              .map(({ message, section }) => ({ id: message.id, role: message.role, section })),
          },
        };
      };
    },
  }),
  /** Messages that a compiler or hook changed or added on their way to the model, or whose files it dropped. */
  define('message-changed', {
    reads: { 'inference-start': ['sent', 'replaced'] },
    needs: ['prompt'],
    watch: each(({ event, agent }) => {
      const hook = event.replaced?.fields.includes('messages') === true ? event.replaced.hook : null;
      const pairs = event.sent.extra.map((sent) => ({ own: ownMessage(agent, sent.id), sent }));
      const changed = pairs.filter(({ own, sent }) => own !== null && !equalJson(own.parts, sent.parts));
      const files = changed.reduce(
        (sum, { own, sent }) => sum + Math.max(0, filesIn(own) - filesIn(sent)),
        0,
      );
      const added = pairs.filter(({ own }) => own === null);
      const first = changed.find(({ own, sent }) => filesIn(own) > filesIn(sent)) ?? changed[0] ?? added[0];
      if (first === undefined) return null;
      const what =
        files > 0
          ? `dropped ${countNoun(files, 'file')} of the conversation`
          : changed.length > 0
            ? `changed ${countNoun(changed.length, 'message')}`
            : `added ${countNoun(added.length, 'message')}`;
      return {
        key: 'messages',
        sentence: `${hook === null ? 'The compiler of the agent (compileMessages)' : `Hook ${quoteName(hook)}`} ${what} before the model call: the model read something else than the conversation shows.`,
        remedy:
          'Compare the message with what was sent, and correct the compiler or hook if that was not meant.',
        evidence: {
          ...(hook === null ? {} : { who: hook }),
          before: (first.own?.parts ?? null) as JsonValue,
          after: first.sent.parts as JsonValue,
          changed: changed.length,
          added: added.length,
        },
      };
    }),
  }),
  /** Two equal messages of a person within 5 s, as two handlers or a double click send them. */
  define('message-doubled', {
    reads: { 'message-add': ['message', 'source'], 'step-start': [] },
    watch: () => {
      let doubled: FindingInit | null = null;
      return ({ event, before }) => {
        if (event.type === 'message-add') {
          const { message, source } = event;
          const isOfPerson =
            message.role === 'user' && (source === null || source === 'app' || source === 'user');
          const last = isOfPerson ? lastMessage(before) : null;
          if (last === null || message.metadata['is_trace'] === true) return null;
          const ms = message.createdAt - last.createdAt;
          const isEqual = text(message) === text(last) && message.parts.length === last.parts.length;
          if (!isEqual || ms > doubledMs) return null;
          doubled = {
            sentence: `The person's message ${quoteName(text(message))} came twice within ${durationText(ms)}, so the model reads and answers it twice.`,
            remedy:
              'Look for a second handler or effect that sends it, and disable the button while a turn runs.',
            evidence: { messageId: message.id, ms },
          };
          return null;
        }
        const found = doubled;
        doubled = null;
        return found;
      };
    },
  }),
  /** A text of a plugin above 2 kB that changes in each step, and is sent whole again each time. */
  define('context-restless', {
    reads: { 'message-add': ['source', 'message'], 'inference-start': [] },
    watch: () => {
      let calls = 0;
      const items = new Map<string, { times: number; characters: number; atCall: number }>();
      return ({ event }): readonly FindingInit[] | null => {
        if (event.type === 'inference-start') {
          calls++;
          return null;
        }
        const { message } = event;
        if (event.source !== 'context' || !isToldContext(message)) return null;
        return toldItems(message).flatMap(({ name, by, length }) => {
          const known = items.get(name);
          const goesOn =
            known !== undefined && calls - known.atCall <= 1 && length >= leastRestless.characters;
          const now = {
            times: goesOn ? known.times + 1 : 1,
            characters: (goesOn ? known.characters : 0) + length,
            atCall: calls,
          };
          items.set(name, now);
          if (now.times < leastRestless.times || length < leastRestless.characters) return [];
          const { times, characters } = now;
          const size = Math.round(characters / times / 100) / 10;
          return [
            {
              key: `${by}|${name}`,
              sentence: `Plugin ${quoteName(by)} told ${quoteName(name)} (${size} kB) whole again in ${times} steps in a row, and all of it stays in the conversation of the run.`,
              remedy:
                'Give only what changed, or a short text with a tool that reads the rest. Texts that stay the same belong in an item of their own.',
              evidence: { who: by, item: name, times, characters },
            },
          ];
        });
      };
    },
  }),
  /**
   * Subagents none of whose tasks and prompts has one of the numbers, names and addresses in the question of their
   * parent.
   */
  define('subagent-uninformed', {
    reads: { 'subagent-start': ['name', 'child'] },
    needs: ['prompt'],
    watch: () => {
      /** The question whose facts a subagent was given. */
      let informed: string | null = null;
      return ({ event, agent }) => {
        const question = lastQuestion(agent);
        const known = factsIn(question.slice(0, mostFacts.characters));
        if (known.length === 0 || informed === question) return null;
        const given = `${event.child.context.systemPrompt}\n${conversationText(event.child)}`.toLowerCase();
        const missing = known.filter((fact) => !isIn(given, fact));
        // A parent may split the work, so that some of the tasks have some of the facts.
        if (missing.length < known.length) {
          informed = question;
          return { key: question, isWithdrawn: true };
        }
        return {
          key: question,
          sentence: `The task of subagent ${quoteName(event.name)} does not mention ${listNames(missing.slice(0, 4).map(quoteName))}, which the question does; a subagent sees its own task and prompt only.`,
          remedy:
            'Tell the parent in its system prompt to repeat every fact in the task, or give the subagent a tool that reads it.',
          evidence: {
            before: question.slice(0, 2000),
            after: conversationText(event.child).slice(0, 2000),
            who: event.name,
            missing,
          },
        };
      };
    },
  }),
];

function missingMessages(agent: AgentState, step: AgentStep): readonly LeftOut[] {
  const executionId = agent.execution?.executionId;
  return leftOut(agent, step).filter(
    ({ message, sentAs }) => sentAs === null && !isForeignTrace(message, executionId),
  );
}

/** Number of messages of the state, without traces of other runs, that the request does not have. */
function missingIn({ context, execution }: AgentState, { sent }: AgentStep): number {
  const inState = context.store.sections.reduce(
    (sum, { messages }) => sum + withoutForeignTraces(messages, execution?.executionId).length,
    0,
  );
  return inState - (sent?.messages.reduce((sum, { count }) => sum + count, 0) ?? 0);
}

function filesIn(message: Message | null): number {
  return message?.parts.filter(({ type }) => type === 'file').length ?? 0;
}

function ownMessage({ context }: AgentState, id: string): Message | null {
  for (const { messages } of context.store.sections) {
    const found = messages[placeOf(messages, id)];
    if (found !== undefined) return found;
  }
  return null;
}

function lastMessage({ context }: AgentState): Message | null {
  const found = context.store.sections.map(({ messages }) =>
    messages.findLast(({ role, metadata }) => role === 'user' && metadata['is_trace'] !== true),
  );
  return found.findLast((message) => message !== undefined) ?? null;
}

/** The items of a message with their plugin and the length of their text. Those that are gone have none. */
function toldItems(
  message: Parameters<typeof isToldContext>[0] & Parameters<typeof text>[0],
): readonly { readonly name: string; readonly by: string; readonly length: number }[] {
  const told = text(message);
  const places = [...told.matchAll(beginnings)].map(({ index }) => index);
  return Object.entries(message.metadata['context'] ?? {}).flatMap(([name, item], at) => {
    if (!isPlainObject(item) || typeof item['by'] !== 'string') return [];
    const [from = 0, to = told.length] = [places[at], places[at + 1]];
    return [{ name, by: item['by'], length: to - from }];
  });
}

/** True for a fact that a text in lower case has, or one of its words or numbers, however they are written. */
function isIn(text: string, fact: string): boolean {
  const lower = fact.toLowerCase();
  const parts = /\d/.test(lower) ? (lower.match(/[1-9]\d*/g) ?? []) : lower.split(' ');
  return text.includes(lower) || parts.some((part) => part.length > 1 && text.includes(part));
}

/** Facts that a task can lack: words in quotes, numbers, addresses, names of files, and names of two words. */
function factsIn(question: string): readonly string[] {
  const inQuotes = question
    .split('"')
    .filter((_part, index, all) => index % 2 === 1 && index < all.length - 1);
  const words = question
    .split(/\s/)
    .map(bare)
    .filter((word) => /\d|@|:\/\/|\w\.\w/.test(word));
  const names = question.match(/(?<=\p{Ll},? )\p{Lu}\p{Ll}{1,30}(?: \p{Lu}\p{Ll}{1,30}){1,3}/gu) ?? [];
  const found = [...words, ...inQuotes, ...names].filter(
    ({ length }) => length > 1 && length <= mostFacts.characterOfFact,
  );
  return [...new Set(found)].slice(0, mostFacts.facts);
}

/** A word without the punctuation around it. */
function bare(word: string): string {
  let [from, to] = [0, word.length];
  while (from < to && isMark(word[from])) from++;
  while (to > from && isMark(word[to - 1])) to--;
  return word.slice(from, to);
}

function isMark(character: string | undefined): boolean {
  return character !== undefined && '.,;:!?()[]"\''.includes(character);
}

function conversationText({ context }: AgentState): string {
  return context.store.sections.flatMap(({ messages }) => messages.map(text)).join('\n');
}
