import { type AgentSessionOptions, createAgentSession, defineAgent } from '@vitrine/core';
import { createRecorder, type JournalRecord, sessionHub } from '@vitrine/inspect';
import { type ScriptedEntry, scriptedInference } from '@vitrine/testing';

/** The record of an agent after one message; with `isLate` the recorder starts after it. */
export async function recordedRun(
  init: object,
  script: readonly ScriptedEntry[],
  isLate = false,
  options: Partial<AgentSessionOptions> = {},
): Promise<JournalRecord> {
  const agent = defineAgent({ name: 'a', inference: scriptedInference(script), ...init });
  const early = isLate ? null : createRecorder();
  const session = createAgentSession({ agent, ...options });
  await session.sendMessage('Go');
  const recorder = early ?? createRecorder();
  const record = recorder.read(sessionHub().sources().at(-1)!);
  await session.dispose();
  recorder.dispose();
  return record;
}
