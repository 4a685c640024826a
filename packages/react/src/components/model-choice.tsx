'use client';

import { type AgentDefinition, AgentState } from '@vitrine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { useAgentStatus } from '../field-hooks.ts';
import { useAgentSession, useAgentState } from '../hooks/use-agent-state.ts';
import { type ServedModel, useModels } from '../hooks/use-models.ts';
import { Button } from './kit/icon-button.tsx';
import { showMenu, useMenu } from './kit/use-menu.ts';
import { usePersonSentence } from './kit/use-person-sentence.ts';
import { VisibleText } from './kit/visible-text.tsx';
import { modelTexts } from './later-texts.ts';
import { useIsOnServer } from './place-mark.tsx';
import { useTexts } from './texts-provider.tsx';

/** The key of the metadata in which a choice waits for the end of the run. */
const waiting = 'next_model';
const leastSearched = 8;

type Choice = { readonly model: string | null; readonly reasoning: string | null };

const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function waitingIn({ context }: AgentState): Choice | null {
  const given = context.metadata[waiting] as Partial<Choice> | undefined;
  return given ? { model: toText(given.model), reasoning: toText(given.reasoning) } : null;
}

/** Makes a choice the configuration of the session, which its branches, copies and other tabs share. */
function withChoice(state: AgentState, agent: AgentDefinition, { model, reasoning }: Choice): AgentState {
  const { [waiting]: waited, ...metadata } = state.context.metadata;
  const config = state.llmConfig ?? agent.llmConfig;
  const { reasoning: _before, ...others } = config?.settings ?? {};
  const settings = reasoning === null ? others : { ...others, reasoning };
  const context = waited === undefined ? state.context : { ...state.context, metadata };
  return AgentState.withLlmConfig({ ...state, context }, { ...config, model, settings });
}

/** The choice of the nearest session, and a function that changes it: at once, or when the run has ended. */
function useChoice() {
  const session = useAgentSession();
  const { status } = useAgentStatus();
  const { agent } = session.settings();
  const isBusy = status === 'submitted' || status === 'streaming' || status === 'awaiting-input';
  const isWaiting = useAgentState((state) => waitingIn(state) !== null);
  const choice = useAgentState((state): Choice => {
    const { model = null, settings = {} } = state.llmConfig ?? agent.llmConfig ?? {};
    return waitingIn(state) ?? { model, reasoning: toText(settings['reasoning']) };
  });
  useEffect(() => {
    if (!isWaiting) return undefined;
    const settle = (): void =>
      void session
        .update((state) => {
          const next = waitingIn(state);
          return next === null ? state : withChoice(state, session.settings().agent, next);
        })
        // A session that is closed meanwhile keeps the choice, and takes it when it is opened again.
        .catch(() => undefined);
    if (!isBusy) settle();
    // Before the next message of the queue begins.
    return session.onEvent(({ type, path }) => {
      if (type === 'execution-end' && path.length === 0) settle();
    });
  }, [session, isWaiting, isBusy]);
  const choose = (next: Choice): Promise<void> =>
    session.update((state) =>
      isBusy ? AgentState.withMetadata(state, { [waiting]: next }) : withChoice(state, agent, next),
    );
  return { choice, choose, isBusy };
}

/**
 * The choice of the model that answers in the nearest session, and of its reasoning, among those of the proxy. It counts
 * from the next answer on and stays with the session. It shows nothing while there is nothing to choose. `<Chat models>`
 * shows it in the message box.
 */
export function ModelChoice(options: Parameters<typeof useModels>[0]): ReactNode {
  return useIsOnServer() ? null : <ModelMenu {...options} />;
}

function ModelMenu(options: Parameters<typeof useModels>[0]): ReactNode {
  const { data: models = [], error, refetch } = useModels(options);
  const { choice, choose, isBusy } = useChoice();
  const texts = { ...modelTexts, ...useTexts().models };
  const say = usePersonSentence();
  const [problem, setProblem] = useState<string | null>(null);
  const { isOpen, setOpen, props } = useMenu();
  const known = models.find(({ id }) => id === choice.model);
  const model = known ?? (choice.model === null ? models.find((one) => one.default) : undefined);
  const levels = model?.reasoning ?? [];
  const change = (next: Choice): void => {
    setProblem(null);
    choose(next).catch((thrown: Parameters<NonNullable<typeof say>>[0]) =>
      setProblem(say?.(thrown) ?? thrown.message),
    );
  };
  const take = ({ id, reasoning: own }: ServedModel): void => {
    change({ model: id, reasoning: own.find((level) => level === choice.reasoning) ?? null });
    if (own.length === 0) setOpen(false);
  };
  if (error !== null && models.length === 0)
    return (
      <Button className="vitrine-quiet" title={error.message} onClick={() => void refetch()}>
        {texts.failed}
      </Button>
    );
  if (models.length < 2 && levels.length === 0) return null;
  const name = model?.name ?? choice.model ?? '';
  const level = choice.reasoning === null ? null : texts.level(choice.reasoning);
  return (
    <details {...props}>
      <summary aria-label={texts.label(name, level)}>
        <VisibleText text={level === null ? name : `${name} · ${level}`} />
      </summary>
      {isOpen && (
        <div className="vitrine-menu-items" ref={showMenu}>
          {problem !== null && <p role="alert">{problem}</p>}
          {isBusy && <p>{texts.next}</p>}
          {models.length > 1 && <ModelList models={models} current={model} texts={texts} onTake={take} />}
          {levels.length > 0 && (
            <div role="group" aria-label={texts.reasoning} className="vitrine-levels">
              {[null, ...levels].map((one) => (
                <button
                  type="button"
                  key={one}
                  aria-pressed={one === choice.reasoning}
                  onClick={() => change({ model: choice.model, reasoning: one })}
                >
                  {one === null ? texts.usual : texts.level(one)}
                </button>
              ))}
            </div>
          )}
        </div>
      )}
    </details>
  );
}

type ListProps = {
  readonly models: readonly ServedModel[];
  readonly current: ServedModel | undefined;
  readonly texts: typeof modelTexts;
  readonly onTake: (model: ServedModel) => void;
};

function ModelList({ models, current, texts, onTake }: ListProps): ReactNode {
  const [query, setQuery] = useState('');
  const words = query.toLowerCase().split(/\s+/);
  const found = models.filter((model) => {
    const all = `${model.name} ${model.id} ${model.provider}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    // The form around it would send the message.
    event.preventDefault();
    if (found[0] !== undefined) onTake(found[0]);
  };
  return (
    <>
      {models.length >= leastSearched && (
        <input
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          onChange={({ target }) => setQuery(target.value)}
          onKeyDown={onKeyDown}
        />
      )}
      {found.length === 0 && <p role="status">{texts.nothingFound}</p>}
      <div role="group" aria-label={texts.models}>
        {found.map((model) => (
          <button type="button" key={model.id} aria-pressed={model === current} onClick={() => onTake(model)}>
            <VisibleText text={model.name} />{' '}
            <small>
              {model.price === null ? model.provider : `${model.provider} · ${texts.price(model.price)}`}
            </small>
          </button>
        ))}
      </div>
    </>
  );
}
