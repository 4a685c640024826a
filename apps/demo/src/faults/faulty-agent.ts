import { type AgentDefinition, type AgentInit, defineAgent, defineTool, type JsonValue } from '@vitrine/core';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing';
import type { PluginStates } from '@vitrine/core/types';
import * as z from 'zod';

/** An agent of the gallery. It has one fault, and its model follows a script, so each run of it is the same. */
export type GalleryAgent = {
  /** Its name in addresses. */
  readonly id: string;
  /** The complaint of a person who sees only the chat. */
  readonly title: string;
  /** The fault that has to be found. */
  readonly cause: string;
  readonly question: string;
  /** Questions that the agent answers before this one. Default: none. */
  readonly askedBefore?: readonly string[];
  /** Messages that stand before the question. */
  readonly earlier?: readonly string[];
  /** State of plugins that an earlier version stored. */
  readonly plugins?: PluginStates;
  readonly create: () => AgentDefinition;
};

/** An agent whose fault a finding names. */
export type FaultyAgent = GalleryAgent & {
  /** The code of the finding that names the cause. */
  readonly code: string;
  /** The place that the finding leads to: a tool, keys of the state, or null for the step of the model. */
  readonly place: { readonly tool: string } | { readonly statePath: readonly string[] } | null;
};

/** Creates an agent for journeys whose model follows a script. */
export const agentOf = (script: readonly ScriptedStep[], init: Partial<AgentInit> = {}): AgentDefinition =>
  defineAgent({
    systemPrompt: 'Help people to plan their journeys. Answer in one or two sentences.',
    inference: scriptedInference(script),
    retry: { baseDelayMs: 20, maxDelayMs: 40 },
    ...init,
  });
/** A step in which the model makes one call. */
export const call = (name: string, input: JsonValue): ScriptedStep => ({ toolCalls: [{ name, input }] });

/** A tool that always finds two trains. */
export const trains = defineTool({
  name: 'find_trains',
  description: 'Lists the trains between two cities.',
  input: z.object({ from: z.string(), to: z.string() }),
  effects: 'idempotent',
  execute: ({ from, to }) => [
    { train: 'IC 1', from, to, leaves: '07:05', price: 59 },
    { train: 'IC 3', from, to, leaves: '09:05', price: 29 },
  ],
});
/** Arguments of `find_trains`. */
export const toRome = { from: 'Milan', to: 'Rome' };
