type NotFed = { readonly why: string; readonly names: readonly string[] };

/** The functions of the public entries that are fed nothing, and the reason of each. */
export const notFed: readonly NotFed[] = [
  {
    why: 'It selects from a state that has been checked at the boundary, and reads no text in it.',
    names:
      `AgentState.breakHits AgentState.currentStep AgentState.messages AgentState.pendingApprovals AgentState.stepCount AgentState.stepExecutions
      AgentState.status AgentState.steps AgentState.stopReason AgentState.stopSignal AgentState.stopSignals AgentState.usage
      AgentState.store AgentState.metadata AgentState.currentStepOrLast AgentState.lastStep AgentState.lastStepType
      AgentState.lastStepExecution AgentState.lastToolExecution AgentState.stopSource AgentState.continuationBranch
      AgentState.shouldStop AgentState.hasErrors AgentState.errors AgentState.executionDuration AgentState.hasFinalResponse
      AgentState.currentResponse AgentState.children AgentState.rememberedDecisions
      ExecutionState.children ExecutionState.errors ExecutionState.isFinished ExecutionState.pending ExecutionState.steps
      ExecutionState.usage AgentStep.inputMessages AgentStep.request AgentStep.hasToolCalls AgentStep.needsAnswer AgentStep.hasErrors AgentStep.type
      AgentStep.isInterrupted AgentStep.usage AgentStep.responseText AgentStep.isFinalResponse ToolExecution.isWaiting
      ToolExecution.isFinished ToolExecution.subagentName Conversation.branches Conversation.budget Conversation.pendingApprovals Conversation.stepCount
      Conversation.steps Conversation.stopReason Conversation.stopSignals Conversation.usage Conversation.streamingMessage
      Conversation.settledMessages Conversation.messageIds Conversation.message selectors.branches selectors.budget
      selectors.pendingApprovals selectors.steps selectors.stopReason selectors.stopSignals selectors.usage Message.isTrace
      Message.toolCalls MessageStore.section PluginState.get PluginState.revision`.split(/\s+/),
  },
  {
    why: 'It changes a state by values that other functions have made and checked.',
    names: `AgentState.withExecutionCompleted AgentState.withExecutionContinued AgentState.withExecutionStatus
      AgentState.withStopSignal AgentState.withoutDecisions AgentState.withCurrentStep AgentState.withCurrentStepCompleted
      AgentState.withMessageStore AgentState.forNextExecution AgentStep.of ToolExecution.ofCall MessageStore.append
      MessageStore.compile MessageStore.empty MessageStore.withSection PluginState.reset allSections selectedSections
      conversationWithCurrentToolTrace`.split(/\s+/),
  },
  {
    why: 'It writes a value of this library as a document; AgentState.toJSON, which holds all of them, is fed.',
    names:
      `ExecutionState.toJSON StepExecution.toJSON AgentStep.toJSON ToolExecution.toJSON ExecutionContinuation.toJSON
      ExecutionBudget.toJSON`.split(/\s+/),
  },
  {
    why: 'It takes numbers, signals or figures, and no text.',
    names:
      `Usage.isFree ExecutionContinuation.explain ExecutionContinuation.fresh ExecutionContinuation.highestSignal
      ExecutionContinuation.of ExecutionContinuation.shouldStop ExecutionContinuation.withContinuationRequested
      ExecutionContinuation.withStopSignal StopSignal.byPriority StopSignal.highest StopSignal.stopRequested
      StopSignal.userRequested StopReason.priority StopReason.wasForceStopped ExecutionBudget.view ExecutionBudget.cappedBy
      ExecutionBudget.stopSignals ExecutionBudget.isEmpty ExecutionBudget.isExhausted ExecutionBudget.remaining
      ExecutionBudget.unlimited Usage.withPrice Usage.paidShare Usage.add Usage.isNone Usage.none Usage.sum Id.create systemEnv.now
      systemEnv.monotonic systemEnv.id systemEnv.random systemEnv.schedule`.split(/\s+/),
  },
  {
    why: 'An application gives it its own code and names.',
    names:
      `AgentError AgentStopError Tool.inputSchema Tool.filter Tool.get Tool.merge Tool.withoutTool Tool.withTool guard
      finishReasonGuard eventAddress`
        .split(/\s+/)
        .concat('@vitrine/inspect defineDetector'),
  },
  {
    why: 'It takes events that readJournal or commit has checked. importTrace and replay, which read journals, are fed.',
    names: ['apply', 'fold', '@vitrine/inspect createDiagnosis'],
  },
  {
    why: 'It writes or opens an envelope. linkFromJSON, which reads what a server sends, is fed, and so is positionFromText.',
    names: [
      'link/link-json linkToJSON',
      'link/link-json positionToText',
      'link/protocol unseal',
      'link/protocol seal',
      'manage/moving-session writeMovingSession',
      'manage/stored-past writeStoredPast',
    ].map((name) => `@vitrine/persist/internal/${name}`),
  },
  {
    why: 'It hands names to a store, or opens one. rowSessions and httpSessions, which read what stores give, are fed.',
    names:
      `attachSession clearSessions deleteSession eraseDeletedSessions exportSession renameSession restoreSession
      memorySessions localStorageSessions indexedDBSessions browserSessions`
        .split(/\s+/)
        .map((name) => `@vitrine/persist ${name}`)
        .concat('resolveRecord', 'loadedSession'),
  },
  {
    why: 'It is for tests of applications.',
    names:
      `blankSession expectRun fakeTool fixedEnv memoryEffects scriptedInference testEffects testSessionStore`
        .split(' ')
        .map((name) => `@vitrine/testing ${name}`),
  },
  {
    why: 'It takes records of this library that have been read by importTrace or recorded on the page.',
    names: `eventsOf leftOut createRecorder journalOfRun runsOf broadcastChannel
      localChannel windowChannel shareSessions sanitizeWith stateAt stateBefore exportTrace sessionHub forkRuns`
      .split(/\s+/)
      .map((name) => `@vitrine/inspect ${name}`),
  },
  {
    why: 'It reads a bounded text with the parser of YAML; its own test feeds it any text.',
    names: ['@vitrine/plugins/agent-from-markdown agentFromMarkdown'],
  },
  {
    why: 'It takes options of an application. What models and people write into its state is checked by schemas of core, which are fed.',
    names: [
      'todo todoPlugin',
      'ask-user askUser',
      'skills skillsPlugin',
      'skill-files skillFiles',
      'defer-tools deferTools',
      'redact-requests redactRequests',
      'retrospective retrospective',
      'notes notesPlugin',
      'compaction compaction',
      'critique critique',
      'planner planner',
      'titles titleFrom',
      'agent-from-markdown describeAgent',
    ].map((name) => `@vitrine/plugins/${name}`),
  },
  {
    why: 'It needs the document of a browser with WebMCP. mcpTools, which reads tools by the same code, is fed.',
    names: ['webMcpTools', 'offerAgentTools', 'offerTools']
      .map((name) => `@vitrine/web-mcp ${name}`)
      .concat('@vitrine/web-mcp/react useWebMcp'),
  },
  {
    why: 'It reads at most the first 64 KiB of a file.',
    names: ['Message.fileFilter'],
  },
  {
    why: 'It takes no text and no JSON.',
    names: [
      '@vitrine/core/internal/kit/server-in-front serverInFront',
      '@vitrine/inspect/internal/events bufferEvents',
      // What the extension sends is tested beside it (`sent-states.test.ts`) and in `panel-bridges.test.ts`.
      '@vitrine/devtools/redux connectReduxDevtools',
      // Their own tests feed them any order of any events.
      '@vitrine/ag-ui/observe observeAgUi',
      '@vitrine/ai-sdk/observe observeChat',
      '@vitrine/ai-sdk/observe vitrineTelemetry',
      '@vitrine/langgraph/observe observeLangGraph',
      '@vitrine/tanstack-ai observeConnection',
    ],
  },
  {
    why: 'It shows what was redacted and cut before; the panel’s own tests draw hostile answers.',
    names: `definePanelTab AgentDevtools AgentDevtoolsPanel mountAgentDevtools agentDevtoolsPlugin`
      .split(' ')
      .map((name) => `@vitrine/devtools ${name}`),
  },
  {
    why: 'It takes the environment and the code of an operator.',
    names: [
      ...[
        'hostsFromEnv',
        'optionsFromEnv',
        'upstreamFetch',
        'checkProviders',
        'modelsFromEnv',
        'memoryStreamLog',
      ].map((name) => `@vitrine/proxy ${name}`),
      ...['requestListener', 'serveFromEnv', 'serveInferenceProxy'].map(
        (name) => `@vitrine/proxy/node ${name}`,
      ),
      '@vitrine/proxy/vite vitrine',
      '@vitrine/proxy/prices listedPrice',
      '@vitrine/proxy/redis redisStreamLog',
      '@vitrine/proxy/postgres postgresSessions',
      '@vitrine/proxy/postgres postgresStreamLog',
      '@vitrine/proxy/sqlite sqliteSessions',
      '@vitrine/proxy/pino pinoLog',
      '@vitrine/proxy/metrics proxyMetrics',
      '@vitrine/proxy/otel tracedModels',
      ...['answerAttributes', 'modelCallAttributes', 'modelSpanName'].map(
        (name) => `@vitrine/otel/internal/conventions ${name}`,
      ),
      ...['traceSession', 'tracedFetch', 'traceSessions'].map((name) => `@vitrine/otel ${name}`),
      '@vitrine/server/dbos dbosHost',
      '@vitrine/proxy/internal/guard guardedRoutes',
      '@vitrine/proxy/internal/guard entryRecorder',
      '@vitrine/proxy/internal/guard guardedCalls',
      '@vitrine/proxy/internal/guard causeOf',
      // The parts of a stream of LangGraph are fed to `langGraphAgent` and `observeLangGraph`, which read it through this filter.
      '@vitrine/langgraph/internal/run-filter runFilter',
      '@vitrine/react/server agentServer',
      '@vitrine/assistant-ui useVitrineRuntime',
      // A hostile view runs in Chromium (`mcp.test.ts`).
      '@vitrine/mcp/react useMcpApps',
      '@vitrine/server/sqlite sqliteHost',
      '@vitrine/server/testing runLawProcess',
      '@vitrine/server/testing testSessionHost',
    ],
  },
  {
    why: 'It is a component, or a hook over the functions above; tests/journeys draw hostile answers in Chromium.',
    names: [
      ...`AgentProvider AgentSessionProvider useActivity useAgent useAgentOutput useAgentSession useAgentState useAgentStatus
        useAttachment useBranches useBudget useMessage useMessageIds useModels usePendingApprovals usePluginState useQueue useSteps
        useStopSignals useStreamingMessage useTool useUsage useDeleteSession useExportSession useImportSession useRenameSession
        useSession useSessions`
        .split(/\s+/)
        .map((name) => `@vitrine/react ${name}`),
      ...`Activity Approval Approvals Chat ModelChoice RememberedDecisions Composer ConversationView SafeLink VisibleText CodeBlock MessageView.type
        Reasoning Subagent ToolCallView toolView Notices PlaceMark SessionList TextsProvider Questions Notes Todos Usage useSessionDeletion`
        .split(/\s+/)
        .map((name) => `@vitrine/react/components ${name}`),
      '@vitrine/react/markdown Markdown',
    ],
  },
];
