import { hasToolCalls, responseText } from '@vitrine/core/internal/graph/agent-step';
import { text } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { equalJson } from '@vitrine/core/internal/kit/json';
import { defineFor, each } from './detector.ts';
import { countNoun, inside, quoteName } from './wording.ts';

const define = defineFor('model');

/** Reasons for an empty answer that have findings of their own. */
const explained = new Set(['length', 'content-filter', 'error']);

const partsOf = (agent: AgentState): unknown => agent.execution?.currentStep?.outputMessages[0]?.parts;

/** Marks of thoughts and of calls in the templates of models; people do not write them. */
const thoughtMarks = /<\/?think>|\[\/?THINK\]/;
const callMarks =
  /<\/?tool_call>|<function=|\[TOOL_CALLS\]|<\|\/?tool_call|<\|(?:python_tag|channel|message|call|start|end|im_start|im_end|eot_id|eom_id)\|>|<｜tool▁call/;

/** Detectors of answers: of their end, their content, and of what was made of them. */
export const answerDetectors = [
  /** An answer that a content filter stopped, or that the model refused. */
  define('answer-withheld', {
    severity: 'fault',
    reads: { 'inference-end': ['response'] },
    watch: each(({ event, step }) => {
      const { finishReason, explanation } = event.response;
      if (finishReason !== 'content-filter' || step === null) return null;
      const written = responseText(step);
      const isEmpty = written.trim() === '' && !hasToolCalls(step);
      const why = explanation === undefined ? '' : `: ${inside(explanation)}`;
      return {
        sentence: isEmpty
          ? `The provider withheld the whole answer (finish reason "content-filter")${why}.`
          : `The provider ended the answer in its middle (finish reason "content-filter")${why}.`,
        remedy:
          'Look at the messages that were sent for what the filter may object to, or use another model.',
        evidence: { finishReason, explanation: explanation ?? null, end: written.slice(-120) },
      };
    }),
  }),
  /** An answer without text, tool calls and files, which the run takes as its final answer. */
  define('answer-empty', {
    severity: 'fault',
    reads: { 'inference-end': ['response'] },
    watch: each(({ event, step }) => {
      const { finishReason, usage } = event.response;
      if (step === null || hasToolCalls(step) || explained.has(finishReason)) return null;
      const parts = step.outputMessages.flatMap((message) => message.parts);
      const hasContent = parts.some(
        (part) =>
          (part.type === 'text' && part.text.trim() !== '') || part.type === 'file' || part.type === 'data',
      );
      if (hasContent) return null;
      const hasReasoning = parts.some(({ type }) => type === 'reasoning');
      return {
        sentence: hasReasoning
          ? 'The model reasoned and then ended its turn without an answer.'
          : 'The model ended its turn without an answer: no text and no tool call.',
        remedy:
          'Tell the model in the system prompt to end with an answer in words. Look at the last message that it was sent: it may leave nothing to say.',
        evidence: {
          finishReason,
          ...(usage.outputTokens === 0
            ? {}
            : { outputTokens: usage.outputTokens, reasoningTokens: usage.reasoningTokens }),
        },
      };
    }),
  }),
  /** Events of an answer that could not be read and were left out. */
  define('frames-skipped', {
    severity: 'fault',
    reads: { 'inference-end': ['response'] },
    watch: each(({ event }) => {
      const { skippedFrames = 0, model } = event.response;
      if (skippedFrames === 0) return null;
      return {
        sentence: `${countNoun(skippedFrames, 'event')} of the answer${model === null ? '' : ` of ${model}`} could not be read and ${skippedFrames === 1 ? 'was' : 'were'} left out, so text or a call may be missing.`,
        remedy:
          'Compare the answer with what the server sends, and update the server or the package of the provider.',
        evidence: { skippedFrames, model },
      };
    }),
  }),
  /** Files, sources and calls of an answer that has more parts than an answer keeps. */
  define('parts-dropped', {
    severity: 'fault',
    reads: { file: [], source: [], 'tool-call': [], 'inference-end': [] },
    watch() {
      let dropped = 0;
      return ({ event, agent, before }) => {
        if (event.type !== 'inference-end') {
          if (partsOf(agent) === partsOf(before)) dropped += 1;
          return null;
        }
        const count = dropped;
        dropped = 0;
        if (count === 0) return null;
        return {
          sentence: `${countNoun(count, 'part')} of the answer (files, sources or calls) ${count === 1 ? 'was' : 'were'} left out, because an answer keeps 1,000 parts and 10,000 calls.`,
          remedy: 'Look at what the model sends, or ask it for less at once.',
          evidence: { dropped: count },
        };
      };
    },
  }),
  /**
   * Marks of a template in an answer, such as `</think>` or `<tool_call>`, which the server of the model left there.
   */
  define('marks-in-text', {
    reads: { 'inference-end': ['response'] },
    watch: each(({ event, step }) => {
      const said = withoutCode((step?.outputMessages ?? []).map(text).join('\n'));
      const call = callMarks.exec(said)?.[0];
      const mark = call ?? thoughtMarks.exec(said)?.[0];
      if (mark === undefined) return null;
      const { model } = event.response;
      return {
        sentence: `The answer${model === null ? '' : ` of ${model}`} has the mark ${mark} of its template: ${call === undefined ? 'a thought stands in the text' : 'a call may stand in the text, and was not run'}.`,
        remedy:
          call === undefined
            ? 'Let the server read thoughts (vLLM: --reasoning-parser, llama.cpp: --reasoning-format), or set OPENAI_COMPATIBLE_THINK=tag, or open for models that write only the last tag.'
            : 'Let the server read calls: llama-server --jinja, vLLM --enable-auto-tool-choice --tool-call-parser, SGLang --tool-call-parser.',
        evidence: { mark, model },
      };
    }),
  }),
  /** An answer or a message that a hook or tool rewrote. */
  define('answer-replaced', {
    reads: { 'inference-end': ['hook'], 'section-change': ['source', 'name', 'put', 'removed'] },
    watch: each(({ event, before }) => {
      if (event.type === 'inference-end') {
        if (event.hook === undefined) return null;
        return {
          sentence: `Hook ${quoteName(event.hook)} replaced the response of the model (finish reason, usage or model).`,
          remedy: `Correct the after-inference hook ${quoteName(event.hook)} if the change was not meant.`,
          evidence: { who: event.hook },
        };
      }
      const { source, name, removed } = event;
      if (source === null || source === 'app' || source === 'user') return null;
      const { messages = [] } = before.context.store.sections.find((section) => section.name === name) ?? {};
      const former = new Map(messages.map(({ id, parts }) => [id, parts]));
      // What only gained parts behind its own is read as before.
      const put = event.put.filter(({ id, parts }) => {
        const own = former.get(id);
        return own === undefined || !equalJson(parts.slice(0, own.length), own);
      });
      const [changed] = put;
      if (changed === undefined && removed.length === 0) return null;
      const what =
        changed === undefined
          ? `removed ${countNoun(removed.length, 'message')}`
          : `rewrote ${countNoun(put.length, 'message')}`;
      return {
        key: `${source}|${changed === undefined ? 'removed' : 'put'}`,
        sentence: `${quoteName(source)} ${what} of the conversation, so the model does not read what was said.`,
        remedy:
          'Compare the message before and after, and correct the hook or tool if the change was not meant.',
        evidence: {
          who: source,
          before: former.get(changed?.id ?? removed[0] ?? '') as never,
          ...(changed === undefined ? {} : { after: changed.parts as never }),
          changed: put.length,
          removed: removed.length,
        },
      };
    }),
  }),
  /** Structured output that did not fit its schema and was requested again twice or more, or never fitted. */
  define('output-repaired', {
    reads: { 'message-add': ['source', 'message'], 'stop-signal': ['signal'] },
    watch: () => {
      let repairs = 0;
      return ({ event, step }) => {
        const end = event.type === 'stop-signal' ? event.signal : null;
        const source = event.type === 'stop-signal' ? event.signal.source : event.source;
        if (source !== 'response-format' || (end !== null && end.reason !== 'retry-limit-reached'))
          return null;
        // A model that corrects itself at once had a usual run.
        if (end === null && ++repairs < 2) return null;
        const issues = event.type === 'stop-signal' ? event.signal.message : text(event.message);
        const times = countNoun(repairs, 'repair');
        return {
          severity: end === null ? 'hint' : 'fault',
          key: 'output',
          sentence:
            end === null
              ? `The answer did not fit its schema and was requested again (${times}): ${inside(issues)}.`
              : `The answer never fitted its schema, also after ${times}: ${inside(issues)}.`,
          remedy:
            end === null
              ? 'Describe the fields that fail in the schema. Each repair costs a model call; `retry.maxOutputRetries` is their limit.'
              : 'Make the schema simpler, describe its fields, or use a model that supports structured output.',
          evidence: { before: step === null ? '' : responseText(step), repairs, issues },
        };
      };
    },
  }),
];

/** The text without code, in which marks are quoted. */
function withoutCode(whole: string): string {
  const outside = (one: string, mark: string): string =>
    one
      .split(mark)
      .filter((_, at) => at % 2 === 0)
      .join(' ');
  return outside(outside(whole, '```'), '`');
}
