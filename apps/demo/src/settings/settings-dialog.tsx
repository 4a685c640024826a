import { type ReactNode, useEffect, useRef } from 'react';
import { ModelSelect } from './model-select.tsx';
import type { ModelsAndChoice } from './use-model-choice.ts';
import { DataForm } from './data-form.tsx';
import { LimitsForm } from './limits-form.tsx';
import type { Theme } from './settings.ts';
import { changeSettings, useSettings } from './use-settings.ts';
import '../styles/settings.css';

type SettingsDialogProps = {
  readonly models: ModelsAndChoice;
  readonly onClose: () => void;
};

const themes: readonly { readonly theme: Theme; readonly name: string }[] = [
  { theme: 'system', name: 'System' },
  { theme: 'light', name: 'Light' },
  { theme: 'dark', name: 'Dark' },
];

/** The settings dialog; changes apply at once. */
export function SettingsDialog({ models, onClose }: SettingsDialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const { theme, guide } = useSettings();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="settings" aria-labelledby="settings-title" onClose={onClose}>
      <header>
        <h2 id="settings-title">Settings</h2>
        <button type="button" className="vitrine-button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <fieldset>
        <legend>Look</legend>
        <div className="choices">
          {themes.map(({ theme: each, name }) => (
            <label key={each} className="choice">
              <input
                type="radio"
                name="theme"
                value={each}
                checked={each === theme}
                onChange={() => changeSettings({ theme: each })}
              />
              <span>{name}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>Model</legend>
        <div className="choices">
          {models.current === null && <span className="hint">The list of models is not available.</span>}
          <ModelSelect {...models} />
        </div>
      </fieldset>
      <LimitsForm model={models.current} />
      <DataForm />
      {guide === null && (
        <button type="button" className="vitrine-button" onClick={() => changeSettings({ guide: 0 })}>
          Show the guide again
        </button>
      )}
    </dialog>
  );
}
