import { AgentError } from './agent-error.ts';
import type { JsonObject } from './json.ts';
const quote = (text: string): string => JSON.stringify(text);

/**
 * Creates the error for a definition that cannot work. The sentence says what is wrong, where, and what to give
 * instead.
 */
export function agentInvalid(message: string, data: JsonObject = {}): AgentError {
  return new AgentError('agent-invalid', message, { data });
}

export function budgetInvalid(
  message: string,
  data: { limit: string; value?: string | number | null },
): AgentError {
  return new AgentError('budget-invalid', message, { data });
}

export function envInvalid({ id }: { id: string }): AgentError {
  const message = `The Env gave the id ${quote(id)}; \`id()\` has to give a fresh UUID each time.`;
  return new AgentError('env-invalid', message, { data: { id } });
}

/** Creates the error for a secret in settings. `owner` names their owner: `llmConfig`, or `Agent "a": llmConfig`. */
export function llmSettingsSecret({ path, owner }: { path: string; owner: string }): AgentError {
  const message = `${owner}.settings.${path} looks like a secret, and settings are saved with every session. Keep keys on the server, or give them to the inference client.`;
  return new AgentError('llm-settings-secret', message, { data: { path } });
}

export function messageInvalid(message: string, data: JsonObject = {}): AgentError {
  return new AgentError('message-invalid', message, { data });
}

/** Creates the error for a duplicate tool name. `why` ends the sentence: the thing that has the name already. */
export function toolsDuplicate({
  owner,
  toolName,
  why,
}: {
  owner: string;
  toolName: string;
  why: string;
}): AgentError {
  return new AgentError('tools-duplicate', `${owner}: ${why}`, { data: { toolName } });
}

/** Creates the error for an unknown stop reason. */
export function signalInvalid({ reason, known }: { reason: string; known: readonly string[] }): AgentError {
  const message = `Stop reason ${JSON.stringify(reason)} is unknown; use one of ${known.join(', ')}.`;
  return new AgentError('signal-invalid', message, { data: { reason } });
}
