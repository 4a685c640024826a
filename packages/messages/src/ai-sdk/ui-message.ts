import type { Timestamp } from '@vitrine/core/internal/graph/env';
import type { ToolOutcome } from '@vitrine/core/internal/graph/message';
import type { StopReason } from '@vitrine/core/internal/graph/stop-reason';
import type { Usage } from '@vitrine/core/internal/graph/usage';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';

// The types of the AI SDK by structure, so that core depends on no version of it. `ai-sdk.test-d.ts` holds them to the
// types of ai 6 and 7.

/** The key of the id that the AI SDK gave a message, in the metadata of our message. */
export const uiIdKey = 'uiMessageId';

/** Metadata of a part by provider. */
// oxlint-disable-next-line typescript/no-explicit-any -- the AI SDK wants mutable JSON, which any readonly JSON is not
export type UiProviderMetadata = Record<string, any>;

type WithMetadata = { providerMetadata?: UiProviderMetadata };

type Approval<Approved> = { id: string; requestReason?: string; reason?: string; approved: Approved };

/** The states of a tool call in a UI message. */
export type UiToolState =
  | { state: 'input-available'; input: unknown }
  | { state: 'approval-requested'; input: unknown; approval: { id: string; requestReason?: string } }
  | { state: 'approval-responded'; input: unknown; approval: Approval<boolean> }
  | { state: 'output-available'; input: unknown; output: unknown; approval?: Approval<true> }
  | { state: 'output-error'; input: unknown; errorText: string; approval?: Approval<true> }
  | { state: 'output-denied'; input: unknown; approval: Approval<false> };

/** A tool call of a UI message, as `toUiMessages` writes it. */
export type UiToolPart = {
  type: `tool-${string}`;
  toolCallId: string;
  callProviderMetadata?: UiProviderMetadata;
} & UiToolState;

/** A part of a UI message, as `toUiMessages` writes it. */
export type UiPart =
  | ({ type: 'text'; text: string; state?: 'streaming' | 'done' } & WithMetadata)
  | ({ type: 'reasoning'; text: string; state?: 'streaming' | 'done' } & WithMetadata)
  | ({ type: 'file'; mediaType: string; filename?: string; url: string } & WithMetadata)
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | { type: 'source-document'; sourceId: string; mediaType: string; title: string }
  | { type: `data-${string}`; data: unknown }
  | { type: 'step-start' }
  | UiToolPart;

/** A message of a session behind a UI message, in their order. */
export type UiEnvelope = {
  id: string;
  createdAt: Timestamp;
  parentId?: string;
  metadata?: JsonObject;
  /** The calls whose results a tool message has; absent for other messages. */
  results?: string[];
};

/** The facts of a call that a tool part has no place for. */
export type UiCall = {
  providerCallId?: string;
  durationMs?: number;
  /** The outcome and the result that the model was told, of a call that did not complete. */
  outcome?: Exclude<ToolOutcome, 'completed'>;
  result?: JsonValue;
  /** The calls above a call of a subagent, which is shown because a person has to answer it. */
  path?: string[];
};

/** The metadata that `toUiMessages` adds to that of a message, under `vitrine`. */
export type UiVitrine = {
  messages: UiEnvelope[];
  calls?: { [toolCallId: string]: UiCall };
  /** The usage of the run that gave the answer, subagents included; only for the last run. */
  usage?: Usage;
  /** The reason of a run that did not end by itself; only for the last run. */
  stopReason?: StopReason;
};

/** A message of the AI SDK (`UIMessage`), as `toUiMessages` writes it. */
export type UiMessage = {
  id: string;
  role: 'system' | 'user' | 'assistant';
  metadata: { [key: string]: unknown; vitrine: UiVitrine };
  parts: UiPart[];
};

/** The part of a `UIMessage` of ai 5, 6 and 7 that is read. Unknown parts are left out. */
export type AnyUiMessage = {
  readonly id: string;
  readonly role: string;
  readonly metadata?: unknown;
  readonly parts: readonly { readonly type: string }[];
};

/** A piece of a UI message stream (`UIMessageChunk`), as `toUiMessageStream` writes it. */
export type UiChunk =
  | { type: 'start'; messageId: string }
  | { type: 'start-step' | 'finish-step' }
  | ({ type: 'text-start' | 'reasoning-start' | 'text-end' | 'reasoning-end'; id: string } & WithMetadata)
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | ({ type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown } & WithMetadata)
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string; reason?: string }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | ({ type: 'file'; mediaType: string; url: string } & WithMetadata)
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | { type: 'source-document'; sourceId: string; mediaType: string; title: string }
  | { type: `data-${string}`; data: unknown }
  | { type: 'message-metadata'; messageMetadata: { vitrine: UiVitrine } }
  | { type: 'finish'; finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other' }
  | { type: 'abort'; reason?: string }
  | { type: 'error'; errorText: string };

/** The chunks of ai 7 that ai 6 has no name for, and ignores. */
export type LaterChunk =
  | { type: 'reset-step' }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string };
