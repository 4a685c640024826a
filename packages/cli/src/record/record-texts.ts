/** The texts that a recording puts into journals. */
export const recordTexts = {
  closed: 'The program closed the connection before the answer had ended.',
  brokeOff: 'The answer broke off.',
  movedOn: 'The program went on without results of its calls.',
  callEnded: 'The call that it ran in has ended.',
  programEnded: (how: string): string =>
    `The program ended (${how}). Results of its last calls are not known: it did not send them.`,
  recordingEnded: 'The recording ended.',
  /** The sign marks what was guessed. */
  guessed: (name: string): string => `≈ ${name}`,
  guess: 'Guessed: its task is in the arguments of this call.',
  confirmed: 'The result of the call is its answer.',
  unreadable: 'The answer could not be read.',
};
