import {
  type AgentDefinition,
  type AgentSession,
  defineTool,
  type InferenceClient,
  type InferenceRequest,
  type JsonValue,
  Message,
  type Tool,
} from '@vitrine/core';
import type { Expectation } from '@vitrine/inspect';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing';
import type * as z from 'zod';

/** Counts what the tools of one agent did: names of tools that ran, with and without effects. */
export type World = { readonly ran: string[]; readonly effects: string[] };

/** A small agent with one fault. */
export type Fault = {
  readonly name: string;
  /** The developer's line about the answer. */
  readonly wish: Expectation;
  /** The fault in one sentence. */
  readonly cause: string;
  /** Creates the agent; `mended` is the same agent without the cause, as a proof that the cause breaks the wish. */
  readonly agent: (world: World, mended: boolean) => AgentDefinition;
  readonly messages: readonly string[];
  /** The part that a finding or a change has to name, so that the developer is sent to the cause. */
  readonly part: RegExp;
};

/** A small agent that works, and does something remarkable. */
export type Healthy = {
  readonly name: string;
  readonly agent: (world: World) => AgentDefinition;
  readonly messages: readonly string[];
  /** Speaks with the agent in its own way; by default the messages are sent one after the other. */
  readonly drive?: (session: AgentSession) => Promise<unknown>;
  /** A text of the last answer, as a proof that the run is right. */
  readonly says: string;
  /** Codes of hints that its author meant by writing this hook or compiler. */
  readonly meant?: readonly string[];
};

/** One request as a model reads it. */
export type Reading = {
  readonly request: InferenceRequest;
  /** The instructions in front of the conversation. */
  readonly prompt: string;
  /** Every text, argument and result of the request. */
  readonly all: string;
  /** The last message of the person. */
  readonly asked: string;
  /** The results since the last message of the person. */
  readonly results: readonly Result[];
  /** The description of an offered tool; empty when it is not offered. */
  readonly toolSays: (name: string) => string;
};

export type Result = {
  readonly tool: string;
  readonly text: string;
  readonly output: JsonValue;
  readonly failed: boolean;
};

/** A model that decides by what a request really holds. A string is its answer. */
export function modelThatReads(answer: (reading: Reading) => ScriptedStep | string): InferenceClient {
  return scriptedInference([
    (request) => {
      const reading = read(request);
      const step = answer(reading);
      // A token for every four characters, as providers count about.
      const usage = { inputTokens: 20 + Math.ceil(reading.all.length / 4), outputTokens: 15 };
      return { usage, ...(typeof step === 'string' ? { text: step } : step) };
    },
  ]);
}

/** A step that calls one tool. */
export function call(name: string, input: JsonValue): ScriptedStep {
  return { toolCalls: [{ name, input }] };
}

/** A tool whose runs are counted; `idempotent` says that it only reads. */
export function tool<In extends z.ZodType>(
  world: World,
  name: string,
  description: string,
  input: In,
  execute: (input: z.output<In>) => unknown,
  more: { idempotent?: boolean; maxResultBytes?: number; output?: z.ZodType; needsApproval?: boolean } = {},
): Tool {
  const { idempotent = false, ...rest } = more;
  return defineTool({
    name,
    description,
    input,
    effects: idempotent ? 'idempotent' : 'once',
    execute: (given) => {
      (idempotent ? world.ran : world.effects).push(name);
      return execute(given as z.output<In>);
    },
    ...rest,
  });
}

function read(request: InferenceRequest): Reading {
  const { messages, tools } = request;
  const lastAsked = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(lastAsked + 1).flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === 'tool-result'
        ? [
            {
              tool: part.toolName,
              output: part.output,
              text: JSON.stringify(part.output),
              failed: part.outcome !== 'completed',
            },
          ]
        : [],
    ),
  );
  const [first] = messages;
  return {
    request,
    results,
    prompt: first?.role === 'system' ? Message.text(first) : '',
    asked: messages[lastAsked] ? Message.text(messages[lastAsked]) : '',
    all: messages.map(({ parts }) => parts.map((part) => JSON.stringify(part)).join('\n')).join('\n'),
    toolSays: (name) => tools.find((offered) => offered.name === name)?.description ?? '',
  };
}
