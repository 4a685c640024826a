import type { ErrorFaces } from './error-faces.ts';

/** What goes wrong with conversations and where they are kept. */
export const sessionErrors = {
  'attachment-too-large': {
    person: 'This file is too large to be kept with the conversation.',
    fix: 'Keep sessions in a store with room for files: indexedDBSessions() or browserSessions(); or send a smaller one.',
    operator: 'Nothing to do.',
  },
  'message-empty': {
    person: 'Write something first.',
    fix: 'Send text, a file or data; give buttons inside a form type="button".',
    operator: 'Nothing to do.',
  },
  'message-not-found': {
    person: 'This message is not in the conversation any more.',
    fix: 'Take the id from `messages`; a message of another branch is reached with switchBranch() first.',
    operator: 'Nothing to do.',
  },
  'remote-invalid': {
    person: 'The other page cannot be shown here.',
    fix: 'Look at what the message says: an exact origin, and the same version of the library on both pages.',
    operator: 'Serve the page and its devtools from the same version of the library.',
  },
  'session-busy': {
    person: 'The assistant is still working. Wait for it, or stop it first.',
    fix: 'Stop the run or wait for it; or choose another onBusy.',
    operator: 'Nothing to do.',
  },
  'session-conflict': {
    person: 'This conversation was changed in another window.',
    fix: 'Load the stored session, and do the change again.',
    operator: 'Nothing to do, unless one person’s windows use different stores.',
  },
  'session-deleted': {
    person: 'This conversation was deleted.',
    fix: 'Start a new session; what was deleted does not come back by sending.',
    operator: 'Nothing to do.',
  },
  'session-disposed': {
    person: 'This conversation was closed. Open it again.',
    fix: 'Make a new session of the same id; one that was disposed takes no commands.',
    operator: 'Nothing to do.',
  },
  'session-exists': {
    person: 'There is such a conversation already.',
    fix: 'Give the new session another id.',
    operator: 'Nothing to do.',
  },
  'session-idle': {
    person: 'There is nothing to go on with. Write a message.',
    fix: 'Call resume() for an interrupted run and retry() after a message, or look at session.status first.',
    operator: 'Nothing to do.',
  },
  'session-not-found': {
    person: 'This conversation does not exist any more.',
    fix: 'Look the id up in the list of sessions, or wrap the component in the provider that the message names.',
    operator: 'See that all servers read the same store.',
  },
  'session-storage': {
    person: 'This conversation could not be saved.',
    fix: 'Make room in the store, or choose another one; the session goes on and tries again.',
    operator: 'Look at the space and the permissions of the store.',
  },
  'state-invalid': {
    person: 'This conversation was saved in a form that cannot be read.',
    fix: 'Look at the path in the message; the stored text was not changed.',
    operator: 'Something other than this library has written to the store, or a write was cut short.',
  },
  'state-version-unsupported': {
    person: 'This conversation was saved by a newer version. Reload the page.',
    fix: 'Update the library; the stored text was not changed.',
    operator: 'An older version of the application is still being served; deploy the newest one everywhere.',
  },
  'trace-invalid': {
    person: 'This file is no trace that can be opened.',
    fix: 'Look at what the message says of the file; export it again where it came from.',
    operator: 'Nothing to do: the file was refused before anything of it was used.',
  },
} as const satisfies Record<string, ErrorFaces>;
