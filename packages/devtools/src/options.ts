import type { Sanitize } from '@vitrine/core/inspect';
import type { CSSProperties } from 'react';
import type { PanelTab } from './define-panel-tab.ts';

/** The side of the page at which the panel stands. */
export type DockPosition = 'top' | 'bottom' | 'left' | 'right';
/** The corner of the page in which the button stands. */
export type ButtonPosition = 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right';
/** `system` follows the settings of the computer, `page` the page: its `data-theme`, its classes, its `color-scheme`. */
export type DevtoolsTheme = 'light' | 'dark' | 'system' | 'page';

/** How the panel begins and where it lives. All may change later, but those of which it says that they are read once. */
export type AgentDevtoolsOptions = {
  /** Whether the panel is open at the first visit; later visits remember. Read once. Default: false. */
  readonly initialIsOpen?: boolean;
  /** Where the panel docks at the first visit; later visits remember, until it changes. Default: bottom. */
  readonly position?: DockPosition;
  /** Where the button that opens the panel stands. Default: bottom-right. */
  readonly buttonPosition?: ButtonPosition;
  /** Default: system. */
  readonly theme?: DevtoolsTheme;
  /**
   * The keys that open and close the panel from anywhere on the page: names of keys joined with `+`, the last of them as
   * in `KeyboardEvent.code` without `Key` or `Digit`. Null for none. Default: `Alt+Shift+V`.
   */
  readonly hotkey?: string | null;
  /** Views of the application beside those of the panel, made with `definePanelTab`. */
  readonly tabs?: readonly Required<PanelTab>[];
  /** Tells the Redux DevTools extension of every session, where it is installed. Read once. Default: false. */
  readonly reduxDevtools?: boolean;
  /**
   * What may be shown of a value, beside what is taken out anyway: in the panel, in what it finds, copies, saves and
   * tells others of. It changes nothing of what runs, is stored or is replayed. Read once; see `sanitizeWith` of
   * `@vitrine/core/inspect`, which says the same of a page without the panel. Default: all that is no secret.
   */
  readonly sanitize?: Sanitize;
  /** For pages whose Content Security Policy wants a nonce, where stylesheets cannot be constructed. Read once. */
  readonly styleNonce?: string;
  /** A shadow root of yours to live in. Read once. Default: one of its own. */
  readonly shadowDOMTarget?: ShadowRoot;
};

/** The options, and the style of the element that the panel fills; 480 pixels high without one. */
export type AgentDevtoolsPanelProps = AgentDevtoolsOptions & { readonly style?: CSSProperties };

/** Takes the panel away. `update` gives it other options; what is not named in them has its default. */
export type MountedDevtools = (() => void) & {
  readonly update: (options: AgentDevtoolsOptions) => void;
};
