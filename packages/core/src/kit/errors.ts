import { AgentError } from './agent-error.ts';
import type { JsonObject } from './json.ts';

// One function for each error that several places throw or that carries data. Mostly used as `import * as errors`; a
// bundle holds only the functions it calls.

const quote = (text: string): string => JSON.stringify(text);

export function idInvalid({ value }: { value: string }): AgentError {
  return new AgentError('id-invalid', `${quote(value)} is not a UUID. Omit it to have one created.`, {
    data: { value },
  });
}

/** Creates the error for a file that is too large. Sizes are in bytes. */
export function attachmentTooLarge(data: {
  filename: string | null;
  size: number;
  limit: number;
}): AgentError {
  const { filename, size, limit } = data;
  const what = filename === null ? 'A file' : `The file ${quote(filename)}`;
  const message = `${what} has ${size} bytes; this store keeps files inside of messages, of at most ${limit} bytes each. Send a smaller one, or keep sessions in indexedDBSessions() or browserSessions(), which have room for files.`;
  return new AgentError('attachment-too-large', message, { data });
}

/** Creates the error for an invalid document. `path` is the place in it, `''` for its root. */
export function stateInvalid({ path, what }: { path: string; what: string }): AgentError {
  const message = `Stored state is invalid at ${path === '' ? 'its root' : path}: ${what}.`;
  return new AgentError('state-invalid', message, { data: { path } });
}

export function stateVersionUnsupported(given: {
  kind: string;
  path: string;
  version: number;
  supported: number;
  advice: string;
}): AgentError {
  const { kind, path, version, supported, advice } = given;
  const message = `Stored ${kind}${path && ` at ${path}`} has version ${version}; this library reads version ${supported}. ${advice}`;
  return new AgentError('state-version-unsupported', message, { data: { kind, version, supported } });
}

export function toolNotFound(given: { toolName: string; available: readonly string[] }): AgentError {
  const { toolName, available } = given;
  const message = `Tool ${quote(toolName)} not found. Available: ${available.join(', ') || 'none'}.`;
  return new AgentError('tool-not-found', message, { data: { toolName, availableTools: available } });
}

/** Creates the error for user code that does not settle. `author` names the code: `hook "audit"`. */
export function userCodeTimeout(data: { author: string; timeoutMs: number }): AgentError {
  const { author, timeoutMs } = data;
  const message = `${author} did not answer within ${timeoutMs} ms. Make it stop when its signal aborts, or raise its time limit.`;
  return new AgentError('user-code-timeout', message, { data });
}

/** Creates the error for a definition. The sentence says what is wrong, where, and what to give instead. */
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

export function runtimeLacks(name: string): AgentError {
  const message = `This runtime has no ${name}. In jest with jsdom, load the setup file of guide/testing; in React Native, load a polyfill before Vitrine.`;
  return new AgentError('env-invalid', message, { data: { name, retryable: false } });
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
export function toolsDuplicate(given: { owner: string; toolName: string; why: string }): AgentError {
  const { owner, toolName, why } = given;
  return new AgentError('tools-duplicate', `${owner}: ${why}`, { data: { toolName } });
}

export function signalInvalid({ reason, known }: { reason: string; known: readonly string[] }): AgentError {
  const message = `Stop reason ${JSON.stringify(reason)} is unknown; use one of ${known.join(', ')}.`;
  return new AgentError('signal-invalid', message, { data: { reason } });
}
