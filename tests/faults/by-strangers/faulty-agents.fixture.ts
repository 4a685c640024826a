import { faultsOfHooks } from './faults-of-hooks.fixture.ts';
import { faultsOfPrompts } from './faults-of-prompts.fixture.ts';
import { faultsOfTools } from './faults-of-tools.fixture.ts';
import type { Fault } from './reading-model.fixture.ts';

/** Thirty small agents with one fault each, by an author who had not read the detectors. */
export const faultyAgents: readonly Fault[] = [...faultsOfTools, ...faultsOfHooks, ...faultsOfPrompts];
