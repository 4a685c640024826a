import type { CSSProperties } from 'react';

/** The side of the page at which the panel stands. */
export type DockPosition = 'top' | 'bottom' | 'left' | 'right';
/** The corner of the page in which the button stands. */
export type ButtonPosition = 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right';
/** `system` follows the settings of the computer. */
export type DevtoolsTheme = 'light' | 'dark' | 'system';

/** How the panel begins and where it lives; read once, when it is mounted. */
export type AgentDevtoolsOptions = {
  /** Whether the panel is open at the first visit; later visits remember. Default: false. */
  readonly initialIsOpen?: boolean;
  /** Where the panel docks at the first visit. Default: bottom. */
  readonly position?: DockPosition;
  /** Where the button that opens the panel stands. Default: bottom-right. */
  readonly buttonPosition?: ButtonPosition;
  /** Default: system. */
  readonly theme?: DevtoolsTheme;
  /** For pages whose Content Security Policy wants a nonce, where stylesheets cannot be constructed. */
  readonly styleNonce?: string;
  /** A shadow root of yours to live in. Default: one of its own. */
  readonly shadowDOMTarget?: ShadowRoot;
};

/** The options, and the style of the element that the panel fills; 480 pixels high without one. */
export type AgentDevtoolsPanelProps = AgentDevtoolsOptions & { readonly style?: CSSProperties };
