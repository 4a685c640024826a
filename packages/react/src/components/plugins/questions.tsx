'use client';

import type { ToolExecution } from '@vitrine/core';
import { type FormEvent, type ReactNode, useRef } from 'react';
import { usePendingApprovals } from '../../field-hooks.ts';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { Button } from '../kit/icon-button.tsx';
import { useAskedFocus } from '../kit/keyboard.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';

type Question = {
  readonly question: string;
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
};
/** The calls of `askUser` of `@vitrine/plugins/ask-user` that wait for a person, those of subagents included. */
export function Questions(): ReactNode {
  return usePendingApprovals().map((pending) => {
    const questions = pending.status === 'awaiting-output' ? questionsOf(pending) : null;
    return questions && <QuestionForm key={pending.id} pending={pending} questions={questions} />;
  });
}

/** The questions of a call; null for one of another tool, which the application answers. */
function questionsOf({ toolCall }: ToolExecution): readonly Question[] | null {
  if (toolCall.name !== 'ask_user') return null;
  const { questions } = toolCall.input as { readonly questions?: readonly Partial<Question>[] };
  if (!Array.isArray(questions)) return null;
  const isShowable = questions.every(
    ({ question, options }) => typeof question === 'string' && Array.isArray(options),
  );
  return isShowable ? (questions as readonly Question[]) : null;
}

type FormProps = { readonly pending: ToolExecution; readonly questions: readonly Question[] };

function QuestionForm({ pending, questions }: FormProps): ReactNode {
  const { respond } = useAgentSession();
  const texts = useTexts().questions;
  const card = useRef<HTMLFormElement>(null);
  useAskedFocus(card);
  const give = (data: FormData): void =>
    void respond(pending.id, {
      answers: questions.map(({ question }, at) => ({
        question,
        selected: data.getAll(`selected ${at}`) as string[],
        other: (data.get(`other ${at}`) ?? '') as string,
      })),
    });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    give(new FormData(event.currentTarget));
  };
  return (
    <form
      ref={card}
      className="vitrine-approval vitrine-questions"
      tabIndex={-1}
      aria-label={texts.label}
      data-vitrine-call={pending.toolCall.id}
      onSubmit={submit}
    >
      <span className="vitrine-unseen" role="alert">
        {texts.announcement(questions.length)}
      </span>
      {questions.map((question, at) => (
        <QuestionField key={`${at} ${question.question}`} question={question} at={at} />
      ))}
      <div className="vitrine-buttons">
        <Button type="submit" className="vitrine-primary">
          {texts.answer}
        </Button>
        <Button onClick={() => give(new FormData())}>{texts.skip}</Button>
      </div>
    </form>
  );
}

function QuestionField({ question, at }: { readonly question: Question; readonly at: number }): ReactNode {
  const texts = useTexts().questions;
  return (
    <fieldset>
      <legend dir="auto">
        <small>
          <VisibleText text={question.header ?? ''} />
        </small>
        <VisibleText text={question.question} />
      </legend>
      {question.options.map(({ label, description = '' }) => (
        <label key={label} dir="auto">
          <input
            type={question.multiSelect === true ? 'checkbox' : 'radio'}
            name={`selected ${at}`}
            value={label}
          />
          <span>
            <VisibleText text={label} />
            <small>
              <VisibleText text={description} />
            </small>
          </span>
        </label>
      ))}
      <input
        name={`other ${at}`}
        aria-label={texts.otherFor(question.question)}
        placeholder={texts.other}
        maxLength={4000}
      />
    </fieldset>
  );
}
