import { isToldContext } from '@vitrine/core/internal/graph/foreign-traces';
import type { Message } from '@vitrine/core/internal/graph/message';
import { compile } from '@vitrine/core/internal/graph/message-store';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import * as errors from '@vitrine/core/internal/kit/errors';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import {
  type PlainSession,
  plainSessionOf,
  type PlainSource,
} from '@vitrine/persist/internal/manage/plain-session';
import type { SessionTree } from '@vitrine/core/internal/session/branches/session-tree';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { toAgUiMessages } from './ag-ui/messages.ts';
import type { AgUiMessage } from './ag-ui/protocol.ts';
import { toUiMessages } from './ai-sdk/to-ui-messages.ts';
import type { UiMessage } from './ai-sdk/ui-message.ts';
import { anthropicMessages } from './write-anthropic.ts';
import { markdownOf } from './write-markdown.ts';
import { openAiMessages } from './write-openai.ts';

/** The shapes of `exportMessages`, and what each of them is. */
export type ExportedMessages = {
  /** Messages of the AI SDK, as `toUiMessages` gives them. */
  readonly ui: readonly UiMessage[];
  /** Messages of OpenAI's chat completions, for a request or a line of JSON. */
  readonly openai: readonly JsonObject[];
  /** The body of a request to Anthropic's Messages API, without a model. */
  readonly anthropic: { readonly system?: string; readonly messages: readonly JsonObject[] };
  /** Messages of AG-UI, as `toAgUiMessages` gives them. */
  readonly 'ag-ui': readonly AgUiMessage[];
  /** A text for a person. */
  readonly markdown: string;
  /** The tree of all branches. */
  readonly plain: PlainSession;
};

/** A state, the snapshot of a session (`session.store.getState()`), or a stored session (`SessionRecord`). */
export type ExportSource = AgentState | (PlainSource & { readonly tree?: SessionTree }) | SessionRecord;

/**
 * Writes a conversation in the words of another library, for a person (`markdown`), or as a documented tree of messages
 * (`plain`), which needs no library to be read and has all branches. The others are the active branch. `importMessages`
 * reads each of them but `markdown`. Files that the store keeps are named by their hash: `exportSession` has their bytes.
 * @throws AgentError `message-invalid` for an unknown shape.
 * @example
 * const plain = exportMessages(session.store.getState(), 'plain');
 */
export function exportMessages<Shape extends keyof ExportedMessages>(
  source: ExportSource,
  shape: Shape,
): ExportedMessages[Shape] {
  if (!Object.hasOwn(writers, shape))
    throw errors.messageInvalid(
      `exportMessages: the shape ${JSON.stringify(shape)} is unknown; use one of ${Object.keys(writers).join(', ')}.`,
    );
  return writers[shape](sourceOf(source));
}

const writers: {
  readonly [Shape in keyof ExportedMessages]: (source: PlainSource) => ExportedMessages[Shape];
} = {
  ui: ({ state }) => toUiMessages(state),
  openai: ({ state }) => openAiMessages(allOf(state)),
  anthropic: ({ state }) => anthropicMessages(allOf(state)),
  'ag-ui': ({ state }) => toAgUiMessages(state),
  markdown: (source) => markdownOf(plainSessionOf(source).title, allOf(source.state)),
  plain: plainSessionOf,
};

/** The instructions, and the messages of all sections: a summary stands for the messages that it took the place of. */
function allOf({ context, createdAt }: AgentState): readonly Message[] {
  const { systemPrompt, store } = context;
  const said = compile(store).filter((message) => !isToldContext(message));
  if (systemPrompt === '') return said;
  const parts = [{ type: 'text', text: systemPrompt }] as const;
  return [{ id: 'system', role: 'system', parts, metadata: {}, createdAt, parentId: null }, ...said];
}

/** The state with its branches. Events that a store has not folded in yet are folded in. */
function sourceOf(source: ExportSource): PlainSource {
  if (!('state' in source)) return { state: source };
  if ('journal' in source) return { ...source, state: liveRecord(source).state };
  if (!('tree' in source) || source.tree === undefined) return source;
  return { ...source, branches: source.tree.branches };
}
