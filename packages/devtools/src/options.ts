import type { Detector, Sanitize } from '@vitrine/inspect';
import type { PanelTab } from './define-panel-tab.ts';
import type { SomeTexts } from './texts.ts';

/** The side of the page at which the panel is docked. */
export type DockPosition = 'top' | 'bottom' | 'left' | 'right';
/** The corner of the page for the button. */
export type ButtonPosition = 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right';
/**
 * The colour scheme: `system` follows the operating system; `page` follows the page's `data-theme`, classes
 * and `color-scheme`.
 */
export type DevtoolsTheme = 'light' | 'dark' | 'system' | 'page';

/** Initial state and placement of the panel. All options may change later, except those marked "Read once". */
export type AgentDevtoolsOptions = {
  /** True opens the panel on the first visit; later visits remember the last state. Read once. Default: false. */
  readonly initialIsOpen?: boolean;
  /**
   * The dock side on the first visit; later visits remember the last one, until this option changes. Default: bottom.
   */
  readonly position?: DockPosition;
  /**
   * The corner of the button that opens the panel. It moves up or down while it would cover a control of the page.
   * Default: bottom-right.
   */
  readonly buttonPosition?: ButtonPosition;
  /** Default: system. */
  readonly theme?: DevtoolsTheme;
  /**
   * The keys that open and close the panel from anywhere on the page: names of keys joined with `+`. The last one is
   * written as in `KeyboardEvent.code` without `Key` or `Digit`. Null for none. Default: `Alt+Shift+V`.
   */
  readonly hotkey?: string | null;
  /** Custom tabs of the application, made with `definePanelTab`. */
  readonly tabs?: readonly Required<PanelTab>[];
  /**
   * Detectors of the application, made with `defineDetector`, beside those of the library. Create the list once,
   * outside of components.
   */
  readonly detectors?: readonly Detector[];
  /**
   * Texts that replace the English ones, all or some, e.g. those of another language. Create the object once,
   * outside of components.
   */
  readonly texts?: SomeTexts;
  /** The direction in which the texts of the panel run, whatever the page does. Default: `ltr`. */
  readonly direction?: 'ltr' | 'rtl';
  /** Connects every session to the Redux DevTools extension, if it is installed. Read once. Default: false. */
  readonly reduxDevtools?: boolean;
  /**
   * Offers questions about the agents of the page to agents of the browser, as WebMCP tools: why a run stopped, what was
   * sent, who wrote what. Read once. Default: false.
   */
  readonly webMcp?: boolean;
  /**
   * Removes further parts of values that the panel shows, searches, copies, saves or sends, in addition to
   * the built-in removal of secrets. Runs, storage and replays do not change.
   *
   * Read once; `sanitizeWith` of `@vitrine/inspect` does the same on a page without the panel.
   * Default: nothing more is removed.
   */
  readonly sanitize?: Sanitize;
  /** A nonce for pages with a Content Security Policy, in browsers without constructable stylesheets. Read once. */
  readonly styleNonce?: string;
  /** An existing shadow root for the panel. Read once. Default: its own. */
  readonly shadowDOMTarget?: ShadowRoot;
};

/** Removes the panel. `update` replaces its options; an option that is left out gets its default. */
export type MountedDevtools = (() => void) & { readonly update: (options: AgentDevtoolsOptions) => void };
