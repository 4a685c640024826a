import type { Message } from '@vitrine/core';
import type { StepRequest } from './step-record.ts';

/**
 * The request of a step as a shell command that posts it to the proxy, which holds the provider's key. The
 * proxy's address and authorization are variables, so that no address, cookie or key is copied.
 */
export function curlOf(request: StepRequest): string {
  const { model, systemPrompt, messages, tools, toolChoice, responseFormat, settings } = request;
  const system = { role: 'system', parts: [{ type: 'text', text: systemPrompt }] };
  const body = {
    model,
    messages: [...(systemPrompt === '' ? [] : [system]), ...messages.map(wire)],
    tools,
    toolChoice,
    responseFormat,
    settings,
  };
  return [
    'curl --no-buffer "$VITRINE_PROXY_URL/v1/inference"',
    "  --header 'content-type: application/json'",
    '  --header "authorization: $VITRINE_PROXY_AUTHORIZATION"',
    `  --data-binary ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n');
}

function wire({ role, parts }: Message): object {
  return { role, parts };
}

/** Quotes a text for a shell, without expansion. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
