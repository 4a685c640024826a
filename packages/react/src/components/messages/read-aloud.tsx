'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { IconButton } from '../kit/icon-button.tsx';
import { takeUnlessLeft } from '../kit/take-unless-left.ts';
import { speechTexts } from '../later-texts.ts';
import { useTexts } from '../texts-provider.tsx';
import type { ConversationSettings } from './conversation-settings.tsx';

type ReadAloudProps = NonNullable<ConversationSettings['readAloud']> & { readonly text: string };

/** A button that reads an answer aloud, without the marks of Markdown, and stops. Nothing where the browser has no voice. */
export function ReadAloud({ text, voice, loadSpoken }: ReadAloudProps): ReactNode {
  const { readAloud } = { ...speechTexts, ...useTexts().speech };
  const [isSpeaking, setSpeaking] = useState(false);
  useEffect(() => {
    if (!isSpeaking) return undefined;
    let stop = (): void => undefined;
    const end = (): void => setSpeaking(false);
    const leave = takeUnlessLeft(
      loadSpoken(),
      ({ spokenText }) => (stop = (voice === true ? speakInBrowser : voice)(spokenText(text), end)),
      end,
    );
    return () => {
      leave();
      stop();
    };
  }, [isSpeaking, voice, loadSpoken, text]);
  if (voice === true && !('speechSynthesis' in window)) return null;
  return (
    <IconButton
      icon={isSpeaking ? 'stop' : 'speaker'}
      label={readAloud}
      isPressed={isSpeaking}
      onClick={() => setSpeaking((is) => !is)}
    />
  );
}

function speakInBrowser(text: string, onEnd: () => void): () => void {
  let isOver = false;
  const end = (): void => {
    // Another answer that is read ends this one: it may not stop that in turn.
    isOver = true;
    onEnd();
  };
  speechSynthesis.cancel();
  // One sentence at a time, because some voices break off after 15 s.
  const sentences = text.match(/[^.!?]+[.!?]*/g) ?? [text];
  for (const [at, sentence] of sentences.entries()) {
    const spoken = new SpeechSynthesisUtterance(sentence);
    spoken.lang = document.documentElement.lang;
    spoken.onerror = end;
    if (at === sentences.length - 1) spoken.onend = end;
    speechSynthesis.speak(spoken);
  }
  return () => {
    if (!isOver) speechSynthesis.cancel();
  };
}
