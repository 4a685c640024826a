import { type AgentDefinition, type AgentInit, type InferenceRequest, Message } from '@vitrine/core';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing';
import { agentOf, type GalleryAgent } from './faulty-agent.ts';

/** The expectation that a line means, as JSON. */
type Meaning =
  { readonly says: string } | { readonly doesNotSay: string } | { readonly calls: { readonly tool: string } };

/** An agent whose record looks healthy, so that no finding names its fault. An experiment of the panel does. */
export type HiddenFault = Omit<GalleryAgent, 'create'> & {
  /** The line that a person writes in the tab Cause. */
  readonly line: string;
  /** The meaning of the line that the panel proposes first. */
  readonly means: Meaning;
  /** Another model that the person tries too. Default: the changes that the panel proposes are enough. */
  readonly triedModel?: string;
  /** The change that the experiment names, in the words of its sentence. */
  readonly change: string;
  /** The way to mend the agent. */
  readonly mend: string;
  /** Creates the agent; a mended one is as `mend` says, and else the same. */
  readonly create: (isMended?: boolean) => AgentDefinition;
};

/** The part of a request that the answers of these models depend on. */
export type Reading = {
  readonly request: InferenceRequest;
  /** Every text and result of the request, the prompt included. */
  readonly all: string;
  /** The last message of the person. */
  readonly asked: string;
  /** The last result since then, as JSON; null for none. */
  readonly result: string | null;
};

/** Creates an agent for journeys whose model decides by what a request holds. A string is its answer. */
export const readerOf = (
  answer: (reading: Reading) => ScriptedStep | string,
  init: Partial<AgentInit> = {},
): AgentDefinition => {
  const inference = scriptedInference([
    (request) => {
      const step = answer(read(request));
      return typeof step === 'string' ? { text: step } : step;
    },
  ]);
  return agentOf([], { ...init, inference });
};

function read(request: InferenceRequest): Reading {
  const { messages } = request;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages
    .slice(last + 1)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])));
  return {
    request,
    all: messages.map(({ parts }) => JSON.stringify(parts)).join('\n'),
    asked: messages[last] === undefined ? '' : Message.text(messages[last]),
    result: results.length === 0 ? null : JSON.stringify(results.at(-1)),
  };
}
