// The English texts of parts that load when a chat uses them. They load with the parts.
import type { ModelPrice } from '@vitrine/core';
import type { UsageTexts } from './usage-texts.ts';

const dollars = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

export const noteTexts = {
  title: (count: number): string => `Notes: ${count}`,
  newNote: 'New note',
  add: 'Add',
  remove: (note: string): string => `Delete “${note}”`,
  failed: (reason: string): string => `Your notes could not be read or changed: ${reason}`,
};

export const compactionTexts = { title: 'The model reads a summary of the messages above' };

/** The choice of a model. */
export const modelTexts = {
  /** The name of the button, with the model that is chosen and its level of reasoning. */
  label: (model: string, level: string | null): string =>
    `Model: ${model}${level === null ? '' : `, ${level.toLowerCase()}`}`,
  models: 'Models',
  search: 'Search models',
  nothingFound: 'No model has this name.',
  /** Prices of a million tokens. */
  price: ({ input, output }: ModelPrice): string =>
    `$${dollars.format(input)} in, $${dollars.format(output)} out`,
  /** The heading of the levels of reasoning, and the button for that of the agent. */
  reasoning: 'Thinking',
  usual: 'Usual',
  /** A level of reasoning, such as `off`, `low`, `medium` or `high`. */
  level: (level: string): string =>
    ({ off: 'No thinking', low: 'Think a little', medium: 'Think', high: 'Think hard' })[level] ?? level,
  next: 'Your choice counts from the next answer on.',
  failed: 'The models could not be loaded. Try again',
};

export const feedbackTexts = {
  up: 'Good answer',
  down: 'Bad answer',
  reason: (rating: 'up' | 'down'): string => (rating === 'up' ? 'What was good?' : 'What was wrong?'),
  thanks: 'Thank you.',
};

export const speechTexts = { readAloud: 'Read aloud' };

export const dictationTexts = {
  dictate: 'Dictate',
  listening: 'Listening. What you say is written, not sent.',
  /** Errors by the names that browsers give them; `failed` is for the others. */
  'not-allowed': 'The microphone is not allowed here. Allow it in the settings of your browser.',
  'audio-capture': 'No microphone was found.',
  'no-speech': 'Nothing was heard. Try again.',
  failed: 'Speech is not recognised at the moment. Try again.',
};

/** The menu that saves the open conversation. */
export const downloadTexts = {
  label: 'Save the conversation',
  md: 'As text (Markdown)',
  json: 'As data (JSON)',
};

/** The menus of the message box. */
export const menuTexts = {
  /** `sign` opened the menu. */
  label: (sign: string): string => `Entries of ${sign}`,
  searching: 'Searching…',
  failed: 'The entries could not be loaded.',
  found: (count: number): string =>
    count === 0 ? 'Nothing was found.' : count === 1 ? '1 entry' : `${count} entries`,
};

/** The groups of texts that load with their parts. */
export type LaterTexts = {
  readonly usage: UsageTexts;
  readonly notes: Readonly<typeof noteTexts>;
  readonly compaction: Readonly<typeof compactionTexts>;
  readonly models: Readonly<typeof modelTexts>;
  readonly feedback: Readonly<typeof feedbackTexts>;
  readonly download: Readonly<typeof downloadTexts>;
  readonly speech: Readonly<typeof speechTexts>;
  readonly dictation: Readonly<typeof dictationTexts>;
  readonly menus: Readonly<typeof menuTexts>;
};
