'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
import { dictationTexts } from '../later-texts.ts';
import { useTexts } from '../texts-provider.tsx';

/** The part of the `SpeechRecognition` of browsers that is used. TypeScript has no type of it. */
type Recognition = {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: (event: { readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }>> }) => void;
  onerror: (event: { readonly error: string }) => void;
  onend: () => void;
  readonly start: () => void;
  readonly stop: () => void;
  readonly abort: () => void;
};
type Recognisers = {
  readonly [Name in 'SpeechRecognition' | 'webkitSpeechRecognition']?: new () => Recognition;
};

type DictationProps = { readonly text: string; readonly onText: (text: string) => void };

/**
 * A button that writes what a person says behind the text of the message box, and never sends it. A second press stops, as
 * does typing or sending. It needs a browser that recognises speech.
 */
export function Dictation({ text, onText }: DictationProps): ReactNode {
  const texts = { ...dictationTexts, ...useTexts().dictation };
  const [isListening, setListening] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const running = useRef<Recognition | null>(null);
  /** The text of the field as it was dictated. */
  const written = useRef(text);
  const write = useRef(onText);
  useEffect(() => {
    write.current = onText;
    if (text !== written.current) running.current?.abort();
  });
  useEffect(() => () => running.current?.abort(), []);
  const { SpeechRecognition, webkitSpeechRecognition = SpeechRecognition } = globalThis as Recognisers;
  if (webkitSpeechRecognition === undefined) return null;
  const start = (recognition: Recognition): void => {
    const before = text.trim() === '' ? '' : `${text.trimEnd()} `;
    written.current = text;
    recognition.lang = document.documentElement.lang;
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.onresult = ({ results }) => {
      const said = Array.from(results, (heard) => heard[0]?.transcript ?? '').join('');
      written.current = before + said.trimStart();
      write.current(written.current);
    };
    recognition.onerror = ({ error }) => {
      const sentences: Readonly<Record<string, string>> = texts;
      // The person has ended it.
      if (error !== 'aborted') setProblem(sentences[error] ?? texts.failed);
    };
    recognition.onend = () => {
      running.current = null;
      setListening(false);
    };
    running.current = recognition;
    setListening(true);
    setProblem(null);
    recognition.start();
  };
  return (
    <>
      <button
        type="button"
        className="vitrine-icon-button"
        aria-label={texts.dictate}
        aria-pressed={isListening}
        title={texts.dictate}
        onClick={() => (isListening ? running.current?.stop() : start(new webkitSpeechRecognition()))}
      >
        <svg className="vitrine-icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M12 4a2.5 2.5 0 00-2.5 2.5v5a2.5 2.5 0 005 0v-5A2.5 2.5 0 0012 4zM6 11.5a6 6 0 0012 0M12 17.5V21" />
        </svg>
      </button>
      <span className="vitrine-dictation" role="status">
        {isListening ? texts.listening : problem}
      </span>
    </>
  );
}
