// The namespace `Conversation`: the view of a state for a chat.
export * from '../session/conversation/conversation.ts';
export { output } from '../session/conversation/conversation-output.ts';
