'use client';

import {
  chosenModel,
  choiceIn,
  type ModelChoice as Choice,
} from '@vitrine/core/internal/graph/agent-state/chosen-model';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { useAgentStatus } from '../field-hooks.ts';
import { useAgentSession, useAgentState } from '../hooks/use-agent-state.ts';
import { type ServedModel, useModels } from '../hooks/use-models.ts';
import { Button } from './kit/icon-button.tsx';
import { showMenu, useMenu } from './kit/use-menu.ts';
import { usePersonSentence } from './kit/use-person-sentence.ts';
import { VisibleText } from './kit/visible-text.tsx';
import { modelTexts } from './later-texts.ts';
import { useTexts } from './texts-provider.tsx';

const leastSearched = 8;

/** The choice of the nearest session, also while a server has not taken it yet, and a function that changes it. */
function useChoice() {
  const session = useAgentSession();
  const [asked, setAsked] = useState<{ readonly session: object; readonly choice: Choice } | null>(null);
  const { status } = useAgentStatus();
  const { agent } = session.settings();
  const isBusy = status === 'submitted' || status === 'streaming' || status === 'awaiting-input';
  const choice = useAgentState((state): Choice => {
    const waiting = chosenModel(state);
    const own = choiceIn(waiting === null ? (state.llmConfig ?? agent.llmConfig) : agent.llmConfig);
    if (waiting === null) return own;
    return waiting.model === null ? { ...own, reasoning: waiting.reasoning ?? own.reasoning } : waiting;
  });
  const choose = (next: Choice, isUsual: boolean): Promise<void> => {
    const mine = { session, choice: next };
    setAsked(mine);
    // A server that lets nobody choose lets everybody go back to the agent's own model.
    const given = isUsual ? { ...next, model: null } : next;
    return session.chooseModel(given).finally(() => setAsked((last) => (last === mine ? null : last)));
  };
  const shown = asked?.session === session ? asked.choice : choice;
  return { choice: shown, choose, usual: agent.llmConfig?.model ?? null, isBusy };
}

/**
 * The choice of the model that answers in the nearest session, and of its reasoning, among those of the proxy. It counts
 * from the next answer on and stays with the session. It shows nothing while there is nothing to choose. `<Chat models>`
 * shows it in the message box.
 */
export function ModelChoice(options: Parameters<typeof useModels>[0]): ReactNode {
  const { data: models = [], error, refetch } = useModels(options);
  const { choice, choose, usual, isBusy } = useChoice();
  const texts = { ...modelTexts, ...useTexts().models };
  const say = usePersonSentence();
  const [problem, setProblem] = useState<string | null>(null);
  const { isOpen, setOpen, props } = useMenu();
  const known = models.find(({ id }) => id === choice.model);
  const model = known ?? (choice.model === null ? models.find((one) => one.default) : undefined);
  const levels = model?.reasoning ?? [];
  // A chosen model that is served no more has to be left.
  const isList = models.length > 1 || (models.length === 1 && model === undefined);
  const change = (next: Choice, onDone?: () => void): void => {
    setProblem(null);
    choose(next, next.model === (usual ?? models.find((one) => one.default)?.id)).then(
      onDone,
      (thrown: Parameters<NonNullable<typeof say>>[0]) => setProblem(say?.(thrown) ?? thrown.message),
    );
  };
  const take = ({ id, reasoning: own }: ServedModel): void => {
    const close = (): void => (own.length === 0 ? setOpen(false) : undefined);
    // A choice that is refused is said in the menu.
    change({ model: id, reasoning: own.find((level) => level === choice.reasoning) ?? null }, close);
  };
  if (error !== null && models.length === 0)
    return (
      <Button className="vitrine-quiet" title={error.message} onClick={() => void refetch()}>
        {texts.failed}
      </Button>
    );
  if (!isList && levels.length === 0) return null;
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
          {isList && <ModelList models={models} current={model} texts={texts} onTake={take} />}
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
