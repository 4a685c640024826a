import type { ErrorTexts } from './error-texts.ts';

/** Errors of sessions and their stores. */
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
    fix: 'Read the message: an exact origin and the same version of the library on both pages are required.',
    operator: 'Serve the page and its devtools from the same version of the library.',
  },
  'session-busy': {
    person: 'The assistant is still working. Wait for it, or stop it first.',
    fix: 'Stop the run or wait for it; or choose another onBusy.',
    operator: 'Nothing to do.',
  },
  'session-conflict': {
    person: 'This conversation was changed in another window.',
    fix: 'Load the stored session and repeat the change.',
    operator: 'Nothing to do, unless one person’s windows use different stores.',
  },
  'session-deleted': {
    person: 'This conversation was deleted.',
    fix: 'Start a new session; sending does not restore a deleted one.',
    operator: 'Nothing to do.',
  },
  'session-disposed': {
    person: 'This conversation was closed. Open it again.',
    fix: 'Create a session with the same id; a disposed one takes no commands.',
    operator: 'Nothing to do.',
  },
  'session-exists': {
    person: 'A conversation with this id exists already.',
    fix: 'Give the new session another id.',
    operator: 'Nothing to do.',
  },
  'session-idle': {
    person: 'There is nothing to continue. Write a message.',
    fix: 'Call resume() for an interrupted run and retry() after a message, or look at session.status first.',
    operator: 'Nothing to do.',
  },
  'session-not-found': {
    person: 'This conversation does not exist any more.',
    fix: 'Look the id up in the list of sessions, or wrap the component in the provider that the message names.',
    operator: 'Check that all servers read the same store.',
  },
  'session-storage': {
    person: 'This conversation could not be saved.',
    fix: 'Make room in the store, or choose another one; the session goes on and tries again.',
    operator: 'Look at the space and the permissions of the store.',
  },
  'state-invalid': {
    person: 'This conversation was saved in a form that cannot be read.',
    fix: 'Look at the path in the message; the stored text was not changed.',
    operator: 'Another program has written to the store, or a write was cut short.',
  },
  'state-version-unsupported': {
    person: 'This conversation was saved by a newer version. Reload the page.',
    fix: 'Update the library; the stored text was not changed.',
    operator: 'An older version of the application is still being served; deploy the newest one everywhere.',
  },
  'trace-invalid': {
    person: 'This file is not a readable trace.',
    fix: 'Read the message for the reason; export the file again from its source.',
    operator: 'Nothing to do: the file was rejected before any part of it was used.',
  },
  'view-failed': {
    person: 'A part of this conversation cannot be shown.',
    fix: 'Look at the cause: a hook, setMessages or update returned a state that no selector can read.',
    operator: 'Nothing to do: the rest of the page goes on.',
  },
} as const satisfies Record<string, ErrorTexts>;
