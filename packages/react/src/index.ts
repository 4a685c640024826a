export * from '@vitrine/core';
// What a chat keeps its sessions with; `@vitrine/persist` has the rest.
export {
  browserSessions,
  clearSessions,
  deleteSession,
  eraseDeletedSessions,
  exportSession,
  httpSessions,
  importSession,
  indexedDBSessions,
  localStorageSessions,
  memorySessions,
  renameSession,
  restoreSession,
} from '@vitrine/persist';
export { AgentProvider } from './agent-provider.tsx';
export { AgentSessionProvider } from './agent-session-provider.tsx';
export type { OutputView } from './agent-types.ts';
export type { SessionSource, UseAgentOptions } from './use-shared-session.ts';
export {
  useActivity,
  useAgentStatus,
  useBudget,
  usePendingApprovals,
  useQueue,
  useSteps,
  useStopSignals,
  useUsage,
} from './field-hooks.ts';
export { attachmentUrl } from './attachment-url.ts';
export { useAgent, type UseAgentResult } from './hooks/use-agent.ts';
export { useAgentOutput, useAgentSession, useAgentState } from './hooks/use-agent-state.ts';
export { type UpdatePluginState, usePluginState } from './hooks/use-plugin-state.ts';
export { useAttachment } from './hooks/use-attachment.ts';
export { useBranches } from './hooks/use-branches.ts';
export { useMessage, useMessageIds, useStreamingMessage } from './hooks/use-message.ts';
export { type ServedModel, useModels } from './hooks/use-models.ts';
export { useTool, type UseToolResult } from './hooks/use-tool.ts';
export {
  useDeleteSession,
  useExportSession,
  useImportSession,
  useRenameSession,
} from './hooks/stored-mutations.ts';
export { useSession, useSessions } from './hooks/use-sessions.ts';
