import { AgentState } from '@vitrine/core';
import { redact } from '@vitrine/inspect';
import type { StepViewId } from '../../define-panel-tab.ts';
import type { Texts } from '../../texts.ts';
import { shownEvent } from '../events/summarize-event.ts';
import { evaluationsOf } from '../stop/verdict.ts';
import type { StepRecord, StepRequest } from './step-record.ts';
import { stepVerdict } from './step-verdict.ts';

export type CopyFormat = 'JSON' | 'Markdown' | 'curl';

/** The formats for a view of a step; a request can also be copied as a curl command. */
export function copyFormats({ request, step }: StepRecord, view: StepViewId): readonly CopyFormat[] {
  return view === 'sent' && request !== null && step.sent?.prompt !== ''
    ? ['JSON', 'Markdown', 'curl']
    : ['JSON', 'Markdown'];
}

/**
 * The content of a view of a step as text.
 * @param isRedacted Removes values under secret names and texts that look like secrets.
 */
export function stepDocument(
  record: StepRecord,
  view: StepViewId,
  {
    format,
    isRedacted,
    texts,
  }: { readonly format: CopyFormat; readonly isRedacted: boolean; readonly texts: Texts },
): string {
  if (format === 'curl') {
    const { request } = record;
    if (request === null) return '';
    return curlOf(isRedacted ? (redact(request) as typeof request) : request);
  }
  const content = contentOf(record, view, { isRedacted, texts });
  // The top-level names are ours or those of tools, so they are not checked as names of secrets.
  const safe = (part: unknown, name: string): unknown =>
    redact(part, { path: view === 'tools' ? ['toolExecutions'] : [name] });
  const value = Object.fromEntries(
    Object.entries(content).map(([name, part]) => [name, isRedacted ? safe(part, name) : part]),
  );
  if (format === 'JSON') return JSON.stringify(value, null, 2);
  const parts = Object.entries(value).map(([name, part]) => {
    if (typeof part === 'string' && !part.includes('```')) return `## ${name}\n\n${part}`;
    return `## ${name}\n\n${fenceText(JSON.stringify(part, null, 2))}`;
  });
  return [`# Step ${record.number}: ${view}`, ...parts].join('\n\n');
}

function contentOf(
  record: StepRecord,
  view: StepViewId,
  { isRedacted, texts }: { readonly isRedacted: boolean; readonly texts: Texts },
): Record<string, unknown> {
  const { step, events, request, leftOut, after } = record;
  switch (view) {
    case 'sent':
      return step.sent?.prompt === '' ? { conversation: request?.messages } : { ...request, leftOut };
    case 'received':
      return {
        messages: step.outputMessages,
        response: step.inferenceResponse,
        // A secret may span several deltas, so they are checked together.
        events: events.map(({ event }, index) => (isRedacted ? shownEvent(events, index, texts) : event)),
      };
    case 'tools':
      return Object.fromEntries(
        step.toolExecutions.map((execution) => [`${execution.toolCall.name} ${execution.id}`, execution]),
      );
    case 'state':
      return { ...AgentState.toJSON(after.state) };
    case 'why':
      return {
        verdict: stepVerdict(record, texts),
        signals: AgentState.stopSignals(after.state),
        checks: evaluationsOf(after),
      };
    case 'fork':
      // A fork begins with the step as the model answered it.
      return { toolExecutions: step.toolExecutions, messages: step.outputMessages };
  }
}

/** A code block whose fence is longer than any fence in the text. */
function fenceText(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${text}\n${fence}`;
}

/**
 * The request of a step as a shell command that posts it to the proxy, which holds the provider's key. Its
 * address is that of the page unless a variable names another one. The authorization is a variable, so that no
 * cookie or key is copied.
 */
function curlOf(request: StepRequest): string {
  const { model, systemPrompt, messages, tools, toolChoice, responseFormat, settings } = request;
  const system = { role: 'system', parts: [{ type: 'text', text: systemPrompt }] };
  const wired = messages.map(({ role, parts }) => ({ role, parts }));
  const body = {
    model,
    messages: [...(systemPrompt === '' ? [] : [system]), ...wired],
    tools,
    toolChoice,
    responseFormat,
    settings,
  };
  return [
    `curl --no-buffer "${proxyAddress()}/v1/inference"`,
    "  --header 'content-type: application/json'",
    '  --header "authorization: $VITRINE_PROXY_AUTHORIZATION"',
    `  --data-binary ${quoteForShell(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n');
}

/** The address of the proxy: a variable, with the usual path on this page as default. */
function proxyAddress(): string {
  const { origin } = globalThis.location ?? {};
  return /^https?:/.test(origin ?? '') ? `\${VITRINE_PROXY_URL:-${origin}/api}` : '$VITRINE_PROXY_URL';
}

/** Quotes a text for a shell, without expansion. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
