'use client';

import type { ChatMessage } from '@vitrine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { Button, IconButton } from '../kit/icon-button.tsx';
import { usePersonSentence } from '../kit/use-person-sentence.ts';
import { feedbackTexts } from '../later-texts.ts';
import { useTexts } from '../texts-provider.tsx';

/**
 * Two thumbs for an answer, and a field for a reason once one is pressed. A press on the same thumb takes it back. They are
 * `feedback` and `feedback_text` in the metadata of the message, which no model is sent, so they go wherever it goes.
 */
export function Feedback({ message }: { readonly message: ChatMessage }): ReactNode {
  const session = useAgentSession();
  const { common, feedback } = useTexts();
  const texts = { ...feedbackTexts, ...feedback };
  const say = usePersonSentence();
  const [isAsked, setAsked] = useState(false);
  const [outcome, setOutcome] = useState<string | null>(null);
  const given = message.metadata['feedback'];
  const write = (rating: 'up' | 'down' | null, text = ''): void => {
    setOutcome(text === '' ? null : texts.thanks);
    setAsked(rating !== null && text === '');
    session.rate(message.id, { rating, text }).catch((thrown: Parameters<NonNullable<typeof say>>[0]) => {
      setAsked(false);
      setOutcome(say?.(thrown) ?? thrown.message);
    });
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('reason')).trim();
    if (text === '') setAsked(false);
    else write(given as 'up' | 'down', text);
  };
  return (
    <>
      {(['up', 'down'] as const).map((rating) => (
        <IconButton
          key={rating}
          icon={rating === 'up' ? 'thumbUp' : 'thumbDown'}
          label={texts[rating]}
          isPressed={given === rating}
          onClick={() => write(given === rating ? null : rating)}
        />
      ))}
      {isAsked && (given === 'up' || given === 'down') && (
        <form className="vitrine-feedback" onSubmit={submit}>
          <input
            name="reason"
            dir="auto"
            aria-label={texts.reason(given)}
            placeholder={texts.reason(given)}
            maxLength={2000}
          />
          <Button type="submit">{common.send}</Button>
          <IconButton icon="close" label={common.dismiss} onClick={() => setAsked(false)} />
        </form>
      )}
      <span className="vitrine-outcome" role="status">
        {outcome}
      </span>
    </>
  );
}
