/** The English texts of the bridges: reasons why an event is skipped, and ends that a stream does not name itself. */
export const bridgeTexts = {
  skippedFirst: (name: string, what: string): string =>
    `Vitrine does not show a part of "${name}": ${what}. The chat is not affected. The panel counts what else it skips.`,
  ofBridge: 'an error of the bridge',
  unreadable: '[not readable as JSON]',
  untyped: 'an event without a type',
  afterEnd: (type: string): string => `${type} after the end`,
  resetOutside: 'a reset outside of a step',
  repeatedCall: 'a call whose id repeats one of an earlier step',
  lateArguments: 'arguments of an unknown or finished call',
  endOfUnknown: 'the end of an unknown call',
  outsideStep: 'a call outside of its step',
  unasked: 'an answer to a call that does not wait',
  withoutCall: (what: 'progress' | 'result' | 'end' | 'approval' | 'output'): string =>
    `${what} without its call`,
  endWithoutRun: 'an end without a run',
  doubleBegin: 'a run that begins before the last one has ended',
  withoutEnd: 'a stream without its end',
  toolFailed: 'The tool failed.',
  streamFailed: 'The stream failed.',
  endedSilently: 'The stream ended without telling so.',
  stopped: 'It was stopped from this page.',
  left: 'The page left the stream.',
  movedOn: 'The conversation went on without an answer to its calls.',
};
