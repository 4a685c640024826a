export { Activity, type ActivityProps } from './activity.tsx';
export { Approval, type ApprovalProps, Approvals, RememberedDecisions } from './approvals/approvals.tsx';
export { Chat, type ChatProps } from './chat/chat.tsx';
export { Composer, type ComposerProps } from './composer/composer.tsx';
export { ConversationView, type ConversationViewProps } from './conversation-view.tsx';
export { type SomeTexts, type Texts, texts } from './texts.ts';
export { TextsProvider, type TextsProviderProps } from './texts-provider.tsx';
export { type VisiblePart, visibleParts, visibleText } from './kit/hidden-characters.ts';
export { SafeLink, type SafeLinkProps, VisibleText } from './kit/visible-text.tsx';
export { CodeBlock, type CodeBlockProps } from './messages/code-block.tsx';
export { MessageView, type MessageViewProps } from './messages/message-view.tsx';
export { Reasoning, type ReasoningProps } from './messages/disclosure.tsx';
export {
  Subagent,
  type SubagentProps,
  ToolCallView,
  type ToolCallViewProps,
} from './messages/tool-call-view.tsx';
export { type ToolView, toolView, type ToolViewProps } from './messages/tool-view.ts';
export { PlaceMark } from './place-mark.tsx';
export { Notices, type NoticesProps } from './notices.tsx';
export { SessionList, type SessionListProps } from './sessions/session-list.tsx';
export {
  type SessionDeletion,
  type SessionDeletionOptions,
  useSessionDeletion,
} from './sessions/use-session-deletion.tsx';
