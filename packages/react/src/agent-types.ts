import type { AgentDefinition, JsonValue, sessionSelectors as Conversation, Tool } from '@vitrine/core';

// The one place where the type of an agent becomes the types of what its session shows.

/** A message as `useAgent` shows it. */
export type MessageOf<_Agent extends AgentDefinition = AgentDefinition> = ReturnType<
  typeof Conversation.messages
>[number];

/** What a tool takes, as its schema makes it. */
export type InputOf<T extends Tool> = T extends Tool<infer Input, unknown> ? Input : JsonValue;

/** What a tool gives. */
export type OutputOf<T extends Tool> =
  T extends Tool<infer _Input, infer Output> ? Awaited<Output> : JsonValue;
