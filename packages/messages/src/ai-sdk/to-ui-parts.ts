import type { ChatPart, ChatToolCall } from '@vitrine/core/internal/agent/chat-message';
import { currentStep, stepExecutions } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { FilePart } from '@vitrine/core/internal/graph/message';
import type { AgentState, ToolApproval, ToolExecution } from '@vitrine/core/internal/graph/types';
import { isPlainObject, type JsonObject } from '@vitrine/core/internal/kit/json';
import { blobScheme } from '../reading/part.ts';
import type { UiPart, UiProviderMetadata, UiToolPart, UiToolState } from './ui-message.ts';

/** The facts of a call that decide on its state, from a view or an execution. */
export type UICall = Pick<ChatToolCall, 'toolCallId' | 'toolName' | 'status' | 'input'> & {
  readonly approval: ToolApproval | null;
  readonly output: unknown;
  readonly error: { readonly message: string } | null;
  readonly providerMetadata?: JsonObject;
};

type Content = Exclude<ChatPart, { readonly type: 'tool-call' }>;

/** The part of a UI message for any part but a call. */
export function toUiPart(part: Content): Exclude<UiPart, UiToolPart> {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...withMetadata(part) };
    case 'file':
      return toFilePart(part);
    case 'source':
      return part.url === null
        ? { type: 'source-document', sourceId: part.id, mediaType: anyFile, title: part.title ?? '' }
        : {
            type: 'source-url',
            sourceId: part.id,
            url: part.url,
            ...(part.title === null ? {} : { title: part.title }),
          };
    default:
      return { type: `data-${part.name}`, data: part.data };
  }
}

const anyFile = 'application/octet-stream';

/** The address of a file: its own, its bytes as a data URL, or the place in the store that has it. */
function toFilePart(part: FilePart): Extract<UiPart, { type: 'file' }> {
  const { mediaType, data, url, blob, filename } = part;
  const stored = blob === undefined ? '' : `${blobScheme}${blob.hash}?size=${blob.size}`;
  return {
    type: 'file',
    mediaType,
    ...(filename === null ? {} : { filename }),
    url: url ?? (data === undefined ? stored : `data:${mediaType};base64,${data}`),
    ...withMetadata(part),
  };
}

/** The metadata of a part. Entries that are no object, which the AI SDK refuses, are left out. */
function withMetadata({ providerMetadata }: { readonly providerMetadata?: JsonObject }): {
  providerMetadata?: UiProviderMetadata;
} {
  const entries = Object.entries(providerMetadata ?? {}).filter(([, value]) => isPlainObject(value));
  return entries.length === 0 ? {} : { providerMetadata: Object.fromEntries(entries) };
}

/** The part of a UI message for a call, in its present state. */
export function toUiToolPart(call: UICall): UiToolPart {
  const { providerMetadata } = withMetadata(call);
  return {
    type: `tool-${call.toolName}`,
    toolCallId: call.toolCallId,
    ...stateOf(call),
    ...(providerMetadata === undefined ? {} : { callProviderMetadata: providerMetadata }),
  };
}

function stateOf(call: UICall): UiToolState {
  const { toolCallId, status, input, approval, output } = call;
  const asked = { id: toolCallId, ...(approval?.reason != null && { requestReason: approval.reason }) };
  const granted =
    approval?.decision === 'approved' ? { approval: { ...asked, approved: true as const } } : {};
  switch (status) {
    case 'completed':
      return { state: 'output-available', input, output, ...granted };
    case 'awaiting-approval':
      return { state: 'approval-requested', input, approval: asked };
    case 'requested':
    case 'running':
    case 'awaiting-output': {
      if (!approval || approval.decision === null) return { state: 'input-available', input };
      const approved = approval.decision === 'approved';
      return { state: 'approval-responded', input, approval: { ...asked, approved, ...reasonOf(approval) } };
    }
    default:
      if (status === 'rejected' && approval?.decision === 'rejected')
        return {
          state: 'output-denied',
          input,
          approval: { ...asked, approved: false, ...reasonOf(approval) },
        };
      return { state: 'output-error', input, errorText: errorTextOf(call), ...granted };
  }
}

/** The reason that a person gave with an answer. */
export function reasonOf({ comment }: ToolApproval): { reason?: string } {
  return comment === null ? {} : { reason: comment };
}

/** The sentence about a call that did not complete. */
export function errorTextOf({ status, error }: UICall): string {
  return error?.message ?? `The call ended as ${status}.`;
}

/** A call of a subagent that a person has to answer or has answered, and the calls above it. */
export type NestedCall = { readonly call: UICall; readonly path: readonly string[] };

/** The calls below a call that a person has to see, because only an answer lets the run go on. */
export function nestedCalls(state: AgentState | null, path: readonly string[]): readonly NestedCall[] {
  if (state === null) return [];
  const steps = [...stepExecutions(state).map(({ step }) => step), currentStep(state)];
  return steps.flatMap((step) =>
    (step?.toolExecutions ?? []).flatMap((run) => [
      ...(run.approval !== null || run.status === 'awaiting-output' || isAnswered(run)
        ? [{ call: factsOf(run), path }]
        : []),
      ...nestedCalls(run.childState, [...path, run.id]),
    ]),
  );
}

/** True for a call that a person has answered with an output: it never ran. */
function isAnswered({ status, startedAt }: ToolExecution): boolean {
  return status === 'completed' && startedAt === null;
}

function factsOf({ id, toolCall, status, result, error, approval }: ToolExecution): UICall {
  return {
    toolCallId: id,
    toolName: toolCall.name,
    input: toolCall.input,
    status,
    output: result ?? null,
    error,
    approval,
  };
}
