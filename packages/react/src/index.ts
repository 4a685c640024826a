export * from '@vitrine/core';
export { AgentProvider, type AgentProviderProps } from './agent-provider.tsx';
export { AgentSession, type AgentSessionProps } from './agent-session.tsx';
export type { OutputView, PartialOutput, ToolCallOf } from './agent-types.ts';
export type { AgentCommands } from './commands.ts';
export type { AgentFields } from './fields.ts';
export type { SessionSource, UseAgentOptions } from './use-shared-session.ts';
export { useActivity } from './hooks/use-activity.ts';
export { attachmentUrl, type AttachmentUrl } from './attachment-url.ts';
export { useAgent, type UseAgentResult } from './hooks/use-agent.ts';
export { useAgentOutput } from './hooks/use-agent-output.ts';
export { useAgentSession } from './hooks/use-agent-session.ts';
export { useAgentState } from './hooks/use-agent-state.ts';
export { type AgentStatus, useAgentStatus } from './hooks/use-agent-status.ts';
export { useAttachment, type UseAttachmentResult } from './hooks/use-attachment.ts';
export { useBranches, type UseBranchesResult } from './hooks/use-branches.ts';
export { useBudget } from './hooks/use-budget.ts';
export { useMessage } from './hooks/use-message.ts';
export { useMessageIds } from './hooks/use-message-ids.ts';
export {
  type ServedModel,
  useModels,
  type UseModelsOptions,
  type UseModelsResult,
} from './hooks/use-models.ts';
export { usePendingApprovals } from './hooks/use-pending-approvals.ts';
export { type UpdatePluginState, usePluginState } from './hooks/use-plugin-state.ts';
export { useQueue } from './hooks/use-queue.ts';
export { useSteps } from './hooks/use-steps.ts';
export { useStopSignals } from './hooks/use-stop-signals.ts';
export { useStreamingMessage } from './hooks/use-streaming-message.ts';
export { useTool, type UseToolResult } from './hooks/use-tool.ts';
export { useUsage } from './hooks/use-usage.ts';
export { useDeleteSession, type UseDeleteSessionResult } from './stored/use-delete-session.ts';
export { useExportSession } from './stored/use-export-session.ts';
export { type ImportInput, useImportSession } from './stored/use-import-session.ts';
export { useRenameSession } from './stored/use-rename-session.ts';
export { useSession } from './stored/use-session.ts';
export { type SessionsQuery, useSessions, type UseSessionsResult } from './stored/use-sessions.ts';
