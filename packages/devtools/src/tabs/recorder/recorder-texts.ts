/** The texts of the page of `vitrine record` that the panel does not have. */
export const recorderTexts = {
  tab: 'Test',
  noAgent: 'This run was recorded from requests. The Test tab saves it as a test of the program.',
  title: 'The program as a test',
  about:
    'Saves everything that the program asked so far, of all sessions, without secrets. Keep the file beside the program. This line runs the program on it, without a model and without a key, and ends with 1 when a request differs:',
  save: 'Save as test',
  saved: 'Saved as run.tape.',
  running: 'Saved as run.tape. The program still runs: save again when it has ended.',
  tooLong: 'The recording is too long to be kept here. Record it with --save run.tape.',
  ended: 'vitrine record has ended or does not answer, so no model can be asked.',
  gone: 'vitrine record has ended and did not leave its recording. Record it with --save run.tape.',
};
