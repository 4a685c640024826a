import { isPlainObject } from '../../kit/json.ts';
import { textOrNull } from '../../kit/text.ts';
import type { LlmConfig } from '../llm-config.ts';
import type { AgentState } from '../types.ts';
import { withLlmConfig, withMetadata } from './transitions.ts';

/**
 * A model that a person chose, and its reasoning effort. A null model is that of the agent, with the effort of the agent
 * where none is chosen; a null effort of another model is the usual one of that model.
 */
export type ModelChoice = { readonly model: string | null; readonly reasoning: string | null };

/** The key of the metadata in which a choice waits for the next run. */
const key = 'next_model';

/** The choice that waits for the next run; null for none. */
export function chosenModel({ context }: AgentState): ModelChoice | null {
  const given = context.metadata[key];
  if (!isPlainObject(given)) return null;
  return { model: textOrNull(given['model']), reasoning: textOrNull(given['reasoning']) };
}

export function withChosenModel(state: AgentState, { model, reasoning }: ModelChoice): AgentState {
  return withMetadata(state, { [key]: { model, reasoning } });
}

export function withoutChosenModel(state: AgentState): AgentState {
  const { [key]: choice, ...metadata } = state.context.metadata;
  return choice === undefined ? state : { ...state, context: { ...state.context, metadata } };
}

/** The state of another branch, whose next run takes the model of the one that is left. */
export function withModelOf(left: AgentState, there: AgentState): AgentState {
  const choice = chosenModel(left) ?? (left.llmConfig && choiceIn(left.llmConfig));
  return choice === null ? there : withChosenModel(there, choice);
}

/** The model and the effort of a configuration. */
export function choiceIn(config: LlmConfig | null): ModelChoice {
  return { model: config?.model ?? null, reasoning: textOrNull(config?.settings['reasoning']) };
}

/** Makes the choice that waits the configuration of the session, which its branches and copies share. */
export function withChoiceTaken(state: AgentState, usual: LlmConfig | null): AgentState {
  const choice = chosenModel(state);
  if (choice === null) return state;
  const { model, reasoning } = choice;
  const config = state.llmConfig ?? usual;
  const { reasoning: _before, ...settings } = config?.settings ?? {};
  const effort = reasoning ?? (model === null ? usual?.settings['reasoning'] : undefined);
  return withLlmConfig(withoutChosenModel(state), {
    ...config,
    model: model ?? usual?.model ?? null,
    settings: effort === undefined ? settings : { ...settings, reasoning: effort },
  });
}
