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
export { AgentProvider, type AgentProviderProps } from './agent-provider.tsx';
export { AgentSessionProvider, type AgentSessionProviderProps } from './agent-session-provider.tsx';
export type { OutputView } from './agent-types.ts';
export type { SessionSource, UseAgentOptions } from './use-shared-session.ts';
export {
  type AgentStatus,
  useActivity,
  useAgentStatus,
  useBudget,
  usePendingApprovals,
  useQueue,
  useSteps,
  useStopSignals,
  useUsage,
} from './field-hooks.ts';
export { attachmentUrl, type AttachmentUrl } from './attachment-url.ts';
export { useAgent, type UseAgentResult } from './hooks/use-agent.ts';
export {
  type UpdatePluginState,
  useAgentOutput,
  useAgentSession,
  useAgentState,
  usePluginState,
} from './hooks/use-agent-state.ts';
export { useAttachment, type UseAttachmentResult } from './hooks/use-attachment.ts';
export { useBranches, type UseBranchesResult } from './hooks/use-branches.ts';
export { useMessage, useMessageIds, useStreamingMessage } from './hooks/use-message.ts';
export {
  type ServedModel,
  useModels,
  type UseModelsOptions,
  type UseModelsResult,
} from './hooks/use-models.ts';
export { useTool, type UseToolResult } from './hooks/use-tool.ts';
export {
  useDeleteSession,
  type UseDeleteSessionResult,
  useExportSession,
  useImportSession,
  useRenameSession,
} from './hooks/stored-mutations.ts';
export { type SessionsQuery, useSession, useSessions, type UseSessionsResult } from './hooks/use-sessions.ts';
