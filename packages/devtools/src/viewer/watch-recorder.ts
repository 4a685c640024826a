import { localChannel, watchSessions } from '@vitrine/inspect';
import { mount } from '../shell/mount.tsx';

/** A message of the recorder about itself, between those of its sessions. */
type Notes = { readonly recorder?: { readonly note: string; readonly empty: string } };

/** Shows the sessions of `vitrine record`, which has served this page, with its notes above. */
export function watchRecorder(place: HTMLElement): void {
  const note = document.createElement('p');
  note.setAttribute('role', 'status');
  place.before(note);
  const optionsOf = (text: string): Parameters<typeof mount>[1] => ({
    texts: { shell: { dropTrace: text } },
  });
  const panel = mount(place, optionsOf(''), 'viewer');
  const channel = localChannel(location.href);
  watchSessions({
    open: (onMessage) =>
      channel.open((message) => {
        const { recorder } = message as Notes;
        if (recorder === undefined) return onMessage(message);
        note.textContent = recorder.note;
        panel.update(optionsOf(recorder.empty));
      }),
  });
}
