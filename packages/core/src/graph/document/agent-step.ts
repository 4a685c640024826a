// The namespace `AgentStep`: functions over the type, and its codec.
export * from '../agent-step.ts';
import type { AgentStep } from '../types.ts';
import { readerOf, writerOf } from './document.ts';
import { stepShape } from './step-shape.ts';

/** Writes a step as a document; see `AgentState.toJSON`. @throws AgentError `state-invalid` for what JSON cannot hold */
export const toJSON = /* @__PURE__ */ writerOf<AgentStep>('agent-step', stepShape);

/** Reads a document of `toJSON`; see `AgentState.fromJSON`. @throws AgentError `state-invalid`, `state-version-unsupported` */
export const fromJSON = /* @__PURE__ */ readerOf<AgentStep>('agent-step', stepShape);
